import type { ChainDefinition } from "../chains/chain-definitions.ts";
import type { Context } from "../context.ts";
import { sameAddress } from "../lib/address.ts";
import { MemoByInputs } from "../lib/bounded-map.ts";
import { MINUTE_MS } from "../lib/durations.ts";
import { encodeCursor, type Page } from "../lib/pagination.ts";
import type { VaultKey } from "../lib/vault-id.ts";
import { depositRouterAddress } from "../router/router-address.ts";
import type { ListedVault } from "../schemas/vault-schema.ts";
import { toWireVault } from "../vaults/describe-vault.ts";
import { listRegistry, type Registry } from "../vaults/find-vault.ts";
import type { Token, Vault } from "../vaults/vault.ts";
import type { VaultFlags } from "../vaults/vault-adapter.ts";
import { acceptedTokens, type DepositEntry } from "../vaults/vault-deposit-entry.ts";
import { type VaultFigures, vaultLinks } from "../vaults/vault-figures.ts";
import { settlementOf } from "../vaults/vault-settlement.ts";
import { noYields, type Yields } from "../vaults/vault-yields.ts";
import { type ChainFigures, flagsOf, readChainFigures } from "./listed-chain-figures.ts";

/**
 * Sort key of a list of vaults; without one, the list is sorted by chain id and address. Unknown values come last in
 * either order.
 */
export type VaultSort = "tvl_usd" | "apy_7d" | "name" | "proven_at";

/**
 * The last vault of a page, after which the next page begins. `sorted` holds the list's sort key and order and the
 * vault's value for it as text (null if unknown); absent for the order by chain id and address.
 */
export interface VaultPosition extends VaultKey {
  sorted?: { by: VaultSort; order: "asc" | "desc"; value: string | null };
}

/** Filters, sort order, position and size of a page of a vault list. A vault must match all filters that are given. */
export interface VaultFilter {
  chainId?: number | undefined;
  /** Address or symbol of the vault's asset. Letter case is ignored. */
  asset?: string | undefined;
  /** Address or symbol of the asset or of an accepted token in the registry entry. Letter case is ignored. */
  accepts?: string | undefined;
  type?: string | undefined;
  /** Name of the vault family. */
  family?: string | undefined;
  /** How the vault settles deposits: a value of `VaultSettlement.deposit`. */
  depositSettlement?: string | undefined;
  /** How the vault settles withdrawals: a value of `VaultSettlement.withdraw`. */
  withdrawSettlement?: string | undefined;
  /** Name of the curator. Letter case is ignored. */
  curator?: string | undefined;
  /** Part of the vault's name. Letter case is ignored. */
  q?: string | undefined;
  /** True for vaults that are paused in the registry or on chain, false for all others. */
  paused?: boolean | undefined;
  /** Minimum value of the vault's assets in US dollars. Vaults of unknown value are excluded. */
  minTvlUsd?: number | undefined;
  /** Ids of the requested vaults, in lowercase; unknown ids are ignored. */
  ids?: readonly string[] | undefined;
  sort?: VaultSort | undefined;
  /** Default: ascending by name, descending by any other key. Without a sort key it has no effect. */
  order?: "asc" | "desc" | undefined;
  /** The last vault of the previous page, which had the same sort key and order. */
  after?: VaultPosition | undefined;
  /** Maximum number of vaults on the page. */
  limit: number;
}

/** Age from which figures in a list count as stale, in milliseconds: twice the interval of the job that reads them. */
const STALE_MS = 10 * MINUTE_MS;

/**
 * Recently built pages of vaults by filter, reused while their inputs are unchanged, because a page of 500 vaults takes
 * milliseconds to build.
 */
const pages = new MemoByInputs<Page<ListedVault>>(8);

/**
 * Returns one page of the active and paused vaults that match a filter, in the requested order. Unknown values are
 * null (an unknown pause false, an unknown Router not used), old ones are marked as stale. Callers must not change the
 * result. Throws `store_unavailable`.
 */
