import { z } from "zod";
import { depositRouterAddress } from "../../src/router/address.ts";

/** What a node can do of what the service asks of nodes. */
export interface NodeReport {
  /** Null: it is of the chain that it stands for; else what is wrong, and the rest was not asked. */
  problem: string | null;
  head: number | null;
  /** Seconds between the head's time and now. */
  ageS: number | null;
  /** The most blocks that one `eth_getLogs` of one contract took; null: not even the fewest that were tried. */
  logRange: number | null;
  /** Whether `eth_call` obeys overrides of an account's code. */
  overrides: boolean;
  /** Whether it has `eth_simulateV1`. */
  simulates: boolean;
  /** How long it took to tell its head. */
  ms: number | null;
}

const Answer = z.union([z.object({ result: z.unknown() }), z.object({ error: z.object({ code: z.int() }) })]);
const Quantity = z
  .string()
  .regex(/^0x[0-9a-f]+$/)
  .transform(Number);
const Block = z.object({ number: Quantity, timestamp: Quantity });
/** Widest first. */
const LOG_RANGES = [100_000, 10_000, 5_000, 2_000, 1_000, 500, 100];
const TIMEOUT_MS = 10_000;
/** Nobody's; a call of it returns what the override's code does: the word 1. */
const STAND_IN = "0x00000000000000000000000000000000000c0de5";
const RETURNS_ONE = "0x600160005260206000f3";

/** Asks one node, one request after the other. Never throws; no answer of the node is repeated. */
export async function checkNode(node: { url: string; chainId: number; now: number }): Promise<NodeReport> {
  const { url, chainId, now } = node;
  const nothing = { head: null, ageS: null, logRange: null, overrides: false, simulates: false, ms: null };
  const told = Quantity.safeParse(await ask(url, "eth_chainId", []));
  if (!told.success) return { ...nothing, problem: "no answer" };
  if (told.data !== chainId) return { ...nothing, problem: `of chain ${told.data}` };
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

/** Asks for one contract's logs up to the head, in ever fewer blocks. */
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

/** The result, or undefined for whatever else comes back, or nothing. */
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
