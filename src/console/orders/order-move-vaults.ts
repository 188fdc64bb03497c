import type { Vault } from "../../client/operations/read-operations.ts";
import type { Position } from "../portfolio/portfolio-search.ts";

/** The part of a position that decides into which vaults it can be moved. */
type Moved = Pick<Position, "vaultId" | "chainId" | "assetAddress" | "assetSymbol">;

/**
 * Returns true if a vault holds the asset of a position: the same token, or on another chain a token with the same
 * symbol, ignoring letter case, which is only a guess.
 */
export function holdsSameAsset(moved: Moved, { chainId, asset }: Pick<Vault, "chainId" | "asset">): boolean {
  if (chainId !== moved.chainId) return asset.symbol.toUpperCase() === moved.assetSymbol.toUpperCase();
  return asset.address.toLowerCase() === moved.assetAddress.toLowerCase();
}

/**
 * Returns the vaults that are offered for moving a position: all others that are not paused. Vaults with the same asset
 * come first, those on the same chain before others; then by name.
 */
export function moveTargets(vaults: readonly Vault[], moved: Moved): Vault[] {
  const rank = (vault: Vault): number => {
    if (!holdsSameAsset(moved, vault)) return 2;
    return vault.chainId === moved.chainId ? 0 : 1;
  };
  return vaults
    .filter((vault) => !vault.paused && vault.vaultId !== moved.vaultId)
    .sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name));
}
