import { z } from "zod";
import { depositRouterAddress } from "../../src/router/router-address.ts";

/** Capabilities of a node, as far as the service needs them. */
export interface NodeReport {
  /** Null if the node serves its chain. Otherwise the problem; the other fields are then null or false. */
  problem: string | null;
  head: number | null;
  /** Seconds between the head block's timestamp and now. */
  ageS: number | null;
  /** Largest block range of one `eth_getLogs` for one contract; null when even the smallest range failed. */
  logRange: number | null;
  /** True when `eth_call` supports overriding an account's code. */
  overrides: boolean;
  /** True when the node supports `eth_simulateV1`. */
  simulates: boolean;
  /** Response time for the head block, in milliseconds. */
  ms: number | null;
}

const Answer = z.union([z.object({ result: z.unknown() }), z.object({ error: z.object({ code: z.int() }) })]);
const Quantity = z
  .string()
  .regex(/^0x[0-9a-f]+$/)
  .transform(Number);
const Block = z.object({ number: Quantity, timestamp: Quantity });
/** Block ranges to try, widest first. */
const LOG_RANGES = [100_000, 10_000, 5_000, 2_000, 1_000, 500, 100];
const TIMEOUT_MS = 10_000;
/** An unused address; with the override's code, a call to it returns the word 1. */
const STAND_IN = "0x00000000000000000000000000000000000c0de5";
const RETURNS_ONE = "0x600160005260206000f3";

/**
 * Tests one node, one request at a time; `now` is in unix milliseconds. Never throws and never repeats the node's
 * messages.
 */
export async function checkNode(node: { url: string; chainId: number; now: number }): Promise<NodeReport> {
  const { url, chainId, now } = node;
  const nothing = { head: null, ageS: null, logRange: null, overrides: false, simulates: false, ms: null };
  const answered = Quantity.safeParse(await ask(url, "eth_chainId", []));
  if (!answered.success) return { ...nothing, problem: "no answer" };
  if (answered.data !== chainId) return { ...nothing, problem: `of chain ${answered.data}` };
  const startedAt = performance.now();
  const block = Block.safeParse(await ask(url, "eth_getBlockByNumber", ["latest", false]));
  const ms = Math.round(performance.now() - startedAt);
  if (!block.success) return { ...nothing, problem: "tells no head" };
  const { number: head, timestamp } = block.data;
  return {
    problem: null,
    head,
    ageS: Math.round(now / 1000) - timestamp,
    logRange: await findLogRange(url, head),
    overrides: await obeysOverrides(url),
    simulates: Array.isArray(
      await ask(url, "eth_simulateV1", [
        { blockStateCalls: [{ calls: [{ to: STAND_IN, data: "0x" }] }] },
        "latest",
      ]),
    ),
    ms,
  };
}

/** Returns the widest block range up to the head for which the node returns one contract's logs. */
async function findLogRange(url: string, head: number): Promise<number | null> {
  for (const range of LOG_RANGES) {
    if (range > head + 1 && range !== LOG_RANGES.at(-1)) continue;
    const fromBlock = `0x${Math.max(0, head - range + 1).toString(16)}`;
    const filter = { address: depositRouterAddress, fromBlock, toBlock: `0x${head.toString(16)}` };
    if (Array.isArray(await ask(url, "eth_getLogs", [filter]))) return range;
  }
  return null;
}

async function obeysOverrides(url: string): Promise<boolean> {
  const call = { to: STAND_IN, data: "0x" };
  const answer = await ask(url, "eth_call", [call, "latest", { [STAND_IN]: { code: RETURNS_ONE } }]);
  return answer === `0x${"1".padStart(64, "0")}`;
}

/** Returns the result of a request, or undefined on any failure. */
async function ask(url: string, method: string, params: readonly unknown[]): Promise<unknown> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const parsed = Answer.parse(await response.json());
    return "result" in parsed ? parsed.result : undefined;
  } catch {
    return undefined;
  }
}
