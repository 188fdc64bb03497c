import { isAddressEqual, parseAbi, zeroAddress } from "viem";
import { createQuery, type Query, read } from "../../../chains/chain-reads.ts";
import { mulDivDown } from "../../../lib/amount.ts";
import { once } from "../../../lib/once.ts";
import type { LensVault } from "../../lens/position-lens.ts";
import type { Vault } from "../../vault.ts";
import { addressParam } from "../../vault-params.ts";
import { midasUnit } from "./midas-params.ts";
import { WAD } from "./midas-pricing.ts";

const feedsAbi = once(() =>
  parseAbi([
    "function mTokenDataFeed() view returns (address)",
    "function tokensConfig(address) view returns (address dataFeed, uint256 fee, uint256 allowance, bool stable)",
  ]),
);
/** Selector of `getDataInBase18()`, which returns the price of a Midas price feed with 18 decimals. */
const PRICE_SELECTOR = "0x63692905";
/** Size in bits of each of the two prices in the word that a lens of kind `pair` returns. */
const HALF_WORD_BITS = 128n;

/**
 * Returns the price feed of the vault's asset, or null if the asset has a fixed price or no known feed. Throws an Error
 * if the feed is not an address.
 */
export const assetFeed = (vault: Vault) =>
  vault.params["asset_rate"] === "stable" ? null : addressParam(vault, "asset_feed");

/**
 * Returns how the position lens values mTokens: by the mToken's price feed and, unless the asset's price is fixed or
 * its feed unknown, by that of the asset. Throws as `assetFeed` does.
 */
export function midasLens(vault: Vault): LensVault {
  const { shareToken, pricer } = vault;
  const feed = assetFeed(vault);
  const kind = feed === null ? "rate" : "pair";
  return { kind, shareToken, pricer, selector: PRICE_SELECTOR, argument: feed ?? pricer };
}

/**
 * Converts mTokens to the asset's smallest unit, rounded down, as a RedemptionVault does before its fee. `rate` is the
 * word that the position lens read. Null if the asset's price is unknown or 0, or if the asset has more than 18
 * decimals. Throws as `assetFeed` does. Source: midas-apps/contracts.
 */
export function midasToAssets(
  vault: Vault,
  { shares, rate }: { shares: bigint; rate: bigint },
): bigint | null {
  const unit = midasUnit(vault.asset.decimals);
  if (unit === null) return null;
  if (vault.params["asset_rate"] === "stable") return mulDivDown(shares, rate, WAD * unit);
  if (assetFeed(vault) === null) return null;
  const assetRate = BigInt.asUintN(Number(HALF_WORD_BITS), rate);
  if (assetRate === 0n) return null;
  return mulDivDown(mulDivDown(shares, rate >> HALF_WORD_BITS, WAD), WAD, assetRate) / unit;
}

/**
 * Returns a query for whether the DepositVault still uses the registry entry's price feeds; false if this cannot be
 * read. The asset's feed counts as unchanged if the DepositVault no longer accepts the asset.
 */
export function midasPricingUnchanged(vault: Vault): Query<boolean> {
  const on = { to: vault.entryPoint, abi: feedsAbi() } as const;
  const reads = {
    feedOf: read({ ...on, name: "mTokenDataFeed" }),
    config: read({ ...on, name: "tokensConfig", args: [vault.asset.address] }),
  };
  return createQuery(reads, ({ feedOf, config }) => {
    if (!feedOf.ok || !config.ok || !isAddressEqual(feedOf.value, vault.pricer)) return false;
    const [feed, , , stable] = config.value;
    if (isAddressEqual(feed, zeroAddress)) return true;
    const known = assetFeed(vault);
    return known === null ? stable : !stable && isAddressEqual(feed, known);
  });
}
