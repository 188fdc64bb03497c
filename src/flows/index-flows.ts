import { createBudget, type RequestBudget } from "../chains/request-budget.ts";
import type { Context } from "../context.ts";
import { selectFailingChains } from "../db/queries/flows.ts";
import { AppError } from "../errors.ts";
import { type BlockRange, type BlockSet, countBlocks } from "../lib/blocks.ts";
import { mapConcurrently } from "../lib/concurrency.ts";
import { describeError } from "../lib/logger.ts";
import { backfill } from "./backfill.ts";
import { type Indexer, indexerOf } from "./indexer.ts";
import { auditLogs } from "./log-audit.ts";
import { findStartBlocks } from "./start-block.ts";
import { type IndexState, loadIndexState, missingBlocksOfAny } from "./state.ts";
import { indexTip, type TipReport } from "./tip.ts";

/** What one round over all chains did. */
export interface IndexRoundReport {
  chains: number;
  failed: number;
  rows: number;
  /** Blocks that are still missing in vaults' histories. */
  missing: number;
}

/**
 * Brings the flows of every chain up to its head, some at once, those whose last run failed a few at a time; one that
 * fails or hangs keeps no other from it. Never throws.
 */
export async function indexAllChains(ctx: Context): Promise<IndexRoundReport> {
  const chainIds = [...ctx.chains.definitions.keys()];
  // When nobody can tell, none is.
  const failing = await selectFailingChains(ctx.db).catch(() => new Set<number>());
  const reports = await mapConcurrently(chainIds, {
    doubtful: (chainId) => failing.has(chainId),
    // What went wrong is noted and logged where it did.
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
 * Requests to nodes that one run may make: enough for the tip of a chain whose nodes grant 50 blocks a question, and
 * with the database's and the queue's within the 50 of an invocation.
 */
const REQUESTS = 40;
/** After so long no more is read: a run of slow nodes ends before its lock does. */
const READING_MS = 40_000;
/** Runs on history that were handed out and gave no sign for this long are taken for lost. */
const BACKFILL_LOST_MS = 5 * 60_000;

/** What one run on a chain did. */
interface IndexReport extends TipReport {
  /** Blocks that some vault's history still misses. */
  missing: number;
}

const NOTHING_INDEXED: IndexReport = { indexed: 0, head: 0, rows: 0, applied: false, missing: 0 };

/**
 * Brings a chain's flows up to its head, looks for vaults' first blocks, and sees to it that missing history is read:
 * by the queue where there is one, else in what is left of this run. What the run meets is noted before it is thrown.
 * Throws `chain_unsupported`, `upstream_unavailable`, `upstream_timeout`, `store_unavailable`.
 */
export async function indexChain(ctx: Context, chainId: number): Promise<IndexReport> {
  const indexer = indexerOf(ctx, chainId);
  const startedAt = indexer.now();
  try {
    const state = await loadIndexState(indexer);
    const { headBlock, span } = state.tip;
    const late = () => indexer.now() - startedAt > READING_MS;
    const budget = createBudget({ requests: REQUESTS, blocks: span, topics: indexer.maxTopics, late });
    // A chain without vaults is not asked anything.
    const followed = state.vaults.length > 0 || headBlock !== null;
    const tip = followed ? await indexTip(indexer, { state, budget }) : NOTHING_INDEXED;
    await findStartBlocks(indexer, { state, budget });
    const missing = tip.applied ? await scheduleBackfill(ctx, { indexer, state, budget }) : 0;
    if (tip.applied && missing === 0)
      await auditLogs(indexer, { state, budget, version: state.tip.version + 1 });
    return { ...tip, missing };
  } catch (error) {
    ctx.log.warn("flows_failed", { chain_id: chainId, error: describeError(error) });
    const code = error instanceof AppError ? error.code : "upstream_unavailable";
    await indexer.store.note({ error: code });
    throw error;
  }
}

/** Sees to it that missing history is read; returns how many blocks are missing afterwards. */
async function scheduleBackfill(
  ctx: Context,
  run: { indexer: Indexer; state: IndexState; budget: RequestBudget },
): Promise<number> {
  const { indexer, budget } = run;
  const settled = run.state.vaults.every(({ coverage }) => coverage.followedFrom !== null);
  if (settled && missingBlocksOfAny(run.state.vaults).length === 0) return 0;
  // The tip has moved since, and with it what history is.
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
    await indexer.store.note({ historyAt: new Date(now) });
  }
  return countBlocks(missing);
}

/** Runs that work on one chain's history at once: public nodes bear no more. */
const BACKFILL_CONCURRENCY = 4;
/** Less than this many questions' worth of blocks is not worth a run of its own. */
const MIN_QUERIES_PER_PART = 8;

/** Divides missing blocks among runs: consecutive parts, which together hold all of them. */
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
