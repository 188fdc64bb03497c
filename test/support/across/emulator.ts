import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach } from "vitest";

/** A request that the emulated API received. */
export interface ApiRequest {
  method: string;
  path: string;
  query: Record<string, string>;
  headers: IncomingMessage["headers"];
  body: string;
}

/** A scripted response, or a fault in its place. */
export type Reply =
  | { kind: "json"; status?: number; headers?: Record<string, string>; body: unknown }
  | { kind: "text"; status?: number; headers?: Record<string, string>; text: string }
  /** Sends no response and keeps the connection open. */
  | { kind: "hang" }
  /** Closes the connection before or in the middle of a response. */
  | { kind: "reset" }
  | { kind: "cut"; text: string }
  /** Sends the headers immediately, then one byte every `everyMs` milliseconds. */
  | { kind: "drip"; text: string; everyMs: number }
  /** Sends this many bytes, with or without a content-length header. */
  | { kind: "flood"; bytes: number; declared: boolean };

/** An emulated API that is running. */
export interface Api {
  url: string;
  requests: ApiRequest[];
  /** Sets the function that returns the response to every later request. */
  answer(handler: (request: ApiRequest) => Reply): void;
  /** Sends these responses in turn and repeats the last one. */
  replyWith(...replies: [Reply, ...Reply[]]): void;
  close(): Promise<void>;
}

/** Starts an HTTP server on a free port of the loopback interface that sends scripted responses. */
export async function startApi(): Promise<Api> {
  const requests: ApiRequest[] = [];
  let handler: (request: ApiRequest) => Reply = () => ({ kind: "json", status: 500, body: {} });
  const server = createServer((incoming, response) => {
    void receive(incoming).then((request) => {
      requests.push(request);
      send(response, handler(request));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/api`,
    requests,
    answer(next) {
      handler = next;
    },
    replyWith(...replies) {
      const queue = [...replies];
      handler = () => (queue.length > 1 ? queue.shift() : queue[0]) ?? { kind: "hang" };
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Registers hooks that start an API for the file's tests, of which each begins without requests. */
export function serveApi(): Omit<Api, "close"> {
  let started: Api | null = null;
  const running = (): Api => {
    if (started === null) throw new Error("the API is served only during tests");
    return started;
  };
  beforeAll(async () => {
    started = await startApi();
  });
  beforeEach(() => {
    running().requests.length = 0;
  });
  afterAll(() => running().close());
  return {
    get url() {
      return running().url;
    },
    get requests() {
      return running().requests;
    },
    answer: (handler) => running().answer(handler),
    replyWith: (...replies) => running().replyWith(...replies),
  };
}

async function receive(incoming: IncomingMessage): Promise<ApiRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
  const { pathname, searchParams } = new URL(incoming.url ?? "/", "http://localhost");
  return {
    method: incoming.method ?? "",
    path: pathname,
    query: Object.fromEntries(searchParams),
    headers: incoming.headers,
    body: Buffer.concat(chunks).toString("utf8"),
  };
}

const JSON_TYPE = { "content-type": "application/json" };

function send(response: ServerResponse, reply: Reply): void {
  switch (reply.kind) {
    case "json":
      response.writeHead(reply.status ?? 200, { ...JSON_TYPE, ...reply.headers });
      response.end(JSON.stringify(reply.body));
      return;
    case "text":
      response.writeHead(reply.status ?? 200, { "content-type": "text/html", ...reply.headers });
      response.end(reply.text);
      return;
    case "hang":
      return;
    case "reset":
      response.destroy();
      return;
    case "cut":
      response.writeHead(200, { ...JSON_TYPE, "content-length": reply.text.length });
      response.write(reply.text.slice(0, reply.text.length / 2), () => response.destroy());
      return;
    case "drip":
      drip(response, reply);
      return;
    case "flood":
      flood(response, reply);
  }
}

function drip(response: ServerResponse, { text, everyMs }: { text: string; everyMs: number }): void {
  response.writeHead(200, JSON_TYPE);
  let sent = 0;
  const timer = setInterval(() => {
    response.write(text.charAt(sent));
    sent += 1;
    if (sent >= text.length) response.end();
  }, everyMs);
  response.once("close", () => clearInterval(timer));
}

function flood(response: ServerResponse, { bytes, declared }: { bytes: number; declared: boolean }): void {
  response.writeHead(200, declared ? { ...JSON_TYPE, "content-length": bytes } : JSON_TYPE);
  const chunk = Buffer.alloc(1 << 20, 0x20);
  let left = bytes;
  const more = (): void => {
    while (left > 0 && !response.destroyed) {
      left -= chunk.length;
      if (!response.write(chunk)) {
        response.once("drain", more);
        return;
      }
    }
    if (!response.destroyed) response.end();
  };
  more();
}
