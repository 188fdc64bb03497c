import { type BlockSet, type BlockSpan, countBlocks, within } from "../lib/blocks.ts";
import { type Budget, onOneNodeWithin } from "./budget.ts";
import type { Indexer } from "./indexer.ts";
import { readSpan } from "./read-span.ts";
import { refuseOtherChain } from "./refuse-other-chain.ts";
import { describeSource, joinSources } from "./sources.ts";
import { type IndexedVault, missingHistory, missingOfAny, type RunState } from "./state.ts";

/** Requests that a piece takes at least: a look at the final block, a question, a look at its last event's block. */
const LEAST = 3;

/** What one run on history did. */
export interface HistoryReport {
  /** Blocks that were read, and events that were found in them. */
  blocks: number;
  rows: number;
  /** What of the asked blocks is still missing. */
  left: BlockSet;
}

/** A part of history that was stored, and the events in it. */
export interface Piece {
  read: BlockSpan;
  rows: number;
}

/**
 * Reads and stores what of some blocks is missing for any vault, oldest first, as far as the budget goes. Each piece
 * is stored with the note that it was read, so that a run that ends anywhere loses nothing. `onPiece` hears of each.
 * Throws `upstream_unavailable`, `upstream_timeout`, `store_unavailable`, and RpcError as the last node said it.
 */
export async function backfill(
  indexer: Indexer,
  run: { state: RunState; blocks: BlockSpan; budget: Budget; onPiece?: (piece: Piece) => void },
): Promise<HistoryReport> {
  const { state, budget } = run;
  const asked = within(missingOfAny(state.vaults), run.blocks);
  const report = { blocks: 0, rows: 0 };
  for (const gap of asked) {
    let next = gap.from;
    while (next <= gap.to && budget.requests >= LEAST && !budget.late()) {
      const piece = await readPiece(indexer, { state, budget, gap: { from: next, to: gap.to } });
      if (piece === null) break;
      run.onPiece?.(piece);
      report.blocks += countBlocks([piece.read]);
      report.rows += piece.rows;
      next = piece.read.to + 1;
    }
    if (next <= gap.to) return { ...report, left: within(asked, { from: next, to: run.blocks.to }) };
  }
  return { ...report, left: [] };
}

/** Reads the start of a gap, up to where other vaults begin to miss something, and stores it; null: no budget left. */
async function readPiece(
  indexer: Indexer,
  piece: { state: RunState; budget: Budget; gap: BlockSpan },
): Promise<Piece | null> {
  const { state, budget, gap } = piece;
  const { vaults, to } = lackingAt(state.vaults, gap);
  const sources = joinSources(
    indexer.chainId,
    vaults.map(({ vault }) => vault),
  );
  const span = { from: gap.from, to };
  const read = await onOneNodeWithin(indexer.client, budget, async (node, own) => {
    await refuseOtherChain(node, state.tip);
    return readSpan(node, { span, sources, budget: own });
  });
  if (read.to < span.from) return null;
  const rows = sources.toRows(read.logs, read.to);
  // Writing it is a request of the invocation like any other.
  budget.requests -= 1;
  await indexer.store.applyHistory({
    chainId: indexer.chainId,
    read: { from: span.from, to: read.to },
    vaults: vaults.map(({ vault, coverage }) => ({
      vaultAddress: coverage.vaultAddress,
      source: describeSource(vault),
    })),
    rows,
    span: budget.span,
    at: new Date(indexer.now()),
  });
  return { read: { from: span.from, to: read.to }, rows: rows.length };
}

/** The vaults that miss the gap's first block, and the last block up to which these are the ones that miss it. */
function lackingAt(
  vaults: readonly IndexedVault[],
  gap: BlockSpan,
): { vaults: readonly IndexedVault[]; to: number } {
  const missing = vaults.map((vault) => ({ vault, own: within(missingHistory(vault.coverage), gap) }));
  const lacking = missing.filter(({ own }) => own[0]?.from === gap.from);
  const others = missing.flatMap(({ own }) => own.filter(({ from }) => from > gap.from));
  const ends = [...others.map(({ from }) => from - 1), ...lacking.flatMap(({ own }) => own[0]?.to ?? [])];
  return { vaults: lacking.map(({ vault }) => vault), to: Math.min(gap.to, ...ends) };
}
