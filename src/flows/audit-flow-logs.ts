import { toLogFilters } from "../chains/log-filter.ts";
import { readLogs } from "../chains/log-reader.ts";
import {
  affordsAnotherNode,
  onOneNodeWithinBudget,
  type RequestBudget,
} from "../chains/rpc-request-budget.ts";
import { describeError } from "../lib/logger.ts";
import type { IndexState } from "./flow-index-state.ts";
import { assertSameFinalBlock } from "./flow-reorg.ts";
import { joinFlowSources, sourceFingerprint } from "./flow-sources.ts";
import type { Indexer } from "./flow-store.ts";

/**
 * Maximum number of blocks that are read again at once, because all their flows are sent to the database although most
 * are stored already.
 */
const MAX_AUDIT_BLOCKS = 2_000;

/**
 * Reads some final blocks again, starting with a random node, and stores flows that earlier readings missed. `version`
 * is the stored tip's current version. Errors of nodes and of the database are logged, not thrown.
 */
export async function auditLogs(
  indexer: Indexer,
  run: { state: Pick<IndexState, "tip" | "vaults">; version: number; budget: RequestBudget },
): Promise<void> {
  const { state, version, budget } = run;
  const { finalBlock } = state.tip;
  const lowest = Math.min(...state.vaults.map(({ coverage }) => coverage.startBlock));
  if (finalBlock === null || lowest > finalBlock || !affordsAnotherNode(budget)) return;
  // A node that has pruned logs, or has not indexed them yet, omits them without an error.
  const drawn = Number.parseInt(indexer.randomId().slice(0, 12), 16);
  const older = Math.floor(drawn / 2) % (finalBlock - lowest + 1);
  const to = drawn % 2 === 0 ? finalBlock : finalBlock - older;
  const range = { from: Math.max(lowest, to - Math.min(budget.blocks, MAX_AUDIT_BLOCKS) + 1), to };
  const sources = joinFlowSources(
    indexer.chainId,
    state.vaults.map(({ vault }) => vault),
  );
  try {
    const client: Indexer["client"] = { onOneNode: (work) => indexer.client.onOneNode(work, drawn) };
    const { logs, read } = await onOneNodeWithinBudget(client, { ...budget }, async (node, own) => {
      await assertSameFinalBlock(node, state.tip);
      return readLogs(node, { range, filters: (limits) => toLogFilters(sources, limits), budget: own });
    });
    const rows = sources.toRows(logs, read?.to ?? range.from - 1);
    const missed =
      rows.length === 0
        ? 0
        : await indexer.store.addOmitted({ rows, version, ...toSourcedVaults(indexer, state) });
    if (missed > 0)
      indexer.log.error("flows_left_out", { chain_id: indexer.chainId, ...range, rows: missed });
  } catch (error) {
    indexer.log.warn("flows_not_read_again", { chain_id: indexer.chainId, error: describeError(error) });
  }
}

const toSourcedVaults = ({ chainId }: Indexer, { vaults }: Pick<IndexState, "vaults">) => ({
  chainId,
  vaults: vaults.map(({ vault, coverage }) => ({
    vaultAddress: coverage.vaultAddress,
    source: sourceFingerprint(vault),
  })),
});
