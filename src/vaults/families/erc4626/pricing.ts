import { parseAbi } from "viem";
import { type ReadResult, read } from "../../../chains/query.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import type { DepositTerms } from "../../vault-adapter.ts";

const priceAbi = once(() => parseAbi(["function convertToAssets(uint256) view returns (uint256)"]));
/** Assets with fewer decimals round one share's worth too coarsely to judge a price by. */
const FINE_DECIMALS = 6;
/** A price of fewer units than these is off by more than a millionth, and taken of so many times the shares. */
const FINE_UNITS = 10n ** BigInt(FINE_DECIMALS);

type PriceResults = { price: ReadResult<bigint>; finePrice: ReadResult<bigint> };

/**
 * Shares whose worth shows a price to a millionth, however few decimals the asset has, where `decimals` are true.
 * `scale`: decimals that the shares have beyond those their token names.
 */
export function sampleShares({ shareDecimals, asset }: Vault, scale = 0): bigint {
  return 10n ** BigInt(shareDecimals + scale + Math.max(0, FINE_DECIMALS - asset.decimals));
}

/** What some shares are worth by the vault's own conversion, and what a million times as many are. */
export function samplePriceReads(vault: Vault, shares: bigint) {
  const on = { to: vault.pricer, abi: priceAbi(), name: "convertToAssets" } as const;
  return { price: read({ ...on, args: [shares] }), finePrice: read({ ...on, args: [shares * FINE_UNITS] }) };
}

/**
 * What so many shares are worth; of more shares where one share is worth next to nothing, if the vault converts so
 * many. Null: it was not told.
 */
export function samplePrice(shares: bigint, { price, finePrice }: PriceResults): DepositTerms["price"] {
  if (!price.ok) return null;
  if (price.value >= FINE_UNITS || !finePrice.ok) return { assets: price.value, shares };
  return { assets: finePrice.value, shares: shares * FINE_UNITS };
}
