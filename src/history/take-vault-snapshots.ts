import { getAddress } from "viem";
import * as z from "zod";
import { queryAll } from "../chains/chain-query.ts";
import type { Context } from "../context.ts";
import { selectFailingChains, selectLargestHolders } from "../db/queries/flow-queries.ts";
import { type NewSnapshot, pruneSnapshots, writeSnapshots } from "../db/queries/snapshot-queries.ts";
import { mapConcurrently } from "../lib/concurrency.ts";
import { DAY_MS, HOUR_MS } from "../lib/durations.ts";
import { describeError } from "../lib/logger.ts";
import { listRegistry } from "../vaults/find-vault.ts";
import type { Vault } from "../vaults/vault.ts";
import { readUncached } from "../vaults/vault-state.ts";
import { snapshotQuery, type VaultSnapshot } from "./vault-snapshot-query.ts";

const Holders = z.record(z.string(), z.string());
/** Retention of five-minute and hourly snapshots, in milliseconds. Daily snapshots are never deleted. */
const KEPT_MS = { fine: 8 * DAY_MS, hour: 100 * DAY_MS } as const;

/** The result of one snapshot run: the number of vaults with a stored snapshot, and of chains that failed. */
export interface SnapshotReport {
  vaults: number;
  /** Number of chains that could not be read. Their vaults have no snapshot from this run. */
  failed: number;
}

/**
 * Takes a snapshot of every vault in the registry and stores it: one batched read per chain and one database write for
 * all chains. At most two chains whose last indexing run failed are read at the same time. A second snapshot within an
 * interval replaces the first. Also deletes expired snapshots. Throws `store_unavailable`.
 */
export async function takeSnapshots(ctx: Context): Promise<SnapshotReport> {
  const { all } = await listRegistry(ctx);
  const chainIds = [...new Set(all.map((vault) => vault.chainId))];
  const readAt = new Date(ctx.now());
  const failing = await selectFailingChains(ctx.db);
  const read = await mapConcurrently(chainIds, {
    doubtful: (chainId) => failing.has(chainId),
    work: (chainId) =>
      readChainSnapshots(ctx, { chainId, vaults: all.filter((vault) => vault.chainId === chainId) }),
  });
  const readings = read.flatMap((chain) => chain ?? []);
  if (readings.length > 0) await writeSnapshots(ctx.db, { readAt, readings });
  const before = (keptMs: number): Date => new Date(readAt.getTime() - keptMs);
  await pruneSnapshots(ctx.db, { fine: before(KEPT_MS.fine), hour: before(KEPT_MS.hour) });
  return { vaults: readings.length, failed: read.filter((chain) => chain === null).length };
}

/** Reads the snapshots of all vaults of one chain at one block, or returns null if the chain could not be read. */
async function readChainSnapshots(
  ctx: Context,
  chain: { chainId: number; vaults: readonly Vault[] },
): Promise<NewSnapshot[] | null> {
  const { chainId, vaults } = chain;
  try {
    const holders = await largestHolders(ctx, chainId);
    const described = vaults.map((vault) => {
      const known = holders[vault.address.toLowerCase()];
      const holder = known === undefined ? null : getAddress(known);
      return [vault.vaultId, snapshotQuery(vault, { holder, nowMs: ctx.now() })] as const;
    });
    const all = queryAll(Object.fromEntries(described));
    const { value, block } = await readUncached(ctx, { chainId, query: all });
    const blockTime = new Date(block.timestamp * 1000);
    return vaults.flatMap((vault) => {
      const seen = value[vault.vaultId];
      return seen === undefined ? [] : [toSnapshotRow(vault, { seen, blockNumber: block.number, blockTime })];
    });
  } catch (error) {
    ctx.log.warn("snapshots_failed", { chain_id: chainId, error: describeError(error) });
    return null;
  }
}

async function largestHolders(ctx: Context, chainId: number): Promise<Record<string, string>> {
  const { value } = await ctx.cache.cached({
    key: `holders:${chainId}`,
    schema: Holders,
    freshMs: HOUR_MS,
    staleMs: HOUR_MS,
    keepMs: DAY_MS,
    load: () => selectLargestHolders(ctx.db, chainId),
  });
  return value;
}

function toSnapshotRow(
  vault: Vault,
  at: { seen: VaultSnapshot; blockNumber: number; blockTime: Date },
): NewSnapshot {
  const { state, views, fees } = at.seen;
  return {
    chainId: vault.chainId,
    vaultAddress: vault.address.toLowerCase(),
    blockNumber: at.blockNumber,
    blockTime: at.blockTime,
    totalAssets: state.totalAssets?.toString() ?? null,
    totalSupply: state.totalSupply?.toString() ?? null,
    sharePrice: state.sharePrice?.toString() ?? null,
    maxDeposit: state.maxDeposit?.toString() ?? null,
    paused: state.paused,
    liquidity: views.liquidity?.toString() ?? null,
    controls: { ...views.controls, ...fees },
  };
}
