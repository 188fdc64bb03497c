import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";

const Call = z.object({ id: z.unknown(), method: z.string(), params: z.array(z.unknown()).default([]) });
/** A JSON-RPC request. */
export type RpcCall = z.output<typeof Call>;

/** Function that returns the error for a call, or null to forward the call. */
export type Refusal = (call: RpcCall) => { code: number; message: string; data?: unknown } | null;

/** Time in milliseconds within which requests count as concurrent. */
const ROUND_MS = 60;

/** Counts round trips to nodes: concurrent requests count as one. */
export class Rounds {
  count = 0;
  #underWay = 0;

  async within<T>(work: () => Promise<T>): Promise<T> {
    if (this.#underWay === 0) this.count += 1;
    this.#underWay += 1;
    try {
      await new Promise((resolve) => setTimeout(resolve, ROUND_MS));
      return await work();
    } finally {
      this.#underWay -= 1;
    }
  }
}

/** A node that rejects some calls and forwards the others to a real node. */
export interface RpcProxy {
  url: string;
  /** Number of requests by method. */
  asked: Map<string, number>;
  /** Decides which calls are rejected. May be replaced at any time. */
  refuse: Refusal;
  /** Counter of round trips, shared between nodes where needed; null for none. */
  rounds: Rounds | null;
  close(): Promise<void>;
}

/** Starts a proxy in front of `upstream` on a free port. */
export async function startRpcProxy(upstream: string, refuse: Refusal): Promise<RpcProxy> {
  const asked = new Map<string, number>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", async () => {
      const text = Buffer.concat(chunks).toString("utf8");
      const call = Call.parse(JSON.parse(text));
      asked.set(call.method, (asked.get(call.method) ?? 0) + 1);
      const error = proxy.refuse(call);
      response.setHeader("content-type", "application/json");
      const answer = async () =>
        error === null
          ? await forward(upstream, text)
          : JSON.stringify({ jsonrpc: "2.0", id: call.id, error });
      response.end(await (proxy.rounds === null ? answer() : proxy.rounds.within(answer)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  const { port } = server.address() as AddressInfo;
  const proxy: RpcProxy = { url: `http://127.0.0.1:${port}`, asked, refuse, rounds: null, close };
  return proxy;
}

async function forward(upstream: string, body: string): Promise<string> {
  const headers = { "content-type": "application/json" };
  return (await fetch(upstream, { method: "POST", headers, body })).text();
}

/** Rejects these methods with JSON-RPC's error code for unknown methods. */
export function rejectMethods(...methods: string[]): Refusal {
  return ({ method }) =>
    methods.includes(method)
      ? { code: -32601, message: `the method ${method} does not exist/is not available` }
      : null;
}
