import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Control, type RelayerMode } from "./control.ts";
import {
  applyFault,
  type Delivery,
  type EmulatorAnswer,
  type FaultAnswer,
  refuseStatus,
  type TransformAnswer,
} from "./faults.ts";

/** A request to an emulated service. */
export interface EmulatorRequest {
  method: string;
  /** Path with query. */
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** Handles one request to an emulated service. */
export type Answerer = (request: EmulatorRequest) => Promise<EmulatorAnswer>;

/** An emulated service: its handler and the transformations of its faults. */
export interface Emulator {
  name: string;
  handle: Answerer;
  /** Largest request body in bytes, and the response to a larger one. */
  maxBodyBytes: number;
  tooLarge(bytes: number): EmulatorAnswer;
  drift: TransformAnswer;
  hostile: TransformAnswer;
  /** Response to a `status` fault, for services with an error shape of their own. */
  refuse?: FaultAnswer;
  /** Settings of this service only, besides faults. */
  own?: OwnSettings;
  /** Notes that `/__control` shows for relayer modes that differ from the real bridge. */
  notes?: Partial<Readonly<Record<RelayerMode, string>>>;
}

/** Settings of one service, which `/__control` sets, shows and clears together with the common ones. */
export interface OwnSettings {
  /** Fields of the body that belong to them. */
  readonly fields: readonly string[];
  /** Applies the fields of a body. Returns the problem of an invalid body, or null. */
  set(body: unknown): Promise<string | null>;
  show(): Promise<object>;
  clear(): Promise<void>;
}

/** A running emulator. */
export interface ServedEmulator {
  url: string;
  port: number;
  control: Control;
  close(): Promise<void>;
}

/** Serves an emulator on a free local port, with `/__control` and the fault layer. */
export async function serveEmulator(emulator: Emulator): Promise<ServedEmulator> {
  const control = new Control();
  const server = createServer((request, response) => {
    answer({ emulator, control }, request, response).catch((error: unknown) => {
      console.error(`${emulator.name}:`, error);
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${port}`, port, control, close };
}

type Served = { emulator: Emulator; control: Control };

async function answer(served: Served, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const { emulator, control } = served;
  const path = incoming.url ?? "/";
  const { body, bytes } = await readBody(incoming, emulator.maxBodyBytes);
  if (path === "/__control") return send(response, await answerControl(served, incoming.method, body));
  if (body === null) return send(response, emulator.tooLarge(bytes));
  const request = { method: incoming.method ?? "GET", path, headers: incoming.headers, body };
  const produce = () => emulator.handle(request);
  const fault = control.take(path, () => body.toString("utf8"));
  if (fault === null) return send(response, await produce());
  const { drift, hostile, refuse = refuseStatus } = emulator;
  deliver(response, await applyFault(fault, { produce, drift, hostile, refuse }));
}

async function answerControl(
  { control, emulator }: Served,
  method = "GET",
  body: Buffer | null,
): Promise<EmulatorAnswer> {
  const { own } = emulator;
  if (method === "POST") {
    const text = body?.toString("utf8") ?? null;
    const problem = text === null ? "the body is too large" : await setControl({ control, own }, text);
    if (problem !== null) return json(400, { error: problem });
  } else if (method === "DELETE") {
    control.clear();
    await own?.clear();
  } else if (method !== "GET") {
    return json(405, { error: "POST, GET or DELETE" });
  }
  const note = emulator.notes?.[control.relayer.mode];
  return json(200, {
    ...control.show(),
    ...(await own?.show()),
    ...(note === undefined ? {} : { note }),
  });
}

/** Sets the common settings and those of this emulator. Returns the problem of an invalid body, or null. */
async function setControl(
  { control, own }: { control: Control; own: OwnSettings | undefined },
  text: string,
): Promise<string | null> {
  if (own === undefined) return control.set(text);
  const [shared, others] = splitBody(text, own.fields);
  return control.set(shared) ?? (others === null ? null : own.set(others));
}

/** Splits a body into the common fields, as text, and those in `fields`, or null if there are none. */
function splitBody(text: string, fields: readonly string[]): [string, object | null] {
  try {
    const entries = Object.entries(JSON.parse(text) as object);
    const others = entries.filter(([key]) => fields.includes(key));
    const shared = entries.filter(([key]) => !fields.includes(key));
    return [
      JSON.stringify(Object.fromEntries(shared)),
      others.length === 0 ? null : Object.fromEntries(others),
    ];
  } catch {
    return [text, null];
  }
}

const json = (status: number, value: unknown): EmulatorAnswer => ({ status, body: JSON.stringify(value) });

function send(response: ServerResponse, { status, headers, body }: EmulatorAnswer): void {
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    ...headers,
  });
  response.end(body);
}

function deliver(response: ServerResponse, delivery: Delivery): void {
  if (delivery.kind === "send") send(response, delivery.answer);
  else if (delivery.kind === "cut") cut(response, delivery.answer);
  else if (delivery.resetAfterMs > 0) setTimeout(() => response.destroy(), delivery.resetAfterMs).unref();
}

/** Announces the whole body, sends half of it and closes the connection. */
function cut(response: ServerResponse, { status, headers, body }: EmulatorAnswer): void {
  const bytes = Buffer.from(body);
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": bytes.length,
    ...headers,
  });
  response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => response.destroy());
}

/** Returns the body, or null when it exceeds the limit; reads it to its end in both cases. */
async function readBody(request: IncomingMessage, limit: number) {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= limit) chunks.push(chunk);
  }
  return { body: bytes > limit ? null : Buffer.concat(chunks), bytes };
}
