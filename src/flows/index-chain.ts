import type { Context } from "../context.ts";
import { AppError } from "../errors.ts";
import { countBlocks } from "../lib/blocks.ts";
import { describeError } from "../lib/log.ts";
import { backfill } from "./backfill.ts";
import { type Budget, budgetOf } from "./budget.ts";
import { findStarts } from "./find-starts.ts";
import { followTip, type TipReport } from "./follow.ts";
import { type Indexer, indexerOf } from "./indexer.ts";
import { planHistory } from "./plan-history.ts";
import { readAgain } from "./read-again.ts";
import { loadRun, missingOfAny, type RunState } from "./state.ts";

/**
 * Requests to nodes that one run may make: enough for the tip of a chain whose nodes grant 50 blocks a question, and
 * with the database's and the queue's within the 50 of an invocation.
 */
const REQUESTS = 40;
/** After so long no more is read: a run of slow nodes ends before its lock does. */
const READING_MS = 40_000;
/** Runs on history that were handed out and gave no sign for this long are taken for lost. */
const LOST_MS = 5 * 60_000;

/** What one run on a chain did. */
export interface IndexReport extends TipReport {
  /** Blocks that some vault's history still misses. */
  missing: number;
}

const NOTHING: IndexReport = { indexed: 0, head: 0, rows: 0, applied: false, missing: 0 };

/**
 * Brings a chain's flows up to its head, looks for vaults' first blocks, and sees to it that missing history is read:
 * by the queue where there is one, else in what is left of this run. What the run meets is noted before it is thrown.
 * Throws `chain_unsupported`, `upstream_unavailable`, `upstream_timeout`, `store_unavailable`.
 */
export async function indexChain(ctx: Context, chainId: number): Promise<IndexReport> {
  const indexer = indexerOf(ctx, chainId);
  const startedAt = indexer.now();
  try {
    const state = await loadRun(indexer);
    const { headBlock, span } = state.tip;
    const late = () => indexer.now() - startedAt > READING_MS;
    const budget = budgetOf({ requests: REQUESTS, span, topics: indexer.maxTopics, late });
    // A chain without vaults is not asked anything.
    const followed = state.vaults.length > 0 || headBlock !== null;
    const tip = followed ? await followTip(indexer, { state, budget }) : NOTHING;
    await findStarts(indexer, { state, budget });
    const missing = tip.applied ? await pursueHistory(ctx, { indexer, state, budget }) : 0;
    if (tip.applied && missing === 0)
      await readAgain(indexer, { state, budget, version: state.tip.version + 1 });
    return { ...tip, missing };
  } catch (error) {
    ctx.log.warn("flows_failed", { chain_id: chainId, error: describeError(error) });
    const code = error instanceof AppError ? error.code : "upstream_unavailable";
    await indexer.store.note({ error: code });
    throw error;
  }
}

/** Sees to it that missing history is read; returns how many blocks are missing afterwards. */
async function pursueHistory(
  ctx: Context,
  run: { indexer: Indexer; state: RunState; budget: Budget },
): Promise<number> {
  const { indexer, budget } = run;
  const settled = run.state.vaults.every(({ coverage }) => coverage.followedFrom !== null);
  if (settled && missingOfAny(run.state.vaults).length === 0) return 0;
  // The tip has moved since, and with it what history is.
  const state = await loadRun(indexer);
  const missing = missingOfAny(state.vaults);
  const [first, last] = [missing[0], missing.at(-1)];
  if (first === undefined || last === undefined) return 0;
  const queue = ctx.config.flowsQueue;
  if (queue === null) {
    const { left } = await backfill(indexer, { state, budget, blocks: { from: first.from, to: last.to } });
    return countBlocks(left);
  }
  const now = indexer.now();
  if (now - (state.tip.historyAt?.getTime() ?? 0) > LOST_MS) {
    const parts = planHistory(missing, state.tip.span);
    await queue.sendBatch(parts.map((part) => ({ body: { chain_id: indexer.chainId, ...part } })));
    await indexer.store.note({ historyAt: new Date(now) });
  }
  return countBlocks(missing);
}
