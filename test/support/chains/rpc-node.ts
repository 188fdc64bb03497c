import type { ServerResponse } from "node:http";
import { type ChainClient, createChainClient, NodeHealth } from "../../../src/chains/chain-client.ts";
import type { ChainDefinition } from "../../../src/chains/chain-definitions.ts";
import { Timing } from "../../../src/lib/outside-call-timing.ts";
import { realFetch, sendSlowly, serve } from "../local-server.ts";

/** A JSON-RPC request. */
export interface RpcCall {
  method: string;
  params: readonly unknown[];
}

/** A node's response: a result, an error, or text that is not JSON-RPC. */
export type RpcAnswer =
  | { result: unknown; afterMs?: number }
  | { error: { code: number; message: string; data?: unknown } }
  | { fault: Fault };

/** A running JSON-RPC node. */
export interface RpcNode {
  url: string;
  calls: RpcCall[];
}

const raw = (status: number, text: string) => (response: ServerResponse) => {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(text);
};

/** Faults in which a node gives no usable response. */
export const faults = {
  hang: () => undefined,
  slow_body: (response: ServerResponse) => sendSlowly(response, 5),
  reset: (response: ServerResponse) => response.destroy(),
  status_429: raw(429, "slow down"),
  status_500: raw(500, "oops"),
  status_503: raw(503, ""),
  redirect: (response: ServerResponse) => {
    response.writeHead(302, { location: "/elsewhere" });
    response.end();
  },
  html: raw(200, "<!doctype html><title>Just a moment...</title>"),
  empty: raw(200, ""),
  truncated: raw(200, '{"jsonrpc":"2.0","id":1,"result":"0x'),
  garbage: raw(200, "\u0000\u0001\u0002"),
  no_result: raw(200, '{"jsonrpc":"2.0","id":1}'),
  batch: raw(200, '[{"jsonrpc":"2.0","id":1,"result":"0x1"}]'),
  error_text: raw(200, '{"jsonrpc":"2.0","id":1,"error":"overloaded"}'),
  oversize: raw(200, JSON.stringify({ jsonrpc: "2.0", id: 1, result: `0x${"00".repeat(1_100_000)}` })),
} as const satisfies Record<string, (response: ServerResponse) => unknown>;
/** Name of a node fault. */
export type Fault = keyof typeof faults;
/** Names of all node faults. */
export const faultNames = Object.keys(faults) as Fault[];

/**
 * Starts a local JSON-RPC node that is closed at the end of the test. It answers `eth_chainId` with `chainId` unless
 * `answer` does.
 */
export async function startNode(answer: (call: RpcCall) => RpcAnswer): Promise<RpcNode> {
  const calls: RpcCall[] = [];
  const { url } = await serve(({ body }, response) => {
    const { method, params } = JSON.parse(body) as RpcCall;
    calls.push({ method, params });
    const said = answer({ method, params });
    if ("fault" in said) faults[said.fault](response);
    else if ("error" in said)
      raw(200, JSON.stringify({ jsonrpc: "2.0", id: 1, error: said.error }))(response);
    else {
      const text = JSON.stringify({ jsonrpc: "2.0", id: 1, result: said.result });
      setTimeout(() => raw(200, text)(response), said.afterMs ?? 0);
    }
  });
  return { url, calls };
}

/** Starts a node that answers `eth_chainId` itself and every other request with `answer`. */
export function startHonestNode(
  answer: (call: RpcCall) => RpcAnswer,
  chainId = testChain.chainId,
): Promise<RpcNode> {
  const id: RpcAnswer = { result: `0x${chainId.toString(16)}` };
  return startNode((call) => (call.method === "eth_chainId" ? id : answer(call)));
}

/** The chain that the fake nodes serve. */
export const testChain: ChainDefinition = {
  chainId: 31337,
  name: "Testchain",
  key: "tst",
  explorer: "https://explorer.example",
  native: { symbol: "ETH", decimals: 18 },
  wrappedNative: "0x4200000000000000000000000000000000000006",
  rpcUrls: [],
  confirmations: 2,
};

/** A chain client whose clock the test controls. */
export interface ClientUnderTest {
  client: ChainClient;
  health: NodeHealth;
  timing: Timing;
  clock: { now: number };
}

/** Creates a chain client that uses the nodes in the given order, with a clock that the test controls. */
export function clientOn(
  nodes: readonly { url: string }[],
  chain: Partial<ChainDefinition> = {},
): ClientUnderTest {
  const clock = { now: 1_700_000_000_000 };
  const now = () => clock.now;
  const health = new NodeHealth();
  const timing = new Timing(now);
  const definition = { ...testChain, rpcUrls: nodes.map(({ url }) => url), ...chain };
  return {
    client: createChainClient({ definition, health, fetch: realFetch, timing, now }),
    health,
    timing,
    clock,
  };
}
