import type { ChainDefinition } from "../chains/chain-definitions.ts";
import type { Context } from "../context.ts";
import { sameAddress } from "../lib/address.ts";
import { MemoByInputs } from "../lib/bounded-map.ts";
import { cutPage, type Page } from "../lib/pagination.ts";
import type { VaultKey } from "../lib/vault-id.ts";
import type { ListedVault, VaultSummary } from "../schemas/vault-schema.ts";
import { listRegistry } from "../vaults/find-vault.ts";
import type { Token, Vault } from "../vaults/vault.ts";
import type { VaultFlags } from "../vaults/vault-adapter.ts";
import { type DepositEntry, depositEntryForDisplay } from "../vaults/vault-entry.ts";
import { toWireVault } from "../vaults/vault-response.ts";
import { readVaultFlags } from "../vaults/vault-state.ts";
import { noYields, readYields, type Yields } from "../vaults/vault-yields.ts";
import { readVaultValues } from "./asset-prices.ts";

/** Filter criteria of a vault listing, with the cursor and the size of the page. */
export interface VaultFilter {
  chainId?: number | undefined;
  /** Address or symbol of the vault's asset. Letter case is ignored. */
  asset?: string | undefined;
  /** Address or symbol of a token that the vault takes without a swap. Letter case is ignored. */
  accepts?: string | undefined;
  type?: string | undefined;
  curator?: string | undefined;
  /** Part of the vault's name. Letter case is ignored. */
  q?: string | undefined;
  paused?: boolean | undefined;
  /** The last vault of the previous page. */
  after?: VaultKey | undefined;
  limit: number;
}

/**
 * Recently built pages of vaults by filter, reused while their inputs are unchanged, because a page of 500 vaults takes
 * milliseconds to build.
 */
const pages = new MemoByInputs<Page<ListedVault>>(8);

/**
 * Returns one page of the vaults that match a filter, ordered by chain id and address. Returns the same object while
 * nothing has changed. Throws `store_unavailable`.
 */
export async function listVaults(ctx: Context, filter: VaultFilter): Promise<Page<ListedVault>> {
  const { all } = await listRegistry(ctx);
  const matching = all.filter((vault) => isListed(vault) && matches(vault, filter));
  const chainIds = [...new Set(matching.map((vault) => vault.chainId))];
  const [yields, read] = await Promise.all([
    readYields(ctx),
    Promise.all(chainIds.map((chainId) => readChainVaults(ctx, { chainId, all }))),
  ]);
  const { definitions } = ctx.chains;
  const of = [
    definitions,
    all,
    yields,
    ...read.flatMap(({ flags, entry, values }) => [flags, entry?.via, values]),
  ];
  const make = () => writePage({ definitions, matching, filter, yields, chains: read });
  return pages.get(JSON.stringify(filter), { of, make });
}

/**
 * On-chain data of one chain's vaults: the paused flag and minimum deposit of each vault, and the contract that Router
 * deposits call.
 */
interface ChainRead {
  chainId: number;
  flags: Readonly<Record<string, VaultFlags>>;
  /** Null if no vault of the chain can be called by the Router. */
  entry: DepositEntry | null;
  /** Values of the vaults in US dollars, by vault id. */
  values: Readonly<Record<string, string | null>>;
}

async function readChainVaults(
  ctx: Context,
  { chainId, all }: { chainId: number; all: readonly Vault[] },
): Promise<ChainRead> {
  const vaults = all.filter((vault) => vault.chainId === chainId);
  const routed = vaults.find((vault) => vault.caller === "router");
  const [flags, entry, values] = await Promise.all([
    readVaultFlags(ctx, { chainId, vaults }),
    routed === undefined ? null : depositEntryForDisplay(ctx, routed),
    readVaultValues(ctx, { chainId, vaults }),
  ]);
  return { chainId, flags, entry, values };
}

interface PageInput {
  definitions: Context["chains"]["definitions"];
  matching: readonly Vault[];
  filter: VaultFilter;
  yields: Readonly<Record<string, Yields>>;
  chains: readonly ChainRead[];
}

function writePage({ definitions, matching, filter, yields, chains }: PageInput): Page<ListedVault> {
  const { limit, after } = filter;
  const byId = new Map(chains.map((read) => [read.chainId, read]));
  const listed: ListedVault[] = [];
  for (const vault of matching) {
    const chain = definitions.get(vault.chainId);
    const read = byId.get(vault.chainId);
    if (chain === undefined || read === undefined) continue;
    const wire = showVault(vault, { chain, read });
    if (filter.paused !== undefined && wire.paused !== filter.paused) continue;
    if (after !== undefined && !isAfter(vault, after)) continue;
    const tvl_usd = read.values[vault.vaultId] ?? null;
    listed.push({ ...wire, ...(yields[vault.vaultId] ?? noYields), tvl_usd });
    if (listed.length > limit) break;
  }
  return cutPage(listed, { limit, partsOf: (vault) => [vault.vault_id] });
}

function showVault(vault: Vault, on: { chain: ChainDefinition; read: ChainRead }): VaultSummary {
  const { flags, entry } = on.read;
  const own: DepositEntry = { via: "user", address: vault.entryPoint };
  return toWireVault(vault, {
    chain: on.chain,
    entry: vault.caller === "router" && entry?.via === "router" ? entry : own,
    pausedOnChain: flags[vault.vaultId]?.paused ?? false,
    minDeposit: flags[vault.vaultId]?.minDeposit ?? null,
  });
}

/** Returns true if lists show a vault. A vault that left these statuses stays readable by its id only. */
const isListed = ({ status }: Vault): boolean => status === "active" || status === "paused";

function matches(vault: Vault, filter: VaultFilter): boolean {
  const { asset, accepts } = filter;
  if (filter.chainId !== undefined && vault.chainId !== filter.chainId) return false;
  if (filter.type !== undefined && vault.type !== filter.type) return false;
  if (filter.curator !== undefined && vault.curator.toLowerCase() !== filter.curator.toLowerCase())
    return false;
  if (filter.q !== undefined && !vault.name.toLowerCase().includes(filter.q.toLowerCase())) return false;
  const taken = [vault.asset, ...vault.acceptedAssets];
  if (accepts !== undefined && !taken.some((token) => isNamed(token, accepts))) return false;
  return asset === undefined || isNamed(vault.asset, asset);
}

/** Returns true if a text is a token's address or symbol, in any letter case. */
function isNamed(token: Token, text: string): boolean {
  return sameAddress(token.address, text) || token.symbol.toLowerCase() === text.toLowerCase();
}

/** Returns true if a vault comes after `last` in the registry's order: by chain id, then by address. */
function isAfter(vault: Vault, last: VaultKey): boolean {
  if (vault.chainId !== last.chainId) return vault.chainId > last.chainId;
  return vault.address.toLowerCase() > last.address.toLowerCase();
}
