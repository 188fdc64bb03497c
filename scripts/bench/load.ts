import { connect, type Socket } from "node:net";
import { median } from "./statistics.ts";

/**
 * A GET request that is repeated over several keep-alive connections for `ms` milliseconds. Each connection sends it
 * again as soon as the response is complete. A query in `url` is not sent.
 */
export interface LoadPlan {
  url: string;
  connections: number;
  ms: number;
}

/** Throughput and latency of one load run. */
export interface LoadResult {
  requests: number;
  perSecond: number;
  /** Median latency in milliseconds. */
  median: number;
}

const HEADER_END = Buffer.from("\r\n\r\n");

/**
 * Sends requests to a server for `ms` milliseconds. Of a response only the length is parsed, to leave the processor to
 * the server. Throws unless every response is a 200 whose first chunk holds the headers with a `Content-Length`, and if
 * the server closes a connection.
 */
export async function load({ url, connections, ms }: LoadPlan): Promise<LoadResult> {
  const { hostname, port, pathname } = new URL(url);
  const request = Buffer.from(`GET ${pathname} HTTP/1.1\r\nhost: ${hostname}:${port}\r\naccept: */*\r\n\r\n`);
  const latencies: number[] = [];
  const startedAt = performance.now();
  const until = startedAt + ms;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = await open(Number(port), hostname);
      await repeat({ socket, request, until, latencies });
      socket.destroy();
    }),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  const requests = latencies.length;
  return { requests, perSecond: requests / seconds, median: median(latencies) };
}

function open(port: number, host: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host, noDelay: true }, () => resolve(socket));
    socket.once("error", reject);
  });
}

type Repeat = { socket: Socket; request: Buffer; until: number; latencies: number[] };

function repeat({ socket, request, until, latencies }: Repeat): Promise<void> {
  return new Promise((resolve, reject) => {
    let sentAt = performance.now();
    let received = 0;
    let expected = 0;
    const next = () => {
      [sentAt, received, expected] = [performance.now(), 0, 0];
      socket.write(request);
    };
    socket.on("data", (chunk: Buffer) => {
      if (expected === 0) expected = lengthOf(chunk);
      received += chunk.length;
      if (expected === 0)
        return reject(new Error(`unexpected answer: ${chunk.toString("latin1").slice(0, 120)}`));
      if (received < expected) return;
      latencies.push(performance.now() - sentAt);
      if (performance.now() < until) next();
      else resolve();
    });
    socket.once("error", reject);
    socket.once("close", () => reject(new Error("the server hung up")));
    next();
  });
}

/**
 * Returns the length of the whole response in bytes, from its first chunk, which contains the headers. Zero unless it
 * is a 200 with a length.
 */
function lengthOf(chunk: Buffer): number {
  const end = chunk.indexOf(HEADER_END);
  const head = chunk.subarray(0, Math.max(end, 0)).toString("latin1");
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  return head.startsWith("HTTP/1.1 200") && length !== undefined ? end + 4 + Number(length) : 0;
}
