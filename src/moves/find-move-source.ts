import type { Context } from "../context.ts";
import { failure } from "../errors.ts";
import { sameAddress } from "../lib/address.ts";
import type { BuildInput } from "../schemas/build-input-schema.ts";
import { findStoredVault, listRegistry } from "../vaults/find-vault.ts";
import type { Vault } from "../vaults/vault.ts";

/**
 * Whether a deposit is paid with the share token of another vault (`other`) or of the target vault (`own`). `none` is
 * any other payment, a share that the target vault accepts as a token, or an unknown target vault.
 */
export type PaidShare = { kind: "other"; vault: Vault } | { kind: "own" } | { kind: "none" };

/**
 * Returns the vault of a chain that has the given share token: of several, the first active one, otherwise the first. A
 * vault that replaces another may have the same share. Undefined if no vault has it.
 */
export function vaultOfShare(
  all: readonly Vault[],
  { chainId, token }: { chainId: number; token: string },
): Vault | undefined {
  const sharing = all.filter((one) => one.chainId === chainId && sameAddress(one.shareToken, token));
  return sharing.find(({ status }) => status === "active") ?? sharing[0];
}

/**
 * Returns whether a deposit is paid with a vault's shares, and reads a vault of kind `other` from Postgres. Throws
 * `store_unavailable`, `vault_not_found`, and `token_unsupported` if the token is no longer that vault's share.
 */
export async function findMovedVault(ctx: Context, input: BuildInput): Promise<PaidShare> {
  const { from_chain_id: chainId, from_token: token, vault_id: target } = input;
  const { all } = await listRegistry(ctx);
  const paid = vaultOfShare(all, { chainId, token });
  if (paid === undefined) return { kind: "none" };
  const into = all.find((one) => one.chainId === target.chainId && sameAddress(one.address, target.address));
  if (into === undefined) return { kind: "none" };
  if (into.chainId === chainId) {
    const taken = [into.asset, ...into.acceptedAssets];
    if (taken.some(({ address }) => sameAddress(address, token))) return { kind: "none" };
    if (sameAddress(into.shareToken, token)) return { kind: "own" };
  }
  const key = { chainId, address: paid.address };
  const vault = await findStoredVault(ctx, key);
  if (!sameAddress(vault.shareToken, token))
    throw failure("token_unsupported", "from_token is no longer the share of this vault");
  return { kind: "other", vault };
}
