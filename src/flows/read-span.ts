import type { NodeSession } from "../chains/client.ts";
import { RpcError } from "../chains/json-rpc.ts";
import { type ChainLog, readHead, readLogs } from "../chains/logs.ts";
import type { BlockSpan } from "../lib/blocks.ts";
import { OutsideError } from "../lib/bounded-fetch.ts";
import type { Sources } from "./sources.ts";
import { narrow, refusesSize, widen } from "./span.ts";

/** Contracts in one question: more make some nodes refuse. */
const ADDRESSES = 500;
/** Events kept at once: what a run may hold in memory. */
const MANY_LOGS = 10_000;

/** Bounds of one run's reading: questions about logs, and the span that the next one covers. */
export interface Budget {
  questions: number;
  span: number;
}

/**
 * Reads the events of blocks in ascending order, as far as the budget goes, in spans that the node grants: a refused
 * one is halved and asked again, an answered one makes the next a little wider. Changes the budget.
 * Returns the events and the last block that was read, `span.from - 1` when none was.
 * Throws what the node says when it refuses even one block.
 */
export async function readSpan(
  node: NodeSession,
  input: { span: BlockSpan; sources: Sources; budget: Budget },
): Promise<{ logs: ChainLog[]; to: number }> {
  const { span, sources, budget } = input;
  const logs: ChainLog[] = [];
  let next = span.from;
  while (next <= span.to && budget.questions > 0 && logs.length < MANY_LOGS) {
    const asked = { from: next, to: Math.min(span.to, next + budget.span - 1) };
    try {
      const found = await ask(node, { asked, sources, budget });
      for (const log of found) logs.push(log);
      next = asked.to + 1;
      // Only a full question says that more would be granted.
      if (asked.to - asked.from + 1 === budget.span) budget.span = widen(budget.span);
    } catch (error) {
      const refusal = refusalOf(error);
      const blocks = asked.to - asked.from + 1;
      if (refusal === null || blocks === 1) throw error;
      budget.span = narrow(blocks, refusal);
    }
  }
  return { logs, to: next - 1 };
}

async function ask(
  node: NodeSession,
  input: { asked: BlockSpan; sources: Sources; budget: Budget },
): Promise<ChainLog[]> {
  const { addresses, topics } = input.sources;
  const found: ChainLog[] = [];
  for (let start = 0; start < addresses.length; start += ADDRESSES) {
    input.budget.questions -= 1;
    const some = addresses.slice(start, start + ADDRESSES);
    for (const log of await readLogs(node, { span: input.asked, addresses: some, topics })) found.push(log);
  }
  await refuseOtherFork(node, found.at(-1));
  return found;
}

/** Behind one address there may be many machines: the one that told the events must be on the chain of the others. */
async function refuseOtherFork(node: NodeSession, last: ChainLog | undefined): Promise<void> {
  if (last === undefined) return;
  const { hash } = await readHead(node, last.blockNumber);
  if (hash !== last.blockHash) throw new OutsideError("malformed", "the events are those of another fork");
}

/** The words of a failure that a smaller question may not meet; null: it has nothing to do with the size. */
function refusalOf(error: unknown): string | null {
  if (error instanceof RpcError) return refusesSize(error.message) ? error.message : null;
  const tooMuch = error instanceof OutsideError && (error.kind === "too_large" || error.kind === "timeout");
  return tooMuch ? "" : null;
}
