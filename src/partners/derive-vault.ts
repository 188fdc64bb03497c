import type { Context } from "../context.ts";
import type { DerivedColumns } from "../db/queries/audited-vaults.ts";
import type { VaultKey } from "../lib/vault-id.ts";
import { findAdapter } from "../vaults/adapters.ts";
import { type Derivation, type DerivedVault, underivable } from "../vaults/derivation.ts";
import { readNow } from "../vaults/state.ts";

/**
 * Derives a vault's addresses from its chain by its adapter; nobody types them in. A family that derives nothing has
 * its vaults from the reviewed seed rows only. Throws what the chain client throws: a chain that does not answer says
 * nothing of a vault.
 */
export async function deriveVault(ctx: Context, vault: VaultKey & { adapter: string }): Promise<Derivation> {
  const { chainId, adapter: name } = vault;
  const adapter = findAdapter(name);
  if (adapter === null) return underivable(`no adapter is called ${name}`);
  if (adapter.derive === undefined) return underivable(`the adapter ${name} derives no addresses`);
  if (ctx.chains.client(chainId) === null) return underivable(`chain ${chainId} is not served`);
  return (await readNow(ctx, { chainId, described: adapter.derive(vault) })).value;
}

/** The registry row's part that a derivation fills in. */
export function toDerivedColumns(vault: DerivedVault): DerivedColumns {
  const { asset, acceptedAssets, caller, params } = vault;
  return {
    assetAddress: asset.address.toLowerCase(),
    assetSymbol: asset.symbol,
    assetDecimals: asset.decimals,
    acceptedAssets: [...acceptedAssets],
    shareToken: vault.shareToken.toLowerCase(),
    shareDecimals: vault.shareDecimals,
    entryPoint: vault.entryPoint.toLowerCase(),
    spender: vault.spender.toLowerCase(),
    pricer: vault.pricer.toLowerCase(),
    ...(caller === undefined ? {} : { caller }),
    ...(params === undefined ? {} : { params: { ...params } }),
  };
}
