import { describeError } from "../lib/log.ts";
import { affordsNode, type Budget, onOneNodeWithin } from "./budget.ts";
import type { Indexer } from "./indexer.ts";
import { readSpan } from "./read-span.ts";
import { refuseOtherChain } from "./refuse-other-chain.ts";
import { describeSource, joinSources } from "./sources.ts";
import type { RunState } from "./state.ts";

/** Blocks of one span at most: what is in them travels to the database though most of it is there. */
const MOST_BLOCKS = 2_000;

/**
 * Reads one span of final blocks once more, by turns the newest and any other, on whichever node, and stores what an
 * earlier answer left out: nodes that have pruned or not yet indexed their events answer with none, and no error.
 * Nothing is taken back by it. `version`: of the tip as it stands now. What it meets is logged, not thrown.
 */
export async function readAgain(
  indexer: Indexer,
  run: { state: Pick<RunState, "tip" | "vaults">; version: number; budget: Budget },
): Promise<void> {
  const { state, version, budget } = run;
  const { finalBlock } = state.tip;
  const lowest = Math.min(...state.vaults.map(({ coverage }) => coverage.startBlock));
  if (finalBlock === null || lowest > finalBlock || !affordsNode(budget)) return;
  const drawn = Number.parseInt(indexer.randomId().slice(0, 12), 16);
  const older = Math.floor(drawn / 2) % (finalBlock - lowest + 1);
  const to = drawn % 2 === 0 ? finalBlock : finalBlock - older;
  const span = { from: Math.max(lowest, to - Math.min(budget.span, MOST_BLOCKS) + 1), to };
  const sources = joinSources(
    indexer.chainId,
    state.vaults.map(({ vault }) => vault),
  );
  try {
    const client: Indexer["client"] = { onOneNode: (work) => indexer.client.onOneNode(work, drawn) };
    const { logs, to: read } = await onOneNodeWithin(client, { ...budget }, async (node, own) => {
      await refuseOtherChain(node, state.tip);
      return readSpan(node, { span, sources, budget: own });
    });
    const rows = sources.toRows(logs, read);
    const missed =
      rows.length === 0 ? 0 : await indexer.store.addMissed({ rows, version, ...sourced(indexer, state) });
    if (missed > 0) indexer.log.error("flows_left_out", { chain_id: indexer.chainId, ...span, rows: missed });
  } catch (error) {
    indexer.log.warn("flows_not_read_again", { chain_id: indexer.chainId, error: describeError(error) });
  }
}

const sourced = ({ chainId }: Indexer, { vaults }: Pick<RunState, "vaults">) => ({
  chainId,
  vaults: vaults.map(({ vault, coverage }) => ({
    vaultAddress: coverage.vaultAddress,
    source: describeSource(vault),
  })),
});
