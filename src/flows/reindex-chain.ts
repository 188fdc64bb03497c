import { INITIAL_BLOCKS } from "../chains/log-range.ts";
import { createBudget, type RequestBudget } from "../chains/rpc-request-budget.ts";
import type { Context } from "../context.ts";
import { countBlocks } from "../lib/block-ranges.ts";
import { backfill } from "./backfill-flows.ts";
import { type IndexState, loadIndexState, missingBlocksOfAny } from "./flow-index-state.ts";
import { findStartBlocks } from "./flow-start-block.ts";
import { type Indexer, indexerOf } from "./flow-store.ts";
import { indexTip } from "./index-flow-tip.ts";

/** Progress of a reindex. */
export interface ReindexProgress {
  /** Number of historical blocks read so far. */
  done: number;
  /** Number of historical blocks to read in total, as known in this round. */
  of: number;
  /** Approximate number of flows found, those of the newest blocks included. */
  rows: number;
}

const UNBOUNDED_REQUESTS = 1_000_000;
/**
 * Maximum number of rounds. Each round reads the tip and then the history, because the chain advances in the meantime.
 */
const ROUNDS = 100;

/**
 * Reads and stores the missing flows of a chain's vaults in one run, which is too long for a Worker; vaults whose start
 * block is not found are left out. If `from` is not null, first rewinds the index to it (`FlowStore.rewind`).
 * `onProgress` is called after each stored part of the history. Throws `chain_unsupported`, errors of nodes and the
 * database, and a RangeError if a round reads no missing block or blocks are missing after 100 rounds.
 */
export async function reindexChain(
  ctx: Context,
  input: { chainId: number; from: number | null; onProgress: (progress: ReindexProgress) => void },
): Promise<ReindexProgress> {
  const indexer = indexerOf(ctx, input.chainId);
  const progress: ReindexProgress = { done: 0, of: 0, rows: 0 };
  if (input.from !== null) {
    await loadIndexState(indexer);
    await indexer.store.rewind(input.from);
  }
  let tipRows = 0;
  let pastRows = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const budget = createBudget({
      requests: UNBOUNDED_REQUESTS,
      blocks: INITIAL_BLOCKS,
      topics: indexer.maxTopics,
    });
    const before = await loadWithStartBlocks(indexer, budget);
    budget.blocks = before.tip.span;
    const { rows } = await indexTip(indexer, { state: before, budget });
    // Each round reads the tip again: its rows are the same ones and new ones.
    tipRows = Math.max(tipRows, rows);
    progress.rows = tipRows + pastRows;
    const state = await loadIndexState(indexer);
    const missing = missingBlocksOfAny(state.vaults);
    const [first, last] = [missing[0], missing.at(-1)];
    if (first === undefined || last === undefined) return progress;
    progress.of = progress.done + countBlocks(missing);
    const report = await backfill(indexer, {
      state,
      budget,
      blocks: { from: first.from, to: last.to },
      onPiece: ({ read, rows: found }) => {
        progress.done += countBlocks([read]);
        pastRows += found;
        progress.rows = tipRows + pastRows;
        input.onProgress({ ...progress });
      },
    });
    if (report.blocks === 0) throw new RangeError("history does not advance");
  }
  throw new RangeError(`blocks are missing after ${ROUNDS} rounds`);
}

/**
 * Loads the state of a chain's flow index after searching the start blocks of all vaults, as far as they can be found.
 */
async function loadWithStartBlocks(indexer: Indexer, budget: RequestBudget): Promise<IndexState> {
  let state = await loadIndexState(indexer);
  for (let round = 0; round < ROUNDS && state.withoutStart.length > 0; round += 1) {
    await findStartBlocks(indexer, { state, budget });
    state = await loadIndexState(indexer);
  }
  return state;
}