export async function listVaults(ctx: Context, filter: VaultFilter): Promise<Page<ListedVault>> {
  const registry = await listRegistry(ctx);
  const matching = registry.all.filter((vault) => isListed(vault) && matches(vault, filter));
  const chainIds = [...new Set(matching.map((vault) => vault.chainId))];
  const chains = await Promise.all(chainIds.map((chainId) => readChainFigures(ctx, { chainId, registry })));
  const { definitions } = ctx.chains;
  const staleFrom = Math.floor((ctx.now() - STALE_MS) / MINUTE_MS) * MINUTE_MS;
  const of = [
    definitions,
    registry,
    staleFrom,
    ...chains.flatMap(({ figures, flags, yields }) => [figures, flags, yields]),
  ];
  const make = () => writePage({ definitions, registry, matching, filter, chains, staleFrom });
  return pages.get(JSON.stringify(filter), { of, make });
}

const NO_FLAGS: VaultFlags = { paused: false, minDeposit: null };

interface PageInput {
  definitions: Context["chains"]["definitions"];
  registry: Registry;
  matching: readonly Vault[];
  filter: VaultFilter;
  chains: readonly ChainFigures[];
  staleFrom: number;
}

/** A vault of the list with its figures for the filter and the sort order. */
interface Entry {
  vault: Vault;
  chain: ChainDefinition;
  figures: VaultFigures | null;
  flags: VaultFlags;
  yields: Yields;
  /**
   * True if the Router is known to be on the vault's chain: from its figures or else from those of other vaults there.
   */
  routerDeployed: boolean;
  /** The value by which the list is sorted, or null if it is unknown. */
  value: string | null;
}

function writePage(input: PageInput): Page<ListedVault> {
  const { filter } = input;
  const { limit, after, sort, order = defaultOrder(sort) } = filter;
  const byId = new Map(input.chains.map((read) => [read.chainId, { ...read, hasRouter: hasRouter(read) }]));
  const entries = input.matching.flatMap((vault): Entry[] => {
    const chain = input.definitions.get(vault.chainId);
    const read = byId.get(vault.chainId);
    if (chain === undefined || read === undefined) return [];
    const figures = read.figures.get(vault.vaultId) ?? null;
    const flags = read.flags[vault.vaultId] ?? (figures === null ? NO_FLAGS : flagsOf(figures));
    const yields = read.yields[vault.vaultId] ?? yieldsOf(figures);
    const routerDeployed = figures?.routerDeployed ?? read.hasRouter;
    const entry = { vault, chain, figures, flags, yields, routerDeployed, value: null };
    const value = sortValue(entry, sort);
    return matchesFigures(entry, filter) ? [{ ...entry, value }] : [];
  });
  const compare = (a: Ranked, b: Ranked): number => compareEntries(a, b, { sort, order });
  if (sort !== undefined) entries.sort(compare);
  const start: Ranked | null =
    after === undefined ? null : { vault: after, value: after.sorted?.value ?? null };
  const later = start === null ? entries : entries.filter((entry) => compare(entry, start) > 0);
  const shown = later.slice(0, limit);
  const last = shown.at(-1);
  const more = later.length > limit && last !== undefined;
  return {
    rows: shown.map((entry) => showEntry(entry, input)),
    next: more ? encodeCursor(cursorParts(last, { sort, order })) : null,
  };
}

/** Returns true if the figures of any vault say that the Router is on their chain. It cannot be removed from there. */
const hasRouter = ({ figures }: ChainFigures): boolean =>
  [...figures.values()].some(({ routerDeployed }) => routerDeployed);

/** Parts of the cursor that continues a list after an entry. */
function cursorParts(
  { vault, value }: Entry,
  by: { sort: VaultSort | undefined; order: "asc" | "desc" },
): string[] {
  if (by.sort === undefined) return [vault.vaultId];
  return [vault.vaultId, by.sort, by.order, value === null ? "" : `=${value}`];
}

/** Returns the default sort order: names from A to Z, all other keys descending. */
const defaultOrder = (sort: VaultSort | undefined): "asc" | "desc" =>
  sort === undefined || sort === "name" ? "asc" : "desc";

function sortValue({ vault, figures, yields }: Entry, sort: VaultSort | undefined): string | null {
  switch (sort) {
    case "tvl_usd":
      return figures?.tvlUsd ?? null;
    case "apy_7d":
      return yields.apy_7d?.toString() ?? null;
    case "name":
      return vault.name.toLowerCase();
    case "proven_at":
      return vault.proof?.at ?? null;
    case undefined:
      return null;
  }
}

