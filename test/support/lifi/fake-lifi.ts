import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Timing } from "../../../src/lib/outside-call-timing.ts";
import type { ProviderScope } from "../../../src/providers/provider.ts";

export interface Received {
  method: string;
  path: string;
  query: Record<string, string>;
  headers: IncomingMessage["headers"];
  body: unknown;
}

export interface FakeLifi extends AsyncDisposable {
  url: string;
  received: Received[];
}

/** One response: a status, headers and a body, or a server fault. */
export type Answer =
  | { status?: number; headers?: Record<string, string>; body: unknown }
  | ((response: ServerResponse) => void);

/** Starts a server on a free port that sends the responses in turn and repeats the last one. */
export async function fakeLifi(...answers: readonly Answer[]): Promise<FakeLifi> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const answer = answers[Math.min(received.length, answers.length - 1)];
      received.push(describe(request, Buffer.concat(chunks).toString()));
      if (answer !== undefined) respond(response, answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    received,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function describe(request: IncomingMessage, body: string): Received {
  const url = new URL(request.url ?? "/", "http://localhost");
  return {
    method: request.method ?? "",
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: request.headers,
    body: body === "" ? null : JSON.parse(body),
  };
}

function respond(response: ServerResponse, answer: Answer): void {
  if (typeof answer === "function") {
    answer(response);
    return;
  }
  const text = typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body);
  response.writeHead(answer.status ?? 200, { "content-type": "application/json", ...answer.headers });
  response.end(text);
}

/** Creates a provider scope with the real network and the real clock, or another one. */
export function scopeOf(now: () => number = Date.now): ProviderScope & { timing: Timing } {
  return {
    fetch: (input, init) => fetch(input, init),
    timing: new Timing(() => performance.now()),
    now,
    chain: () => null,
  };
}
