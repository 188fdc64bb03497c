import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Control, type RelayerMode } from "./control.ts";
import {
  applyFault,
  type Delivery,
  type EmulatorAnswer,
  type Refuse,
  refuseStatus,
  type Spoil,
} from "./faults.ts";

export interface EmulatorRequest {
  method: string;
  /** Path with query. */
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** Does the service's work for a request. */
export type Answerer = (request: EmulatorRequest) => Promise<EmulatorAnswer>;

/** An emulated service: what it answers, and what its answers look like once spoilt. */
export interface Emulator {
  name: string;
  handle: Answerer;
  /** Bytes a request may carry, and the refusal beyond that. */
  maxBodyBytes: number;
  tooLarge(bytes: number): EmulatorAnswer;
  drift: Spoil;
  hostile: Spoil;
  /** What a `status` fault answers, where the service has a shape of its own for it. */
  refuse?: Refuse;
  /** What `/__control` says of a relayer's mode in which the bridge is not quite as it is in reality. */
  notes?: Partial<Readonly<Record<RelayerMode, string>>>;
}

export interface ServedEmulator {
  url: string;
  port: number;
  control: Control;
  close(): Promise<void>;
}

/** Serves an emulator on a free port of the loopback interface, `/__control` and the fault layer included. */
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
  if (path === "/__control") return send(response, answerControl(served, incoming.method, body));
  if (body === null) return send(response, emulator.tooLarge(bytes));
  const request = { method: incoming.method ?? "GET", path, headers: incoming.headers, body };
  const produce = () => emulator.handle(request);
  const fault = control.take(path, () => body.toString("utf8"));
  if (fault === null) return send(response, await produce());
  const { drift, hostile, refuse = refuseStatus } = emulator;
  deliver(response, await applyFault(fault, { produce, drift, hostile, refuse }));
}

function answerControl({ control, emulator }: Served, method = "GET", body: Buffer | null): EmulatorAnswer {
  if (method === "POST") {
    const problem = body === null ? "the body is too large" : control.set(body.toString("utf8"));
    if (problem !== null) return json(400, { error: problem });
  } else if (method === "DELETE") {
    control.clear();
  } else if (method !== "GET") {
    return json(405, { error: "POST, GET or DELETE" });
  }
  const note = emulator.notes?.[control.relayer.mode];
  return json(200, { ...control.show(), ...(note === undefined ? {} : { note }) });
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

/** Promises the whole body, writes half of it and drops the connection. */
function cut(response: ServerResponse, { status, headers, body }: EmulatorAnswer): void {
  const bytes = Buffer.from(body);
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": bytes.length,
    ...headers,
  });
  response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => response.destroy());
}

/** The body, or null when it is larger than allowed; it is read to its end in either case. */
async function readBody(request: IncomingMessage, limit: number) {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= limit) chunks.push(chunk);
  }
  return { body: bytes > limit ? null : Buffer.concat(chunks), bytes };
}
