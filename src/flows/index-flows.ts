import { createBudget, type RequestBudget } from "../chains/rpc-request-budget.ts";
import type { Context } from "../context.ts";
import { selectFailingChains } from "../db/queries/flow-queries.ts";
import { AppError } from "../errors.ts";
import { type BlockRange, type BlockSet, countBlocks } from "../lib/block-ranges.ts";
import { mapConcurrently } from "../lib/concurrency.ts";
import { describeError } from "../lib/logger.ts";
import { auditLogs } from "./audit-flow-logs.ts";
import { backfill } from "./backfill-flows.ts";
import { convertStoredFlows } from "./convert-flow-amounts.ts";
import { type IndexState, loadIndexState, missingBlocksOfAny } from "./flow-index-state.ts";
import { findStartBlocks } from "./flow-start-block.ts";
import { type Indexer, indexerOf } from "./flow-store.ts";
import { indexTip, type TipReport } from "./index-flow-tip.ts";

/**
 * Result of one index run over all chains: the numbers of chains, of chains that failed, and of flow rows read at the
 * tips.
 */
export interface IndexRoundReport {
  chains: number;
  failed: number;
  rows: number;
  /**
   * Number of blocks still missing from vaults' flow histories, without vaults whose start block is unknown, and chains
   * whose run failed or stored nothing.
   */
  missing: number;
}

/**
 * Indexes the flows of every served chain with `indexChain`, several chains at a time. Errors of chains are counted in
 * `failed`, not thrown.
 */
export async function indexAllChains(ctx: Context): Promise<IndexRoundReport> {
  const chainIds = [...ctx.chains.definitions.keys()];
  // If the database fails, every chain counts as healthy.
  const failing = await selectFailingChains(ctx.db).catch(() => new Set<number>());
  const reports = await mapConcurrently(chainIds, {
    doubtful: (chainId) => failing.has(chainId),
    // `indexChain` has recorded and logged the error.
    work: (chainId) => indexAndLog(ctx, chainId).catch(() => null),
  });
  const done = reports.flatMap((report) => report ?? []);
  const sum = (of: (report: IndexReport) => number): number =>
    done.reduce((total, report) => total + of(report), 0);
  return {
    chains: chainIds.length,
    failed: chainIds.length - done.length,
    rows: sum(({ rows }) => rows),
    missing: sum(({ missing }) => missing),
  };
}

async function indexAndLog(ctx: Context, chainId: number): Promise<IndexReport> {
  const startedAt = ctx.now();
  const report = await indexChain(ctx, chainId);
  ctx.log.info("flows_indexed", { chain_id: chainId, ms: ctx.now() - startedAt, ...report });
  return report;
}

/**
 * Maximum number of requests to nodes in one run: enough for the tip on nodes that accept 50 blocks per request, and
 * with the requests to the database and the queue below a Worker invocation's limit of 50.
 */
const REQUESTS = 40;
/**
 * Time after which a run reads no more logs, in milliseconds, so that one on slow nodes does not hold up the next.
 */
const READING_MS = 40_000;
/** Time without progress after which queued backfill messages count as lost, in milliseconds. */
const BACKFILL_LOST_MS = 5 * 60_000;

/** Number of runs on a chain for each audit of its logs, which costs half as many requests as a run without flows. */
const RUNS_PER_AUDIT = 4;

/** Result of one index run on a chain. */
interface IndexReport extends TipReport {
  /** Number of blocks that are still missing from any vault's flow history. */
  missing: number;
}

const NOTHING_INDEXED: IndexReport = { indexed: 0, head: 0, rows: 0, applied: false, missing: 0 };

/**
 * Indexes the flows of one chain within a budget of requests and time: the newest blocks, then missing older ones, in
 * the queue if there is one. Throws `chain_unsupported`; logs any other error, stores its code and throws it.
 */
