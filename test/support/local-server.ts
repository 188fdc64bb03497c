import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished, vi } from "vitest";

/** A request that the server received. */
export interface ReceivedRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A running HTTP server. */
export interface LocalServer {
  url: string;
  /** All requests in order of arrival. */
  requests: ReceivedRequest[];
}

/** Starts a local HTTP server. At the end of the test it is closed with its open connections. */
export async function serve(
  answer: (request: ReceivedRequest, response: ServerResponse) => void,
): Promise<LocalServer> {
  const requests: ReceivedRequest[] = [];
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const { method = "", url: path = "", headers } = incoming;
      const request = { method, path, headers, body: Buffer.concat(chunks).toString() };
      requests.push(request);
      answer(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, requests };
}

/** Sends the headers of a response, then one byte at a time until the client disconnects. */
export function sendSlowly(response: ServerResponse, everyMs: number): void {
  response.writeHead(200, { "content-type": "application/json" });
  const timer = setInterval(() => response.write(" "), everyMs);
  response.on("close", () => clearInterval(timer));
}

/**
 * Stops the timeouts of `AbortSignal.timeout` until the end of the test. `expire` ends the newest one and returns its
 * milliseconds. A server that hangs calls `expire`, so that a busy machine never makes another request time out.
 */
export function holdTimeouts(): { expire(): number } {
  const held: { ms: number; deadline: AbortController }[] = [];
  const spy = vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
    const deadline = new AbortController();
    held.push({ ms, deadline });
    return deadline.signal;
  });
  onTestFinished(() => spy.mockRestore());
  return {
    expire: () => {
      const newest = held.pop();
      newest?.deadline.abort(new DOMException("the deadline passed", "TimeoutError"));
      return newest?.ms ?? 0;
    },
  };
}

/** The platform's `fetch`, wrapped as in the service's composition root. */
export const realFetch = (input: string, init?: RequestInit): Promise<Response> =>
  globalThis.fetch(input, init);

/**
 * Returns the platform's `fetch` for a test that holds timeouts: the newest deadline passes once the headers of a response
 * have arrived, so that the rest of its body comes too late.
 */
export const fetchOfLateBodies =
  ({ expire }: ReturnType<typeof holdTimeouts>): typeof realFetch =>
  async (input, init) => {
    const response = await realFetch(input, init);
    expire();
    return response;
  };
