import type { Vault } from "../../client/operations/read-operations.ts";
import { familyName } from "../format/format-vault-words.ts";

/** Sort order of the list of vaults: highest total value, highest APY of seven days, or name. */
export type VaultOrder = "tvl" | "apy" | "name";

/**
 * Filters and sort order of the list of vaults, as stored in the page's URL. `asset` is the exact symbol of the asset
 * or an accepted token; `settlement` is that of deposits. A missing filter matches every vault; a missing `order` means
 * `tvl`.
 */
export interface VaultFilters {
  q?: string;
  chain?: number;
  asset?: string;
  family?: string;
  settlement?: "instant" | "request";
  order?: VaultOrder;
}

/**
 * Parses the filters in the page's URL. `chain` and `q` may be numbers or texts; invalid values are ignored.
 */
export function readVaultFilters(search: Readonly<Record<string, unknown>>): VaultFilters {
  const text = (name: string) => (typeof search[name] === "string" ? (search[name] as string) : undefined);
  const chain = ["number", "string"].includes(typeof search["chain"]) ? Number(search["chain"]) : Number.NaN;
  const [settlement, order] = [text("settlement"), text("order")];
  return defined({
    q: typeof search["q"] === "number" ? String(search["q"]) : text("q"),
    chain: Number.isInteger(chain) && chain > 0 ? chain : undefined,
    asset: text("asset"),
    family: text("family"),
    settlement: settlement === "instant" || settlement === "request" ? settlement : undefined,
    order: order === "apy" || order === "name" || order === "tvl" ? order : undefined,
  });
}

/** Returns the filters with changes applied. Filters that become undefined or empty are removed. */
export function changeFilters(
  filters: VaultFilters,
  changes: { [Name in keyof VaultFilters]: VaultFilters[Name] | undefined },
): VaultFilters {
  return defined({ ...filters, ...changes });
}

function defined(given: { [Name in keyof VaultFilters]: VaultFilters[Name] | undefined }): VaultFilters {
  const entries = Object.entries(given).filter(([, value]) => value !== undefined && value !== "");
  return Object.fromEntries(entries) as VaultFilters;
}

/**
 * Returns the vaults that match the filters, sorted by `order`: vaults without a known value come after those with one,
 * and paused vaults last. Every word of `q` must occur in the name, curator, address, chain, family or a token symbol.
 */
export function selectVaults(vaults: readonly Vault[], filters: VaultFilters): Vault[] {
  return vaults.filter((vault) => matches(vault, filters)).sort(comparing(filters.order ?? "tvl"));
}

function matches(vault: Vault, { q, chain, asset, family, settlement }: VaultFilters): boolean {
  if (chain !== undefined && vault.chainId !== chain) return false;
  if (family !== undefined && vault.family !== family) return false;
  if (settlement !== undefined && vault.settlement.deposit !== settlement) return false;
  const symbols = [vault.asset, ...vault.acceptedAssets].map(({ symbol }) => symbol);
  if (asset !== undefined && !symbols.includes(asset)) return false;
  const { name, curator, address, chainName } = vault;
  const text = [name, curator, address, chainName, familyName(vault.family), ...symbols]
    .join(" ")
    .toLowerCase();
  return (q ?? "")
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function comparing(order: VaultOrder): (a: Vault, b: Vault) => number {
  const figure = ({ tvlUsd, apy7d }: Vault): number =>
    Number((order === "tvl" ? tvlUsd : apy7d) ?? -Infinity);
  return (a, b) => {
    if (a.paused !== b.paused) return a.paused ? 1 : -1;
    const byFigure = order === "name" ? 0 : figure(b) - figure(a);
    return byFigure || a.name.localeCompare(b.name);
  };
}

/** The options of the vault list's filters: chains by id and name, token symbols, and names of vault families. */
export interface VaultChoices {
  chains: { value: number; label: string }[];
  assets: string[];
  families: string[];
}

/**
 * Returns the filter values that match at least one of the vaults: chains sorted by name, assets and families by their
 * text.
 */
export function choicesOf(vaults: readonly Vault[]): VaultChoices {
  const chains = new Map(vaults.map(({ chainId, chainName }) => [chainId, chainName]));
  const assets = new Set(
    vaults.flatMap(({ asset, acceptedAssets }) => [asset, ...acceptedAssets]).map((a) => a.symbol),
  );
  return {
    chains: [...chains]
      .map(([value, label]) => ({ value, label }))
      .sort((a, b) => a.label.localeCompare(b.label)),
    assets: [...assets].sort(),
    families: [...new Set(vaults.map(({ family }) => family))].sort(),
  };
}
