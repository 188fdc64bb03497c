import * as z from "zod";
import type { Context } from "../context.ts";
import { DAY_MS, MINUTE_MS } from "../lib/durations.ts";
import { describeError } from "../lib/logger.ts";
import { priceOf, showUsdValue } from "../prices/price.ts";
import { readPricesWith } from "../prices/read-prices.ts";
import type { Registry } from "../vaults/find-vault.ts";
import type { Vault } from "../vaults/vault.ts";
import type { VaultFlags } from "../vaults/vault-adapter.ts";
import { depositEntryForDisplay } from "../vaults/vault-deposit-entry.ts";
import { CachedFigures, toFiguresRow, type VaultFigures } from "../vaults/vault-figures.ts";
import { readVaultFlags, vaultStatesQuery } from "../vaults/vault-state.ts";
import { noYields, readYields, type Yields } from "../vaults/vault-yields.ts";

/**
 * Figures of one chain's vaults, by vault id; a vault without known figures is absent. If the figures are stored, they
 * contain yields, and `yields` is empty; `flags` has pauses and minimum deposits, perhaps newer and not of every vault.
 * If they were read from the chain, they lack yields, which `yields` has as far as known, and `flags` is empty.
 */
export interface ChainFigures {
  chainId: number;
  figures: ReadonlyMap<string, VaultFigures>;
  flags: Readonly<Record<string, VaultFlags>>;
  yields: Readonly<Record<string, Yields>>;
}

const NO_YIELDS: ChainFigures["yields"] = {};
const NO_FLAGS: ChainFigures["flags"] = {};

const FiguresById = z.array(z.tuple([z.string(), CachedFigures]));
/** Figures by vault id for the cached array that they were read from, so that unchanged figures stay one object. */
const mapOfEntries = new WeakMap<object, ReadonlyMap<string, VaultFigures>>();

/** The stored figures of one chain. */
interface StoredFigures {
  figures: ReadonlyMap<string, VaultFigures>;
  flags: Record<string, VaultFlags>;
  /** Timestamp of the newest block that the figures were read at, in unix milliseconds. */
  at: number;
}
/** Stored figures by chain, for each loaded registry. */
const storedOf = new WeakMap<Registry, Map<number, StoredFigures>>();

/**
 * Returns the figures of a chain's vaults that are stored with the registry, with pauses and minimum deposits that may
 * be newer. If none of these vaults has stored figures, reads them from the chain, or takes read ones from a cache (up
 * to a day old if the chain fails). What cannot be read is missing or null, a pause false. Never throws.
 */
export async function readChainFigures(
  ctx: Context,
  { chainId, registry }: { chainId: number; registry: Registry },
): Promise<ChainFigures> {
  const stored = storedFigures(registry, chainId);
  const vaults = () => registry.all.filter((vault) => vault.chainId === chainId);
  if (stored === null) {
    const missing = readMissingFigures(ctx, { chainId, vaults: vaults() });
    const [figures, yields] = await Promise.all([missing, readYields(ctx)]);
    return { chainId, figures, flags: NO_FLAGS, yields };
  }
  const { figures, flags: known, at } = stored;
  const flags = await readVaultFlags(ctx, { chainId, vaults: vaults(), known, at });
  return { chainId, figures, flags, yields: NO_YIELDS };
}

/** Returns the figures of a chain that are stored with the registry, or null if there are none. */
function storedFigures(registry: Registry, chainId: number): StoredFigures | null {
  const chains = storedOf.get(registry) ?? groupByChain(registry);
  storedOf.set(registry, chains);
  return chains.get(chainId) ?? null;
}

function groupByChain({ all, facts }: Registry): Map<number, StoredFigures> {
  const chains = new Map<number, StoredFigures & { figures: Map<string, VaultFigures> }>();
  for (const { chainId, vaultId } of all) {
    const figures = facts.get(vaultId)?.figures ?? null;
    if (figures === null) continue;
    const none = { figures: new Map<string, VaultFigures>(), flags: {}, at: 0 };
    const chain: StoredFigures & typeof none = chains.get(chainId) ?? none;
    chains.set(chainId, chain);
    chain.figures.set(vaultId, figures);
    chain.flags[vaultId] = flagsOf(figures);
    chain.at = Math.max(chain.at, figures.blockTime.getTime());
  }
  return chains;
}

/**
 * Returns whether a vault is paused, and its minimum deposit (in the asset's smallest unit, or null if none is known),
 * from its stored state.
 */
export const flagsOf = ({ paused, minDeposit }: VaultFigures): VaultFlags => ({
  paused,
  minDeposit: minDeposit === null ? null : BigInt(minDeposit),
});

/** Reads the figures of a chain without stored figures, cached in this isolate. Empty if they cannot be read. */
async function readMissingFigures(
  ctx: Context,
  chain: { chainId: number; vaults: readonly Vault[] },
): Promise<ReadonlyMap<string, VaultFigures>> {
  try {
    const { value } = await ctx.cache.cached({
      key: `figures:${chain.chainId}`,
      schema: FiguresById,
      sharing: "isolate",
      freshMs: MINUTE_MS / 4,
      staleMs: 10 * MINUTE_MS,
      keepMs: DAY_MS,
      load: () => loadFigures(ctx, chain),
    });
    const known = mapOfEntries.get(value) ?? new Map(value);
    mapOfEntries.set(value, known);
    return known;
  } catch (error) {
    ctx.log.warn("figures_unreadable", { chain_id: chain.chainId, error: describeError(error) });
    return new Map();
  }
}

async function loadFigures(
  ctx: Context,
  { chainId, vaults }: { chainId: number; vaults: readonly Vault[] },
): Promise<[string, VaultFigures][]> {
  const tokens = [...new Set(vaults.map(({ asset }) => asset.address))];
  const query = vaultStatesQuery(vaults, ctx.now());
  const routed = vaults.find((vault) => vault.caller === "router");
  const [{ value: states, block, prices }, entry] = await Promise.all([
    readPricesWith(ctx, { chainId, tokens, query }),
    routed === undefined ? null : depositEntryForDisplay(ctx, routed),
  ]);
  const routerDeployed = entry?.via === "router";
  return vaults.flatMap((vault) => {
    const state = states[vault.vaultId];
    if (state === undefined || state === null) {
      ctx.log.warn("figures_unreadable", { chain_id: chainId, vault_id: vault.vaultId });
      return [];
    }
    const price = priceOf(prices, { chainId, token: vault.asset.address });
    const tvlUsd = showUsdValue(state.totalAssets, { decimals: vault.asset.decimals, price });
    return [[vault.vaultId, toFiguresRow(vault, { state, block, tvlUsd, yields: noYields, routerDeployed })]];
  });
}