const yieldsOf = (figures: VaultFigures | null): Yields =>
  figures === null ? noYields : { apy_1d: figures.apy1d, apy_7d: figures.apy7d, apy_30d: figures.apy30d };

interface Ranked {
  vault: VaultKey;
  value: string | null;
}

/** Compares two vaults of a list: by their values, unknown ones last in either order, then by chain id and address. */
function compareEntries(
  a: Ranked,
  b: Ranked,
  { sort, order }: { sort: VaultSort | undefined; order: "asc" | "desc" },
): number {
  if (sort !== undefined && a.value !== b.value) {
    if (a.value === null) return 1;
    if (b.value === null) return -1;
    const numeric = sort === "tvl_usd" || sort === "apy_7d";
    const difference = numeric ? Number(a.value) - Number(b.value) : a.value < b.value ? -1 : 1;
    if (difference !== 0) return order === "asc" ? difference : -difference;
  }
  if (a.vault.chainId !== b.vault.chainId) return a.vault.chainId - b.vault.chainId;
  const [left, right] = [a.vault.address.toLowerCase(), b.vault.address.toLowerCase()];
  return left === right ? 0 : left < right ? -1 : 1;
}

const depositEntryOf = ({ vault, routerDeployed }: Entry): DepositEntry =>
  vault.caller === "router" && routerDeployed
    ? { via: "router", address: depositRouterAddress }
    : { via: "user", address: vault.entryPoint };

function showEntry(entry: Entry, { registry, staleFrom }: PageInput): ListedVault {
  const { vault, chain, figures, flags, yields } = entry;
  return {
    ...toWireVault(vault, {
      chain,
      entry: depositEntryOf(entry),
      pausedOnChain: flags.paused,
      minDeposit: flags.minDeposit,
    }),
    ...vaultLinks(vault, chain),
    ...yields,
    tvl_usd: figures?.tvlUsd ?? null,
    share_price: figures?.sharePrice ?? null,
    max_deposit: flags.paused ? "0" : (figures?.maxDeposit ?? null),
    exit_fee: figures?.exitFee ?? null,
    signals: registry.facts.get(vault.vaultId)?.signals ?? { high: 0, medium: 0 },
    read_at:
      figures === null
        ? null
        : { block_number: figures.blockNumber, block_timestamp: figures.blockTime.toISOString() },
    stale: figures !== null && figures.blockTime.getTime() < staleFrom,
  };
}

/** Returns true if lists contain the vault. A vault in another status can only be read by its id. */
const isListed = ({ status }: Vault): boolean => status === "active" || status === "paused";

function matches(vault: Vault, filter: VaultFilter): boolean {
  const { asset, ids, curator, q } = filter;
  const isOther = (wanted: unknown, own: unknown): boolean => wanted !== undefined && wanted !== own;
  if (isOther(filter.chainId, vault.chainId) || isOther(filter.type, vault.type)) return false;
  if (isOther(filter.family, vault.adapter)) return false;
  if (ids !== undefined && !ids.includes(vault.vaultId)) return false;
  if (curator !== undefined && vault.curator.toLowerCase() !== curator.toLowerCase()) return false;
  if (q !== undefined && !vault.name.toLowerCase().includes(q.toLowerCase())) return false;
  if (asset !== undefined && !isNamed(vault.asset, asset)) return false;
  const { deposit, withdraw } = settlementOf(vault);
  return !isOther(filter.depositSettlement, deposit) && !isOther(filter.withdrawSettlement, withdraw);
}

function matchesFigures(entry: Entry, { paused, minTvlUsd, accepts }: VaultFilter): boolean {
  const { vault, chain, flags, figures } = entry;
  if (paused !== undefined && (vault.status !== "active" || flags.paused) !== paused) return false;
  if (accepts !== undefined) {
    const taken = acceptedTokens(vault, { chain, entry: depositEntryOf(entry) });
    if (!taken.some((token) => isNamed(token, accepts))) return false;
  }
  return (
    minTvlUsd === undefined || (typeof figures?.tvlUsd === "string" && Number(figures.tvlUsd) >= minTvlUsd)
  );
}

/** Returns true if a text is a token's address or symbol, in any letter case. */
function isNamed(token: Token, text: string): boolean {
  return sameAddress(token.address, text) || token.symbol.toLowerCase() === text.toLowerCase();
}
