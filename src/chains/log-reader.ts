import type { BlockRange } from "../lib/block-ranges.ts";
import { OutsideError } from "../lib/bounded-fetch.ts";
import type { ChainClient, NodeSession } from "./chain-client.ts";
import { type FilterLimits, type LogFilter, longestLists, splitFilter } from "./log-filter.ts";
import { INITIAL_BLOCKS, type LogQuerySize, shrinkAfterFailure, widenRange } from "./log-range.ts";
import { readBlock } from "./read-block.ts";
import { type ChainLog, compareLogs, requestLogs } from "./request-logs.ts";
import { createBudget, onOneNodeWithinBudget, type RequestBudget } from "./rpc-request-budget.ts";

/** Logs that are wanted of a range of blocks. */
export interface LogQuery {
  range: BlockRange;
  /** Filters whose union is wanted; they are split to the limits of the node. A function splits them itself. */
  filters: readonly LogFilter[] | ((limits: FilterLimits) => LogFilter[]);
  /** Order of the requests and of the result; the oldest blocks first by default. */
  order?: "oldest_first" | "newest_first";
  /** Called with the logs of each answered window; true ends the reading. */
  until?: (logs: readonly ChainLog[]) => boolean;
}

/** Logs that were found, and how far the reading got. */
export interface LogReading {
  /** Each log once, in the order of the query. */
  logs: ChainLog[];
  /** The part of the range that was read; null when nothing was. */
  read: BlockRange | null;
  /** True when the whole range was read, or `until` ended the reading. */
  complete: boolean;
}

/** How a reading spends its budget and whom it believes. */
interface ReadingPolicy {
  /** Requests that are kept back for those that confirm what was read. */
  reservedRequests: number;
  requestsPerFilter: number;
  /** Goes on without budget until one window was read, so that every run makes progress. */
  insists: boolean;
  /** Tries wider ranges after answers. */
  widens: boolean;
  /** Checks by block hash that the logs are from the chain whose blocks the node returns. */
  checksFork: boolean;
  /** Takes every refusal for one of size. */
  anyRefusal: boolean;
}

const INDEXING: ReadingPolicy = {
  reservedRequests: 4,
  requestsPerFilter: 2,
  insists: true,
  widens: true,
  checksFork: true,
  anyRefusal: false,
};
const SEARCHING: ReadingPolicy = {
  reservedRequests: 0,
  requestsPerFilter: 1,
  insists: false,
  widens: false,
  checksFork: false,
  anyRefusal: true,
};

/** Answers to wait for after a refusal before a wider range is tried again. */
const ANSWERS_BEFORE_WIDENING = 16;
/** Logs of one reading: what a run may hold in memory. */
const MAX_LOGS = 10_000;

/**
 * Reads logs for an index, on one node and as far as the budget goes: every answer is validated and checked against the
 * node's own blocks. Requests that the node refuses by size are made smaller, and wider again after many answers; the
 * budget learns it. The first window is read whatever it costs. Throws OutsideError for contradictory answers and
 * whatever the node says when it refuses even the smallest request.
 */
export function readLogs(
  node: NodeSession,
  query: LogQuery & { budget: RequestBudget },
): Promise<LogReading> {
  return readWindows(node, { query, budget: query.budget, policy: INDEXING });
}

/**
 * Searches for logs with at most `maxRequests` requests over all nodes, in windows of at most `maxBlocks` blocks or the
 * width that the node is known to accept. A hit is a hint for the caller to verify, a miss is no proof of absence; see
 * `complete`. Throws as the client's `onOneNode`.
 */
export function searchLogs(
  client: Pick<ChainClient, "onOneNode" | "definition">,
  query: LogQuery & { maxRequests: number; maxBlocks?: number },
): Promise<LogReading> {
  const { maxRequests, maxBlocks = INITIAL_BLOCKS } = query;
  const topics = client.definition.maxLogTopics ?? null;
  const budget = createBudget({ requests: maxRequests, blocks: maxBlocks, topics, requestsPerNode: 1 });
  return onOneNodeWithinBudget(client, budget, (node, own) => {
    own.blocks = Math.min(maxBlocks, node.logLimits?.blocks ?? maxBlocks);
    own.addresses = Math.min(own.addresses, node.logLimits?.addresses ?? own.addresses);
    own.topics = Math.min(own.topics, node.logLimits?.topics ?? own.topics);
    return readWindows(node, { query, budget: own, policy: SEARCHING });
  });
}

interface Reading {
  query: LogQuery;
  budget: RequestBudget;
  policy: ReadingPolicy;
}

