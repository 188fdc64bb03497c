import type { FlowState, FlowTip, StartSearch, VaultCoverage } from "../db/queries/flow-queries.ts";
import { type BlockRange, type BlockSet, subtractRanges, uniteRanges } from "../lib/block-ranges.ts";
import { describeError } from "../lib/logger.ts";
import { toVault, type Vault } from "../vaults/vault.ts";
import { sourceFingerprint } from "./flow-sources.ts";
import type { Indexer } from "./flow-store.ts";

/** A vault with a known start block, and its coverage (the blocks whose flows are stored). */
export interface IndexedVault {
  vault: Vault;
  coverage: VaultCoverage;
}

/**
 * The stored state of a chain's flow index from which a run starts: the newest indexed blocks (the tip), the vaults
 * with their coverage, the flows that a reorg may still change, and the vaults without a start block.
 */
export interface IndexState {
  tip: FlowTip;
  vaults: readonly IndexedVault[];
  provisional: FlowState["provisional"];
  withoutStart: readonly VaultWithoutStart[];
}

/**
 * A vault whose start block is not known yet, with the fingerprint of its flow sources (`source`, see
 * `sourceFingerprint`) and the progress of the search for the block. `search` is null before the search has begun.
 */
export interface VaultWithoutStart {
  vault: Vault;
  source: string;
  search: StartSearch | null;
}

/**
 * Loads the stored state of a chain's flow index. First deletes the history of vaults whose contracts or events to read
 * have changed, so that it is read again. Leaves out invalid vault rows. Throws `store_unavailable`.
 */
export async function loadIndexState(indexer: Indexer): Promise<IndexState> {
  const state = describeVaults(indexer, await indexer.store.load());
  const changed = state.vaults.filter(({ coverage, source }) => coverage.source !== source);
  if (changed.length === 0) return state;
  await indexer.store.reset(
    changed.map(({ coverage, source }) => ({ vaultAddress: coverage.vaultAddress, source })),
  );
  return describeVaults(indexer, await indexer.store.load());
}

function describeVaults(indexer: Indexer, { tip, vaults, provisional, withoutStart }: FlowState) {
  const described = <T extends { row: FlowState["vaults"][number]["row"] }>(list: readonly T[]) =>
    list.flatMap(({ row, ...rest }) => {
      try {
        const vault = toVault(row);
        return [{ ...rest, vault, source: sourceFingerprint(vault) }];
      } catch (error) {
        indexer.log.warn("flows_vault_skipped", { vault: row.address, error: describeError(error) });
        return [];
      }
    });
  return { tip, provisional, vaults: described(vaults), withoutStart: described(withoutStart) };
}

/**
 * Returns the blocks of a vault's flow history that are still to be backfilled: those from its start block to the block
 * before `followedFrom` that are not in `done`. Empty while `followedFrom` is null.
 */
export function missingBlocks({ startBlock, followedFrom, done }: VaultCoverage): BlockSet {
  return followedFrom === null ? [] : subtractRanges({ from: startBlock, to: followedFrom - 1 }, done);
}

/** Returns the blocks that are still to be backfilled for any of the vaults. */
export function missingBlocksOfAny(vaults: readonly IndexedVault[]): BlockSet {
  return uniteRanges(vaults.flatMap(({ coverage }): readonly BlockRange[] => missingBlocks(coverage)));
}
