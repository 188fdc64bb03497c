import type { ChainFlows } from "../db/queries/user-flow-queries.ts";
import { sameAddress } from "../lib/address.ts";
import type { Vault } from "../vaults/vault.ts";
import { depositedAssets } from "./position-flows.ts";
import type { HeldShares } from "./position-shares.ts";

/**
 * Returns a user's shares on one chain, with each share token counted once, at a vault in which the user has flows if
 * there is one. `flowsOf` is only called if several vaults have the same share token.
 */
export async function withoutRepeatedTokens(
  held: readonly HeldShares[],
  flowsOf: () => Promise<ChainFlows | undefined>,
): Promise<HeldShares[]> {
  const byToken = new Map<string, HeldShares[]>();
  for (const one of held) {
    const token = one.vault.shareToken.toLowerCase();
    byToken.set(token, [...(byToken.get(token) ?? []), one]);
  }
  if (byToken.size === held.length) return [...held];
  const used = new Set(Object.keys((await flowsOf())?.sums ?? {}));
  const rank = ({ vault }: HeldShares): number =>
    (used.has(vault.address.toLowerCase()) ? 0 : 2) + (vault.status === "active" ? 0 : 1);
  return [...byToken.values()].flatMap((group) => group.toSorted((a, b) => rank(a) - rank(b))[0] ?? []);
}

/**
 * Returns the sum of `depositedAssets` over those `vaults` with the share token of `vault`, because shares of one may
 * be redeemed at another. Null if unknown, if the user has flows in none, or if one with flows has another asset.
 */
export function depositedForToken(
  flows: ChainFlows | undefined,
  of: Omit<Parameters<typeof depositedAssets>[1], "vaultAddress"> & {
    vault: Vault;
    vaults: readonly Vault[];
  },
): bigint | null {
  const { vault } = of;
  const sums = flows?.sums ?? {};
  const sharing = of.vaults.filter((one) => sameAddress(one.shareToken, vault.shareToken));
  if (sharing.some((one) => flows?.unindexed.includes(one.address.toLowerCase()))) return null;
  const used = sharing.filter((one) => one.address.toLowerCase() in sums);
  if (used.some((one) => !sameAddress(one.asset.address, vault.asset.address))) return null;
  const parts = used.map(({ address }) => depositedAssets(flows, { ...of, vaultAddress: address }));
  if (parts.length === 0) return null;
  return parts.reduce<bigint | null>((sum, part) => (sum === null || part === null ? null : sum + part), 0n);
}