export async function indexChain(ctx: Context, chainId: number): Promise<IndexReport> {
  const indexer = indexerOf(ctx, chainId);
  const startedAt = indexer.now();
  try {
    const state = await loadIndexState(indexer);
    const { headBlock, span } = state.tip;
    const late = () => indexer.now() - startedAt > READING_MS;
    const budget = createBudget({ requests: REQUESTS, blocks: span, topics: indexer.maxTopics, late });
    // A chain without vaults needs no requests.
    const followed = state.vaults.length > 0 || headBlock !== null;
    const tip = followed ? await indexTip(indexer, { state, budget }) : NOTHING_INDEXED;
    await findStartBlocks(indexer, { state, budget });
    // Only a new tip clears an error, and a run without a tip would leave it for good.
    if (!followed && state.tip.error !== null) await indexer.store.noteRun({ error: null });
    const missing = tip.applied ? await scheduleBackfill(ctx, { indexer, state, budget }) : 0;
    const version = state.tip.version + 1;
    const audited = tip.applied && missing === 0 && version % RUNS_PER_AUDIT === 0;
    if (audited) await auditLogs(indexer, { state, budget, version });
    // Conversions that fail use up the requests of any run, so that an audit needs a run without them.
    else if (tip.applied) await convertStoredFlows(indexer, { state, budget });
    return { ...tip, missing };
  } catch (error) {
    ctx.log.warn("flows_failed", { chain_id: chainId, error: describeError(error) });
    const code = error instanceof AppError ? error.code : "upstream_unavailable";
    await indexer.store.noteRun({ error: code });
    throw error;
  }
}

/** Queues or runs the backfill of missing blocks, and returns how many are still missing. */
async function scheduleBackfill(
  ctx: Context,
  run: { indexer: Indexer; state: IndexState; budget: RequestBudget },
): Promise<number> {
  const { indexer, budget } = run;
  const settled = run.state.vaults.every(({ coverage }) => coverage.followedFrom !== null);
  if (settled && missingBlocksOfAny(run.state.vaults).length === 0) return 0;
  // The tip has moved since the state was loaded, and with it the missing blocks.
  const state = await loadIndexState(indexer);
  const missing = missingBlocksOfAny(state.vaults);
  const [first, last] = [missing[0], missing.at(-1)];
  if (first === undefined || last === undefined) return 0;
  const queue = ctx.config.flowsQueue;
  if (queue === null) {
    const { left } = await backfill(indexer, { state, budget, blocks: { from: first.from, to: last.to } });
    return countBlocks(left);
  }
  const now = indexer.now();
  if (now - (state.tip.historyAt?.getTime() ?? 0) > BACKFILL_LOST_MS) {
    const parts = splitBackfill(missing, state.tip.span);
    await queue.sendBatch(parts.map((part) => ({ body: { chain_id: indexer.chainId, ...part } })));
    await indexer.store.noteRun({ historyAt: new Date(now) });
  }
  return countBlocks(missing);
}

/** Maximum number of concurrent backfill messages per chain; public nodes do not sustain more. */
const BACKFILL_CONCURRENCY = 4;
/** Minimum size of a backfill message, in `eth_getLogs` requests. */
const MIN_QUERIES_PER_PART = 8;

/**
 * Divides missing blocks into at most four consecutive ranges, which together contain all of them and the blocks in
 * between. `span` is the number of blocks of one `eth_getLogs` request. Empty if nothing is missing.
 */
export function splitBackfill(missing: BlockSet, span: number): BlockRange[] {
  const [first, last] = [missing[0], missing.at(-1)];
  if (first === undefined || last === undefined) return [];
  const count = countBlocks(missing);
  const lanes = Math.max(
    1,
    Math.min(BACKFILL_CONCURRENCY, Math.floor(count / (span * MIN_QUERIES_PER_PART))),
  );
  const share = Math.ceil(count / lanes);
  const parts: BlockRange[] = [];
  let [from, taken] = [first.from, 0];
  for (const gap of missing) {
    let at = gap.from;
    while (taken + gap.to - at + 1 >= share && parts.length < lanes - 1) {
      const to = at + share - taken - 1;
      parts.push({ from, to });
      [from, at, taken] = [to + 1, to + 1, 0];
    }
    taken += gap.to - at + 1;
  }
  return from > last.to ? parts : [...parts, { from, to: last.to }];
}
