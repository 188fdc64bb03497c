import { getAddress } from "viem";
import * as z from "zod";
import type { ChainDefinition } from "../chains/chain-definitions.ts";
import type { FiguresRow } from "../db/queries/snapshot-queries.ts";
import type { BlockTime } from "../lib/block-ranges.ts";
import type { Vault } from "./vault.ts";
import type { VaultState } from "./vault-adapter.ts";
import type { Yields } from "./vault-yields.ts";

/** Schema of `VaultFigures`; accepts the time as text, as caches store it. */
export const CachedFigures = z.object({
  blockNumber: z.number(),
  blockTime: z.coerce.date(),
  paused: z.boolean(),
  minDeposit: z.string().nullable(),
  maxDeposit: z.string().nullable(),
  sharePrice: z.string().nullable(),
  tvlUsd: z.string().nullable(),
  exitFee: z.number().nullable(),
  apy1d: z.number().nullable(),
  apy7d: z.number().nullable(),
  apy30d: z.number().nullable(),
  routerDeployed: z.boolean(),
});

/**
 * A vault's figures in lists, null where there is no value. `minDeposit` and `maxDeposit` are in the asset's smallest
 * unit, `sharePrice` in whole assets per whole share times 10^18, `tvlUsd` in US dollars, all four as decimal strings;
 * `exitFee` and yields are fractions (0.05 = 5%).
 */
export type VaultFigures = z.infer<typeof CachedFigures>;

/** Data that lists show about a vault in addition to its registry entry. */
export interface ListedFacts {
  /** The vault's state, value and yields as last stored with a snapshot, or null if none are stored. */
  figures: VaultFigures | null;
  /** Counts of the vault's incidents of tiers `high` and `medium` that were last seen within 24 hours. */
  signals: { high: number; medium: number };
}

/**
 * The data for a row of `vault_figures`: a vault's state with the block of its first reads, its TVL in US dollars
 * (decimal string, null if unknown), its yields, and whether the Router is known to be deployed on its chain.
 */
export interface FiguresInput {
  state: VaultState;
  block: BlockTime;
  tvlUsd: string | null;
  yields: Yields;
  routerDeployed: boolean;
}

/** Converts a vault's state, value and yields to a row of the table `vault_figures`. */
export function toFiguresRow(vault: Vault, input: FiguresInput): FiguresRow {
  const { state, block, tvlUsd, yields, routerDeployed } = input;
  return {
    chainId: vault.chainId,
    vaultAddress: vault.address.toLowerCase(),
    blockNumber: block.number,
    blockTime: new Date(block.timestamp * 1000),
    paused: state.paused,
    minDeposit: state.minDeposit?.toString() ?? null,
    maxDeposit: state.maxDeposit?.toString() ?? null,
    sharePrice: state.sharePrice?.toString() ?? null,
    tvlUsd,
    exitFee: state.exitFee ?? null,
    apy1d: yields.apy_1d,
    apy7d: yields.apy_7d,
    apy30d: yields.apy_30d,
    routerDeployed,
  };
}

/** Websites of known curators, by name in lowercase. Sources: the curators' own sites. */
const CURATOR_SITES: ReadonlyMap<string, string> = new Map([
  ["aave", "https://aave.com"],
  ["ether.fi", "https://www.ether.fi"],
  ["fluid", "https://fluid.io"],
  ["gauntlet", "https://www.gauntlet.xyz"],
  ["gearbox", "https://gearbox.fi"],
  ["hyperithm", "https://www.hyperithm.com"],
  ["keyrock", "https://keyrock.com"],
  ["sky", "https://sky.money"],
  ["spark", "https://spark.fi"],
  ["steakhouse", "https://www.steakhouse.financial"],
  ["yearn", "https://yearn.fi"],
]);

/** External links in a vault's API response; each is empty if unknown. */
interface VaultLinks {
  curator_url: string;
  explorer_link: string;
  logo_uri: string;
}

/**
 * Returns the external links of a vault, each empty if unknown: the curator's website and the vault's page in the
 * chain's block explorer. The logo is always empty, because no verified source of logos exists.
 */
export function vaultLinks(vault: Vault, chain: ChainDefinition): VaultLinks {
  const { explorer } = chain;
  return {
    curator_url: CURATOR_SITES.get(vault.curator.toLowerCase()) ?? "",
    explorer_link:
      explorer === "" ? "" : `${explorer.replace(/\/$/, "")}/address/${getAddress(vault.address)}`,
    logo_uri: "",
  };
}
