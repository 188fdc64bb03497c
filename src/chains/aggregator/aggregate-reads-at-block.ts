import type { NodeSession } from "../chain-client.ts";
import type { Query, Read, ReadResult } from "../chain-reads.ts";
import { RpcError } from "../json-rpc.ts";
import { RpcData, toRpcQuantity } from "../rpc-values.ts";
import { settleRead } from "./aggregate-reads.ts";
import { type CallResult, decodeResults, encodeCalls, sliceCalls } from "./aggregator-codec.ts";

/**
 * Runs a query with its further batches on the state after a block, all on one node. A read that could not be made or
 * ran out of gas counts as failed. Throws an Error for a malformed result; errors of the node and of the query's own
 * functions propagate.
 */
export async function runQueryAtBlock<S>(
  node: Pick<NodeSession, "request">,
  asked: { query: Query<S>; block: number },
): Promise<S> {
  const { query, block } = asked;
  const results = await readAtBlock(node, { reads: query.reads, block });
  const next = query.next?.(results) ?? null;
  return next === null ? query.interpret(results) : runQueryAtBlock(node, { query: next, block });
}

/** Matches error messages about state or logs that a node does not keep; implementations word them differently. */
const NOT_KEPT =
  /missing trie node|state\b.* (?:is |are )?(?:not available|unavailable|pruned|missing)|no state (?:available|found)|pruned|pruning|archive (?:requests?|data|access)|archive,/i;
/** Matches error messages about a failure that passes. */
const PASSING = /temporar|\bagain\b|time(?:d |-)?out|overload|\bbusy\b|\brate\b/i;

/**
 * Returns true if a node's error seems to mean that it can never execute the calls at an old block: it does not keep
 * the block's state, or the `eth_call` reverts, as it does where the chain lacked an instruction at that time.
 */
export function isBlockUnreadable(error: unknown): boolean {
  if (!(error instanceof RpcError)) return false;
  return error.kind === "revert" || (NOT_KEPT.test(error.message) && !PASSING.test(error.message));
}

async function readAtBlock(
  node: Pick<NodeSession, "request">,
  asked: { reads: Readonly<Record<string, Read<unknown>>>; block: number },
): Promise<Record<string, ReadResult<unknown>>> {
  const reads = Object.entries(asked.reads);
  const results: CallResult[] = [];
  for (const calls of sliceCalls(reads.map(([, read]) => read))) {
    const params = [{ data: encodeCalls(calls) }, toRpcQuantity(asked.block)];
    const answer = RpcData.parse(await node.request("eth_call", params));
    results.push(...decodeResults(answer, calls.length).results);
  }
  return Object.fromEntries(reads.map(([name, read], i) => [name, settleRead(read, results[i] ?? null)]));
}
