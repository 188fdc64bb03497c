import { parseAbi } from "viem";
import { type ReadResult, read } from "../../../chains/query.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import type { DepositTerms } from "../../vault-adapter.ts";

const priceAbi = once(() => parseAbi(["function convertToAssets(uint256) view returns (uint256)"]));
/** With fewer decimals, the conversion of one share is rounded too coarsely for a price. */
const FINE_DECIMALS = 6;
/** A conversion to fewer units is off by more than a millionth; then the sample is this many times larger. */
const FINE_UNITS = 10n ** BigInt(FINE_DECIMALS);

type PriceResults = { price: ReadResult<bigint>; finePrice: ReadResult<bigint> };

/**
 * Returns a number of shares whose conversion shows the price to a millionth, however few decimals the asset has. `scale`:
 * decimals that shares have in addition to `decimals()`.
 */
export function sampleShares({ shareDecimals, asset }: Vault, scale = 0): bigint {
  return 10n ** BigInt(shareDecimals + scale + Math.max(0, FINE_DECIMALS - asset.decimals));
}

/** Reads of the conversion of a number of shares, and of a million times as many. */
export function samplePriceReads(vault: Vault, shares: bigint) {
  const on = { to: vault.pricer, abi: priceAbi(), name: "convertToAssets" } as const;
  return { price: read({ ...on, args: [shares] }), finePrice: read({ ...on, args: [shares * FINE_UNITS] }) };
}

/**
 * Returns the sample of the share price: the larger one where the smaller is too coarse and the vault converts so many. Null when
 * the conversion failed.
 */
export function samplePrice(shares: bigint, { price, finePrice }: PriceResults): DepositTerms["price"] {
  if (!price.ok) return null;
  if (price.value >= FINE_UNITS || !finePrice.ok) return { assets: price.value, shares };
  return { assets: finePrice.value, shares: shares * FINE_UNITS };
}
