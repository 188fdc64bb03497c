import type { BlockRange } from "../lib/blocks.ts";
import { OutsideError } from "../lib/bounded-fetch.ts";
import { readBlock } from "./blocks.ts";
import type { NodeSession } from "./client.ts";
import { RpcError } from "./json-rpc.ts";
import { type LogQuerySize, reduceLimit, shrinkQuery, widenRange } from "./log-range.ts";
import { type ChainLog, readLogs } from "./logs.ts";
import type { RequestBudget } from "./request-budget.ts";

/** Events that are wanted of contracts. Addresses and topics are lower case. */
export interface LogSubscription {
  /** First topics of all wanted events. */
  topics: readonly string[];
  /** The first topics wanted of each contract. */
  topicsBy: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Contracts and the first topics of events of one `eth_getLogs` request. */
export interface LogFilter {
  addresses: readonly string[];
  topics: readonly string[];
}

/** Returns the filters that together cover a subscription, each within what a node grants; no event is asked for twice. */
export function toLogFilters(
  sources: LogSubscription,
  grants: { addresses: number; topics: number },
): LogFilter[] {
  return chunk(sources.topics, grants.topics).flatMap((topics) => {
    const emitters = [...sources.topicsBy].filter(([, wanted]) => topics.some((topic) => wanted.has(topic)));
    const addresses = emitters.map(([address]) => address);
    return chunk(addresses, grants.addresses).map((some) => ({ addresses: some, topics }));
  });
}

function chunk(list: readonly string[], size: number): string[][] {
  const count = Math.ceil(list.length / size);
  return Array.from({ length: count }, (_, index) => list.slice(index * size, (index + 1) * size));
}

/** Requests that are kept back: those that confirm what was read. */
const RESERVED_REQUESTS = 4;
/** Questions of a length that was granted, before a longer one than was refused is tried again. */
const ANSWERS_BEFORE_WIDENING = 16;
/** Events kept at once: what a run may hold in memory. */
const MAX_LOGS = 10_000;

/**
 * Reads the events of blocks in ascending order, as far as the budget goes, in questions that the node grants: what
 * it refuses is made smaller and asked again, an answered one makes the next span a little wider, unless a wider one
 * was refused just before. The first question is asked whatever it costs, so that every run gets on. Changes the budget, which the node's requests pay from.
 * Returns the events and the last block that was read, `span.from - 1` when none was.
 * Throws what the node says when it refuses even the smallest question.
 */
export async function readLogRange(
  node: NodeSession,
  input: { span: BlockRange; sources: LogSubscription; budget: RequestBudget },
): Promise<{ logs: ChainLog[]; to: number }> {
  const { span, sources, budget } = input;
  const logs: ChainLog[] = [];
  let next = span.from;
  while (next <= span.to && logs.length < MAX_LOGS) {
    const filters = toLogFilters(sources, budget);
    const spent = budget.late() || budget.requests < RESERVED_REQUESTS + 2 * filters.length;
    if (next > span.from && spent) break;
    const asked = { from: next, to: Math.min(span.to, next + budget.span - 1) };
    try {
      const found = await readFilters(node, { asked, filters });
      for (const log of found) logs.push(log);
      next = asked.to + 1;
      // Only a full question says that more would be granted.
      if (asked.to - asked.from + 1 === budget.span) widenAfterAnswer(budget);
    } catch (error) {
      const smaller = shrinkAfterRefusal(
        { ...largestFilter(filters), span: asked.to - asked.from + 1 },
        error,
      );
      if (smaller === null) throw error;
      Object.assign(budget, smaller);
      if (smaller.span !== undefined) keepAnsweredRange(budget, asked.to - asked.from + 1);
    }
  }
  return { logs, to: next - 1 };
}

/** Most nodes refuse by a fixed number of blocks: asking for one more each time would cost every other request. */
function widenAfterAnswer(budget: RequestBudget): void {
  budget.granted = budget.span;
  if (budget.contentFor === 0) budget.span = widenRange(budget.span);
  else budget.contentFor -= 1;
}

/** After so many blocks were refused: what was answered just before says more than half of them, or a node's words. */
function keepAnsweredRange(budget: RequestBudget, refused: number): void {
  if (budget.granted < refused) budget.span = Math.max(budget.span, budget.granted);
  else budget.granted = 0;
  budget.contentFor = ANSWERS_BEFORE_WIDENING;
}

async function readFilters(
  node: NodeSession,
  input: { asked: BlockRange; filters: readonly LogFilter[] },
): Promise<ChainLog[]> {
  const found: ChainLog[] = [];
  const checked = new Set<number>();
  for (const filter of input.filters) {
    const logs = await readLogs(node, { span: input.asked, ...filter });
    for (const log of logs) found.push(log);
    const last = logs.at(-1);
    if (last !== undefined && !checked.has(last.blockNumber)) await assertSameFork(node, last);
    if (last !== undefined) checked.add(last.blockNumber);
  }
  return found.sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex);
}

/** Behind one address there may be many machines: the one that told the events must be on the chain of the others. */
async function assertSameFork(node: NodeSession, last: ChainLog): Promise<void> {
  const { hash } = await readBlock(node, last.blockNumber);
  if (hash !== last.blockHash) throw new OutsideError("malformed", "the events are those of another fork");
}

/** The size of the largest question of a round. */
function largestFilter(filters: readonly LogFilter[]): { addresses: number; topics: number } {
  return {
    addresses: Math.max(1, ...filters.map(({ addresses }) => addresses.length)),
    topics: Math.max(1, ...filters.map(({ topics }) => topics.length)),
  };
}

/** What to ask next after a question of that size failed; null: the failure has nothing to do with its size. */
function shrinkAfterRefusal(asked: LogQuerySize, error: unknown): Partial<LogQuerySize> | null {
  if (error instanceof RpcError) return shrinkQuery(asked, error.message);
  const tooMuch = error instanceof OutsideError && (error.kind === "too_large" || error.kind === "timeout");
  return tooMuch && asked.span > 1 ? { span: reduceLimit(asked.span, "") } : null;
}