async function readWindows(node: NodeSession, reading: Reading): Promise<LogReading> {
  const { query, budget, policy } = reading;
  const { range, until } = query;
  const newestFirst = query.order === "newest_first";
  const logs: ChainLog[] = [];
  let rest = range;
  let asked = false;
  let ended = false;
  while (!ended && rest.from <= rest.to && logs.length < MAX_LOGS) {
    const filters = filtersWithin(query, budget);
    const progress = policy.insists ? rest !== range : asked;
    if (progress && !affordsWindow(filters, reading)) break;
    asked = true;
    const window = nextWindow(rest, { blocks: budget.blocks, newestFirst });
    const blocks = window.to - window.from + 1;
    try {
      const found = await readWindow(node, { window, filters, policy });
      for (const log of newestFirst ? found.reverse() : found) logs.push(log);
      rest = newestFirst ? { from: rest.from, to: window.from - 1 } : { from: window.to + 1, to: rest.to };
      // Only a full window says that a wider one would be answered.
      if (policy.widens && blocks === budget.blocks) widenAfterAnswer(budget);
      ended = until?.(found) === true;
    } catch (error) {
      const { anyRefusal } = policy;
      const smaller = shrinkAfterFailure({ ...longestLists(filters), blocks }, { error, anyRefusal });
      if (smaller === null) throw error;
      applyRefusal(node, { smaller, blocks, reading });
    }
  }
  return { logs, read: difference(range, rest), complete: ended || rest.from > rest.to };
}

const filtersWithin = ({ filters }: LogQuery, limits: FilterLimits): LogFilter[] =>
  typeof filters === "function" ? filters(limits) : filters.flatMap((filter) => splitFilter(filter, limits));

function affordsWindow(filters: readonly LogFilter[], { budget, policy }: Reading): boolean {
  return (
    !budget.late() && budget.requests >= policy.reservedRequests + policy.requestsPerFilter * filters.length
  );
}

function nextWindow(rest: BlockRange, by: { blocks: number; newestFirst: boolean }): BlockRange {
  return by.newestFirst
    ? { from: Math.max(rest.from, rest.to - by.blocks + 1), to: rest.to }
    : { from: rest.from, to: Math.min(rest.to, rest.from + by.blocks - 1) };
}

/** The part of a range that was read when `rest`, at either of its ends, is left. */
function difference(range: BlockRange, rest: BlockRange): BlockRange | null {
  if (rest === range) return null;
  return rest.to < range.to ? { from: rest.to + 1, to: range.to } : { from: range.from, to: rest.from - 1 };
}

/** Takes the smaller size into the budget, and for searches into the isolate's memory of the node. */
function applyRefusal(
  node: NodeSession,
  refused: { smaller: Partial<LogQuerySize>; blocks: number; reading: Reading },
): void {
  const { smaller, blocks, reading } = refused;
  const { budget, policy } = reading;
  Object.assign(budget, smaller);
  if (!policy.widens) Object.assign(node.logLimits ?? {}, smaller);
  else if (smaller.blocks !== undefined) keepAnsweredRange(budget, blocks);
}

/** Most nodes have a fixed limit of blocks: a wider range after every answer would waste every other request. */
function widenAfterAnswer(budget: RequestBudget): void {
  budget.lastGranted = budget.blocks;
  if (budget.answersBeforeWidening === 0) budget.blocks = widenRange(budget.blocks);
  else budget.answersBeforeWidening -= 1;
}

/** Returns to the width that was answered just before: it says more than half of the refused one, or a node's message. */
function keepAnsweredRange(budget: RequestBudget, refused: number): void {
  if (budget.lastGranted < refused) budget.blocks = Math.max(budget.blocks, budget.lastGranted);
  else budget.lastGranted = 0;
  budget.answersBeforeWidening = ANSWERS_BEFORE_WIDENING;
}

async function readWindow(
  node: NodeSession,
  input: { window: BlockRange; filters: readonly LogFilter[]; policy: ReadingPolicy },
): Promise<ChainLog[]> {
  const found = new Map<string, ChainLog>();
  const checked = new Set<number>();
  for (const filter of input.filters) {
    const logs = await requestLogs(node, { range: input.window, filter });
    for (const log of logs) found.set(`${log.txHash} ${log.logIndex}`, log);
    const last = logs.at(-1);
    if (!input.policy.checksFork || last === undefined || checked.has(last.blockNumber)) continue;
    await assertSameFork(node, last);
    checked.add(last.blockNumber);
  }
  return [...found.values()].sort(compareLogs);
}

/** Many machines may answer behind one address: the one that returned the logs must be on the chain of the others. */
async function assertSameFork(node: NodeSession, last: ChainLog): Promise<void> {
  const { hash } = await readBlock(node, last.blockNumber);
  if (hash !== last.blockHash) throw new OutsideError("malformed", "the events are those of another fork");
}
