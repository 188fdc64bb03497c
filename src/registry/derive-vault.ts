import type { Context } from "../context.ts";
import type { DerivedColumns } from "../db/queries/vaults.ts";
import { failure } from "../errors.ts";
import type { DerivationSubject } from "../vaults/derivation.ts";
import { type Derivation, type DerivedVault, underivable } from "../vaults/derivation.ts";
import { deriveFromChain } from "../vaults/derive-vault.ts";
import { findAdapter } from "../vaults/families.ts";

/**
 * Derives a vault's addresses from its chain by its adapter; nobody types them in. A family that derives nothing has
 * its vaults from the reviewed seed rows only. Throws what the chain client throws: a chain that does not answer says
 * nothing of a vault.
 */
export async function deriveVault(
  ctx: Context,
  vault: DerivationSubject & { adapter: string },
): Promise<Derivation> {
  const { adapter, ...subject } = vault;
  if (findAdapter(adapter) === null) return underivable(`no adapter is called ${adapter}`);
  const client = ctx.chains.client(subject.chainId);
  if (client === null) return underivable(`chain ${subject.chainId} is not served`);
  return deriveFromChain(client, { adapter, subject });
}

/** Throws `chain_unsupported` for a chain that this deployment does not serve. */
export function assertServedChain(ctx: Context, chainId: number): void {
  if (ctx.chains.definitions.has(chainId)) return;
  throw failure("chain_unsupported", `chain ${chainId} is not served`);
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
