import { isAddressEqual, parseAbi, zeroAddress } from "viem";
import { createQuery, type Query, read } from "../../../chains/chain-query.ts";
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
/** getDataInBase18() */
const PRICE_SELECTOR = "0x63692905";
const HALF_WORD_BITS = 128n;

/** Returns the feed of a row's asset; null when the asset has a fixed price or no known feed. */
const assetFeed = (vault: Vault) =>
  vault.params["asset_rate"] === "stable" ? null : addressParam(vault, "asset_feed");

/** Returns how the lens reads the mToken's feed, together with the asset's feed where its price is not fixed. */
export function midasLens(vault: Vault): LensVault {
  const { shareToken, pricer } = vault;
  const feed = assetFeed(vault);
  const kind = feed === null ? "rate" : "pair";
  return { kind, shareToken, pricer, selector: PRICE_SELECTOR, argument: feed ?? pricer };
}

/**
 * Converts mTokens to the asset as a RedemptionVault does before its fee: by the mToken's feed to the currency of both feeds,
 * then by the asset's feed, with each step rounded down. Null when the asset's price is not known. Source: midas-apps/contracts.
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
 * Reads whether the DepositVault still uses the feeds of the registry row, which its administrator may replace. A token that it
 * no longer accepts keeps its price.
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
