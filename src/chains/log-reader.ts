import type { BlockRange } from "../lib/block-ranges.ts";
import { OutsideError } from "../lib/bounded-fetch.ts";
import type { ChainClient, NodeSession } from "./chain-client.ts";
import { type ChainLog, compareLogs, requestLogs } from "./chain-logs.ts";
import { type FilterLimits, type LogFilter, longestLists, splitFilter } from "./log-filter.ts";
import { INITIAL_BLOCKS, type LogQuerySize, shrinkAfterFailure, widenRange } from "./log-range.ts";
import { SearchWidth } from "./log-search-width.ts";
import { readBlock } from "./read-block.ts";
import { createBudget, onOneNodeWithinBudget, type RequestBudget } from "./rpc-request-budget.ts";

/** Search criteria for event logs: the block range, the filters, and the order of reading. */
export interface LogQuery {
  range: BlockRange;
  /**
   * Log filters; logs that match any of them are returned. An array is split to fit the node's limits; a function
   * returns filters that already fit the limits it is given.
   */
  filters: readonly LogFilter[] | ((limits: FilterLimits) => LogFilter[]);
  /** Order of the requests and of the returned logs; by default the oldest blocks come first. */
  order?: "oldest_first" | "newest_first";
  /** Called with the logs of each block window that was read; reading stops when it returns true. */
  until?: (logs: readonly ChainLog[]) => boolean;
}

/** Event logs that were found, and the part of the block range that was read. */
export interface LogReading {
  /** The logs in the order of the query, each exactly once. */
  logs: ChainLog[];
  /**
   * The part of the block range that was read, at its beginning or (newest first) its end, or null if nothing was read.
   */
  read: BlockRange | null;
  /** True if the whole range was read, or `until` stopped the reading. */
  complete: boolean;
}

/** How a log reading spends its request budget, and how far it trusts the nodes. */
interface ReadingPolicy {
  /** Number of requests kept back for confirming what was read. */
  reservedRequests: number;
  requestsPerFilter: number;
  /** Reads the first window even without budget, so that every run makes progress. */
  insists: boolean;
  /** Verifies by block hash that the logs are on the same fork as the blocks that the node returns. */
  checksFork: boolean;
  /**
   * Treats every JSON-RPC error except those about rate limits, missing blocks and missing methods as one about the
   * request's size.
   */
  anyRefusal: boolean;
}

const INDEXING: ReadingPolicy = {
  reservedRequests: 4,
  requestsPerFilter: 2,
  insists: true,
  checksFork: true,
  anyRefusal: false,
};
const SEARCHING: ReadingPolicy = {
  reservedRequests: 0,
  requestsPerFilter: 1,
  insists: false,
  checksFork: false,
  anyRefusal: true,
};

/** Number of successful requests after a rejected one before a wider block range is tried again. */
const ANSWERS_BEFORE_WIDENING = 16;
/** Number of logs after which one reading stops, to limit the memory of a run. */
const MAX_LOGS = 10_000;

/**
 * Reads event logs from one node: one window of blocks, and more as far as the request budget allows, until it has at
 * least 10,000 logs. Throws OutsideError if the logs are on another fork than the node's blocks; errors of the node
 * propagate.
 */
export function readLogs(
  node: NodeSession,
  query: LogQuery & { budget: RequestBudget },
): Promise<LogReading> {
  return readWindows(node, { query, budget: query.budget, policy: INDEXING, width: null });
}

/**
 * Searches for event logs in windows of at most `maxBlocks` (default 2,000), with about `maxRequests` requests, until
 * it has at least 10,000 logs. The caller must verify every log, because a node may invent logs or omit some. Throws
 * the errors of `onOneNode`.
 */
export function searchLogs(
  client: Pick<ChainClient, "onOneNode" | "definition">,
  query: LogQuery & { maxRequests: number; maxBlocks?: number },
): Promise<LogReading> {
  const { maxRequests, maxBlocks = INITIAL_BLOCKS } = query;
  const topics = client.definition.maxLogTopics ?? null;
  const budget = createBudget({ requests: maxRequests, blocks: maxBlocks, topics, requestsPerNode: 1 });
  return onOneNodeWithinBudget(client, budget, (node, own) => {
    const { logLimits: limits = {} } = node;
    const width = new SearchWidth(limits, maxBlocks);
    own.blocks = width.blocks;
    own.addresses = Math.min(own.addresses, limits.addresses ?? own.addresses);
    own.topics = Math.min(own.topics, limits.topics ?? own.topics);
    return readWindows(node, { query, budget: own, policy: SEARCHING, width });
  });
}

interface Reading {
  query: LogQuery;
  budget: RequestBudget;
  policy: ReadingPolicy;
  /** Number of blocks of a search's requests; null while indexing. */
  width: SearchWidth | null;
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
      widenAfterAnswer(reading, blocks);
      ended = until?.(found) === true;
    } catch (error) {
      const { anyRefusal } = policy;
      const smaller = shrinkAfterFailure({ ...longestLists(filters), blocks }, { error, anyRefusal });
      if (smaller === null) throw error;
      applyRefusal(node, { smaller, blocks, error, reading });
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

/**
 * Returns the part of a block range that was read, given the rest that remains at either end, or null if nothing was
 * read.
 */
function difference(range: BlockRange, rest: BlockRange): BlockRange | null {
  if (rest === range) return null;
  return rest.to < range.to ? { from: rest.to + 1, to: range.to } : { from: range.from, to: rest.from - 1 };
}

/** Reduces the size of the next request, and notes for later searches what this one shows of the node's limits. */
function applyRefusal(
  node: NodeSession,
  refused: { smaller: Partial<LogQuerySize>; blocks: number; error: unknown; reading: Reading },
): void {
  const { smaller, blocks, reading } = refused;
  const { budget, width } = reading;
  Object.assign(budget, smaller);
  if (width === null) {
    if (smaller.blocks !== undefined) keepAnsweredRange(budget, blocks);
  } else if (smaller.blocks === undefined) {
    Object.assign(node.logLimits ?? {}, smaller);
  } else {
    width.refused(blocks, refused.error);
    budget.blocks = width.blocks;
  }
}

/**
 * Widens the block range after a successful request of a search, or after enough of them while indexing. Most nodes
 * have a fixed limit of blocks, so that trying a wider range after every success would waste every other request.
 */
function widenAfterAnswer({ budget, width }: Reading, blocks: number): void {
  if (width !== null) {
    width.answered(blocks);
    budget.blocks = width.blocks;
    return;
  }
  // Only a window of full width suggests that a wider one would succeed.
  if (blocks !== budget.blocks) return;
  budget.lastGranted = budget.blocks;
  if (budget.answersBeforeWidening === 0) budget.blocks = widenRange(budget.blocks);
  else budget.answersBeforeWidening -= 1;
}

/**
 * Returns to the block range of the last successful request after a rejected one, which is a better estimate than half
 * of the rejected range or the limit in the node's message.
 */
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

/**
 * Throws OutsideError if a log's block is on another fork than the block that the node returns now: many machines may
 * serve one URL.
 */
async function assertSameFork(node: NodeSession, last: ChainLog): Promise<void> {
  const { hash } = await readBlock(node, last.blockNumber);
  if (hash !== last.blockHash) throw new OutsideError("malformed", "the events are those of another fork");
}
