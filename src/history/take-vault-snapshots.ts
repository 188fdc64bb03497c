import { getAddress } from "viem";
import * as z from "zod";
import { guardQuery, queryAll } from "../chains/chain-reads.ts";
import type { Context } from "../context.ts";
import { selectFailingChains, selectLargestHolders } from "../db/queries/flow-queries.ts";
import {
  type FiguresRow,
  type NewSnapshot,
  pruneSnapshots,
  writeFigures,
  writeSnapshots,
} from "../db/queries/snapshot-queries.ts";
import { scheduleBrokenProofs } from "../db/queries/vault-proof-queries.ts";
import { mapConcurrently } from "../lib/concurrency.ts";
import { DAY_MS, HOUR_MS } from "../lib/durations.ts";
import { describeError } from "../lib/logger.ts";
import { priceOf, showUsdValue } from "../prices/price.ts";
import { readPricesWith } from "../prices/read-prices.ts";
import { listRegistry } from "../vaults/find-vault.ts";
import type { Vault } from "../vaults/vault.ts";
import { isRouterDeployed } from "../vaults/vault-deposit-entry.ts";
import { toFiguresRow } from "../vaults/vault-figures.ts";
import { noYields, readYields, type Yields } from "../vaults/vault-yields.ts";
import { snapshotQuery, type VaultSnapshot } from "./vault-history-snapshot.ts";

const Holders = z.record(z.string(), z.string());
/** Retention of five-minute and hourly snapshots, in milliseconds. Daily snapshots are never deleted. */
const KEPT_MS = { fine: 8 * DAY_MS, hour: 100 * DAY_MS } as const;

/** Result of one snapshot run over all chains. */
export interface SnapshotReport {
  /** Number of vaults of which a snapshot was taken. */
  vaults: number;
  /** Number of chains whose reading failed. Their vaults have no snapshot from this run. */
  failed: number;
}

/**
 * Takes and stores a snapshot of every vault in `listRegistry` and the values that vault lists show, and deletes
 * five-minute snapshots after 8 days and hourly ones after 100. Makes the proofs of vaults due that seem to have broken
 * (`scheduleBrokenProofs`). A chain that cannot be read or a vault whose query fails is logged and left out. If only a
 * chain's Router cannot be read, the values that lists show are left out. Throws `store_unavailable`.
 */
export async function takeSnapshots(ctx: Context): Promise<SnapshotReport> {
  const { all } = await listRegistry(ctx);
  const chainIds = [...new Set(all.map((vault) => vault.chainId))];
  const readAt = new Date(ctx.now());
  const [failing, yields] = await Promise.all([selectFailingChains(ctx.db), readYields(ctx)]);
  const read = await mapConcurrently(chainIds, {
    doubtful: (chainId) => failing.has(chainId),
    work: (chainId) =>
      readChainSnapshots(ctx, { chainId, yields, vaults: all.filter((vault) => vault.chainId === chainId) }),
  });
  const rows = read.flatMap((chain) => chain ?? []);
  if (rows.length > 0) {
    const readings = rows.map(({ snapshot }) => snapshot);
    await writeSnapshots(ctx.db, { readAt, readings });
    // No event may announce that a vault broke.
    await scheduleBrokenProofs(ctx.db, { at: readAt, readings });
    await writeFigures(
      ctx.db,
      rows.flatMap(({ figures }) => figures ?? []),
    );
  }
  const before = (keptMs: number): Date => new Date(readAt.getTime() - keptMs);
  await pruneSnapshots(ctx.db, { fine: before(KEPT_MS.fine), hour: before(KEPT_MS.hour) });
  return { vaults: rows.length, failed: read.filter((chain) => chain === null).length };
}

/** Rows that one reading of a vault stores. `figures` is null if the chain's Router could not be read. */
interface TakenRows {
  snapshot: NewSnapshot;
  figures: FiguresRow | null;
}

/**
 * Reads the snapshots of all vaults of one chain in one batch, all with the block of its first request. Null if that
 * fails.
 */
async function readChainSnapshots(
  ctx: Context,
  chain: { chainId: number; vaults: readonly Vault[]; yields: Readonly<Record<string, Yields>> },
): Promise<TakenRows[] | null> {
  const { chainId, vaults } = chain;
  try {
    const holders = await largestHolders(ctx, chainId);
    const described = vaults.map((vault) => {
      const known = holders[vault.address.toLowerCase()];
      const holder = known === undefined ? null : getAddress(known);
      const at = { holder, nowMs: ctx.now() };
      return [vault.vaultId, guardQuery(() => snapshotQuery(vault, at))] as const;
    });
    const query = queryAll(Object.fromEntries(described));
    const tokens = [...new Set(vaults.map(({ asset }) => asset.address))];
    const { value, block, prices } = await readPricesWith(ctx, { chainId, tokens, query });
    // Not beside the read: a chain that does not respond costs one attempt.
    const routerDeployed = await findRouter(ctx, chainId);
    const blockTime = new Date(block.timestamp * 1000);
    return vaults.flatMap((vault) => {
      const seen = value[vault.vaultId];
      if (seen === undefined || seen === null) {
        ctx.log.warn("snapshot_failed", { vault_id: vault.vaultId });
        return [];
      }
      const { state } = seen;
      const price = priceOf(prices, { chainId, token: vault.asset.address });
      const tvlUsd = showUsdValue(state.totalAssets, { decimals: vault.asset.decimals, price });
      const yields = chain.yields[vault.vaultId] ?? noYields;
      const figures =
        routerDeployed === null
          ? null
          : toFiguresRow(vault, { state, block, tvlUsd, yields, routerDeployed });
      return [{ snapshot: toSnapshotRow(vault, { seen, blockNumber: block.number, blockTime }), figures }];
    });
  } catch (error) {
    ctx.log.warn("snapshots_failed", { chain_id: chainId, error: describeError(error) });
    return null;
  }
}

/** Returns whether the Router is deployed on a chain, or null if that cannot be read, which is logged. */
function findRouter(ctx: Context, chainId: number): Promise<boolean | null> {
  return isRouterDeployed(ctx, chainId).catch((error: unknown) => {
    ctx.log.warn("router_unreadable", { chain_id: chainId, error: describeError(error) });
    return null;
  });
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
    paused: state.pauseUnknown === true ? null : state.paused,
    liquidity: views.liquidity?.toString() ?? null,
    controls: { ...views.controls, ...fees },
  };
}
