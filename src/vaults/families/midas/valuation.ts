import { isAddressEqual, parseAbi, zeroAddress } from "viem";
import { createQuery, type Query, read } from "../../../chains/query.ts";
import { mulDivDown } from "../../../lib/amount.ts";
import { once } from "../../../lib/once.ts";
import type { LensVault } from "../../lens/position-lens.ts";
import type { Vault } from "../../vault.ts";
import { addressParam } from "../../vault-params.ts";
import { midasUnit } from "./params.ts";

const feedsAbi = once(() =>
  parseAbi([
    "function mTokenDataFeed() view returns (address)",
    "function tokensConfig(address) view returns (address dataFeed, uint256 fee, uint256 allowance, bool stable)",
  ]),
);
/** getDataInBase18() */
const PRICE_SELECTOR = "0x63692905";
const WAD = 10n ** 18n;
const HALF_WORD_BITS = 128n;

/** The feed that prices a row's asset; null: it has the fixed price, or none is known. */
const assetFeed = (vault: Vault) =>
  vault.params["asset_rate"] === "stable" ? null : addressParam(vault, "asset_feed");

/** The mToken's feed, with the asset's own where its price is not fixed. */
export function midasLens(vault: Vault): LensVault {
  const { shareToken, pricer } = vault;
  const feed = assetFeed(vault);
  const kind = feed === null ? "rate" : "pair";
  return { kind, shareToken, pricer, selector: PRICE_SELECTOR, argument: feed ?? pricer };
}

/**
 * What mTokens are worth in the asset, as a RedemptionVault converts them before its fee: by the mToken's feed into
 * the unit both feeds count in, from there by the asset's, cut to the asset's decimals; each step rounded down.
 * Null: the asset's price is not known. Source: midas-apps/contracts.
 */
export function midasWorth(vault: Vault, { shares, rate }: { shares: bigint; rate: bigint }): bigint | null {
  const unit = midasUnit(vault.asset.decimals);
  if (unit === null) return null;
  if (vault.params["asset_rate"] === "stable") return mulDivDown(shares, rate, WAD * unit);
  if (assetFeed(vault) === null) return null;
  const assetRate = BigInt.asUintN(Number(HALF_WORD_BITS), rate);
  if (assetRate === 0n) return null;
  return mulDivDown(mulDivDown(shares, rate >> HALF_WORD_BITS, WAD), WAD, assetRate) / unit;
}

/**
 * Whether the DepositVault names the feeds that the row was derived with: its administrator may replace them. A token
 * that it takes no more is priced as it was.
 */
export function midasStillValued(vault: Vault): Query<boolean> {
  const on = { to: vault.entryPoint, abi: feedsAbi() } as const;
  const reads = {
    feedOf: read({ ...on, name: "mTokenDataFeed" }),
    config: read({ ...on, name: "tokensConfig", args: [vault.asset.address] }),
  };
  return createQuery(reads, ({ feedOf, config }) => {
    if (!feedOf.ok || !config.ok || !isAddressEqual(feedOf.value, vault.pricer)) return false;
    const [feed, , , stable] = config.value;
    if (isAddressEqual(feed, zeroAddress)) return true;
    const priced = assetFeed(vault);
    return priced === null ? stable : !stable && isAddressEqual(feed, priced);
  });
}
