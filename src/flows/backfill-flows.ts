import * as z from "zod";
import { type FilterLimits, toLogFilters } from "../chains/log-filter.ts";
import { readLogs } from "../chains/log-reader.ts";
import { createBudget, onOneNodeWithinBudget, type RequestBudget } from "../chains/rpc-request-budget.ts";
import type { Context } from "../context.ts";
import { type BlockRange, type BlockSet, countBlocks, intersectRange } from "../lib/block-ranges.ts";
import {
  type IndexedVault,
  type IndexState,
  loadIndexState,
  missingBlocks,
  missingBlocksOfAny,
} from "./flow-index-state.ts";
import { assertSameFinalBlock } from "./flow-reorg.ts";
import { joinFlowSources, sourceFingerprint } from "./flow-sources.ts";
import { type Indexer, indexerOf } from "./flow-store.ts";

/** Minimum number of requests to backfill one piece: for the final block, the logs, and the block of the last log. */
const MIN_REQUESTS_PER_PIECE = 3;

/** Result of one backfill run: how many blocks and flows it has read, and which blocks are still missing. */
interface BackfillReport {
  /** Number of blocks that were read, and of flow rows found in them. */
  blocks: number;
  rows: number;
  /** Requested blocks that are still missing. */
  left: BlockSet;
}

/** A block range that was read for the vaults whose history lacks it, with the number of flow rows found in it. */
export interface BackfillPiece {
  read: BlockRange;
  rows: number;
}

/**
 * Reads the blocks in `blocks` that any vault's history lacks, oldest first, as far as the budget allows, and stores
 * their flows. Throws `store_unavailable` and errors of nodes.
 */
export async function backfill(
  indexer: Indexer,
  run: {
    state: IndexState;
    blocks: BlockRange;
    budget: RequestBudget;
    onPiece?: (piece: BackfillPiece) => void;
  },
): Promise<BackfillReport> {
  const { state, budget } = run;
  const asked = intersectRange(missingBlocksOfAny(state.vaults), run.blocks);
  const report = { blocks: 0, rows: 0 };
  for (const gap of asked) {
    let next = gap.from;
    while (next <= gap.to && budget.requests >= MIN_REQUESTS_PER_PIECE && !budget.late()) {
      const piece = await backfillPiece(indexer, { state, budget, gap: { from: next, to: gap.to } });
      if (piece === null) break;
      run.onPiece?.(piece);
      report.blocks += countBlocks([piece.read]);
      report.rows += piece.rows;
      next = piece.read.to + 1;
    }
    if (next <= gap.to) return { ...report, left: intersectRange(asked, { from: next, to: run.blocks.to }) };
  }
  return { ...report, left: [] };
}

/**
 * Reads and stores the first piece of a gap in the history, up to the block where a different set of vaults is missing.
 * Returns null if the budget is exhausted.
 */
async function backfillPiece(
  indexer: Indexer,
  piece: { state: IndexState; budget: RequestBudget; gap: BlockRange },
): Promise<BackfillPiece | null> {
  const { state, budget, gap } = piece;
  const { vaults, to } = vaultsMissingAt(state.vaults, gap);
  const sources = joinFlowSources(
    indexer.chainId,
    vaults.map(({ vault }) => vault),
  );
  const filters = (limits: FilterLimits) => toLogFilters(sources, limits);
  const { logs, read } = await onOneNodeWithinBudget(indexer.client, budget, async (node, own) => {
    await assertSameFinalBlock(node, state.tip);
    return readLogs(node, { range: { from: gap.from, to }, filters, budget: own });
  });
  if (read === null) return null;
  const rows = sources.toRows(logs, read.to);
  // The database write counts towards the Worker invocation's limit of requests too.
  budget.requests -= 1;
  await indexer.store.applyHistory({
    chainId: indexer.chainId,
    read,
    vaults: vaults.map(({ vault, coverage }) => ({
      vaultAddress: coverage.vaultAddress,
      source: sourceFingerprint(vault),
    })),
    rows,
    span: budget.blocks,
    at: new Date(indexer.now()),
  });
  return { read, rows: rows.length };
}

/**
 * Returns the vaults whose history is missing at the gap's first block, and the last block up to which that set of
 * vaults stays the same.
 */
function vaultsMissingAt(
  vaults: readonly IndexedVault[],
  gap: BlockRange,
): { vaults: readonly IndexedVault[]; to: number } {
  const missing = vaults.map((vault) => ({ vault, own: intersectRange(missingBlocks(vault.coverage), gap) }));
  const lacking = missing.filter(({ own }) => own[0]?.from === gap.from);
  const others = missing.flatMap(({ own }) => own.filter(({ from }) => from > gap.from));
  const ends = [...others.map(({ from }) => from - 1), ...lacking.flatMap(({ own }) => own[0]?.to ?? [])];
  return { vaults: lacking.map(({ vault }) => vault), to: Math.min(gap.to, ...ends) };
}

/**
 * Maximum number of requests to nodes and database writes per queue message, below a Worker invocation's limit of 50.
 * The remaining blocks become the next message.
 */
const REQUESTS_PER_MESSAGE = 40;

/**
 * Schema of a queue message: the blocks `from` to `to` of one chain, both included, whose flows are to be backfilled.
 */
export const BackfillMessage = z.object({
  chain_id: z.int().positive(),
  from: z.int().min(0),
  to: z.int().min(0),
});
/** A parsed backfill message. */
export type BackfillMessage = z.infer<typeof BackfillMessage>;

/**
 * Backfills the flows of a block range and queues the remaining blocks if there is a queue. Reads nothing if the chain
 * has no stored final block. Throws `chain_unsupported`, what `backfill` throws, and the queue's errors.
 */
export async function backfillFromMessage(ctx: Context, part: BackfillMessage): Promise<BackfillReport> {
  const indexer = indexerOf(ctx, part.chain_id);
  const state = await loadIndexState(indexer);
  if (state.tip.finalBlock === null) return { blocks: 0, rows: 0, left: [] };
  const blocks = state.tip.span;
  const budget = createBudget({ requests: REQUESTS_PER_MESSAGE, blocks, topics: indexer.maxTopics });
  const report = await backfill(indexer, { state, budget, blocks: { from: part.from, to: part.to } });
  const rest = report.left[0];
  if (rest !== undefined)
    await ctx.config.flowsQueue?.sendBatch([
      { body: { chain_id: part.chain_id, from: rest.from, to: part.to } },
    ]);
  return report;
}
