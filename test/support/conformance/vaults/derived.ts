import { deriveFromChain } from "../../../../src/registry/derive-registry-vault.ts";
import type { DerivedVault } from "../../../../src/vaults/vault-deriver.ts";
import { vaultOf } from "./deposit.ts";
import type { Placed } from "./family.ts";

type Row = Omit<DerivedVault, "name" | "acceptedAssets" | "caller">;

/**
 * Derives a vault's addresses, decimals and adapter parameters from its contracts. Returns a text with the reason if
 * that fails.
 */
export async function derivedRow(placed: Placed): Promise<Row | string> {
  const { chainId, adapter, ...row } = await vaultOf(placed);
  const client = placed.world.fresh().context().chains.client(chainId);
  if (client === null) throw new Error(`chain ${chainId} is not served`);
  const tokens = row.acceptedAssets.map((token) => token.address);
  const subject = { ...row, chainId, asset: row.asset.address, tokens };
  const derivation = await deriveFromChain(client, { adapter, subject });
  return derivation.ok ? rowOf(derivation.vault) : derivation.reason;
}

/** Returns the same fields from the stored registry row. */
export async function storedRow(placed: Placed): Promise<Row> {
  return rowOf(await vaultOf(placed));
}

function rowOf({ asset, shareToken, shareDecimals, entryPoint, spender, pricer, params = {} }: Row): Row {
  return { asset, shareToken, shareDecimals, entryPoint, spender, pricer, params };
}
