import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";

const Call = z.object({ id: z.unknown(), method: z.string(), params: z.array(z.unknown()).default([]) });
export type RpcCall = z.output<typeof Call>;

/** Why a node refuses a call; null: it does not. */
export type Refusal = (call: RpcCall) => { code: number; message: string; data?: unknown } | null;

/** A node that lacks something: everything else is forwarded to a real one. */
export interface RpcProxy {
  url: string;
  /** How often each method was asked. */
  asked: Map<string, number>;
  /** May be replaced at any time. */
  refuse: Refusal;
  close(): Promise<void>;
}

/** Starts a node in front of `upstream` on a free port. */
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
      response.end(
        error === null
          ? await forward(upstream, text)
          : JSON.stringify({ jsonrpc: "2.0", id: call.id, error }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  const { port } = server.address() as AddressInfo;
  const proxy: RpcProxy = { url: `http://127.0.0.1:${port}`, asked, refuse, close };
  return proxy;
}

async function forward(upstream: string, body: string): Promise<string> {
  const headers = { "content-type": "application/json" };
  return (await fetch(upstream, { method: "POST", headers, body })).text();
}

/** A node without some methods (JSON-RPC's own code for it). */
export function without(...methods: string[]): Refusal {
  return ({ method }) =>
    methods.includes(method)
      ? { code: -32601, message: `the method ${method} does not exist/is not available` }
      : null;
}
