import type { Context } from "../context.ts";
import { type DepositEntry, shownEntry } from "../deposits/entry.ts";
import { toWireVault } from "../deposits/vault-wire.ts";
import { sameAddress } from "../lib/address.ts";
import { cutPage, type Page } from "../lib/page.ts";
import type { VaultKey } from "../lib/vault-id.ts";
import type { ListedVault, Vault as WireVault } from "../schemas/vault.ts";
import { listRegistry } from "../vaults/registry.ts";
import { readFlags } from "../vaults/state.ts";
import type { Vault } from "../vaults/vault.ts";
import { noYields, readYields } from "../vaults/yields.ts";

export interface VaultFilter {
  chainId?: number | undefined;
  /** Address or symbol of the asset, any case. */
  asset?: string | undefined;
  type?: string | undefined;
  curator?: string | undefined;
  /** Part of the name, any case. */
  q?: string | undefined;
  paused?: boolean | undefined;
  /** The last vault of the page before. */
  after?: VaultKey | undefined;
  limit: number;
}

/** Lists vaults in the order of their ids. Throws `store_unavailable`. */
export async function listVaults(ctx: Context, filter: VaultFilter): Promise<Page<ListedVault>> {
  const { all } = await listRegistry(ctx);
  const matching = all.filter((vault) => matches(vault, filter));
  const chains = new Set(matching.map((vault) => vault.chainId));
  const yieldsRead = readYields(ctx);
  const shown = new Map(await Promise.all([...chains].map((chainId) => showChain(ctx, { chainId, all }))));
  const yields = await yieldsRead;
  const { limit, after } = filter;
  const listed: ListedVault[] = [];
  for (const vault of matching) {
    const wire = shown.get(vault.chainId)?.(vault);
    if (wire === undefined || (filter.paused !== undefined && wire.paused !== filter.paused)) continue;
    if (after !== undefined && !isAfter(vault, after)) continue;
    listed.push({ ...wire, ...(yields[vault.vaultId] ?? noYields) });
    if (listed.length > limit) break;
  }
  return cutPage(listed, { limit, partsOf: (vault) => [vault.vault_id] });
}

/** What all vaults of one chain need to be shown: flags in one read, and whether the Router is there. */
async function showChain(
  ctx: Context,
  input: { chainId: number; all: readonly Vault[] },
): Promise<[number, (vault: Vault) => WireVault | undefined]> {
  const { chainId } = input;
  const vaults = input.all.filter((vault) => vault.chainId === chainId);
  const routed = vaults.find((vault) => vault.caller === "router");
  const [flags, entry] = await Promise.all([
    readFlags(ctx, { chainId, vaults }),
    routed === undefined ? null : shownEntry(ctx, routed),
  ]);
  const chain = ctx.chains.definitions.get(chainId);
  const show = (vault: Vault): WireVault | undefined => {
    if (chain === undefined) return undefined;
    const own: DepositEntry = { via: "user", address: vault.entryPoint };
    const through = vault.caller === "router" && entry?.via === "router" ? entry : own;
    return toWireVault(vault, {
      chain,
      entry: through,
      pausedOnChain: flags[vault.vaultId]?.paused ?? false,
      minDeposit: flags[vault.vaultId]?.minDeposit ?? null,
    });
  };
  return [chainId, show];
}

function matches(vault: Vault, filter: VaultFilter): boolean {
  const { asset } = filter;
  if (filter.chainId !== undefined && vault.chainId !== filter.chainId) return false;
  if (filter.type !== undefined && vault.type !== filter.type) return false;
  if (filter.curator !== undefined && vault.curator.toLowerCase() !== filter.curator.toLowerCase())
    return false;
  if (filter.q !== undefined && !vault.name.toLowerCase().includes(filter.q.toLowerCase())) return false;
  if (asset === undefined) return true;
  return sameAddress(vault.asset.address, asset) || vault.asset.symbol.toLowerCase() === asset.toLowerCase();
}

/** The registry's order: by chain, then by address. */
function isAfter(vault: Vault, last: VaultKey): boolean {
  if (vault.chainId !== last.chainId) return vault.chainId > last.chainId;
  return vault.address.toLowerCase() > last.address.toLowerCase();
}
