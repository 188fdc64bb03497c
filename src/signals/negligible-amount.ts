/** Amounts, in whole tokens, below which a movement is not worth a word, by what the asset's symbol contains. */
const MIN_WHOLE_AMOUNTS: readonly (readonly [symbol: string, thousandths: bigint])[] = [
  ["BTC", 1n],
  ["ETH", 30n],
  ["BNB", 100n],
  ["HYPE", 3_000n],
  ["AVAX", 5_000n],
];
/** Of anything else: most are worth about a dollar or less. */
const MIN_ANY_AMOUNT = 100_000n;

/** The rule in words, for the public list. */
export const NEGLIGIBLE_RULE =
  "never for less than 0.001 BTC, 0.03 ETH, 0.1 BNB, 3 HYPE, 5 AVAX or 100 of any other asset, by its symbol; an " +
  "asset that this service does not know is named with its contract";

/**
 * Whether an amount is too small to tell of, whatever part of a vault it is: an order of magnitude, about a hundred
 * dollars, that needs no price. In the asset's smallest unit; the sign does not count. A token that calls itself what
 * it is not has its floor too, which is low: what is told of it names its contract.
 */
export function isNegligible(asset: { assetSymbol: string; assetDecimals: number }, amount: bigint): boolean {
  const symbol = asset.assetSymbol.toUpperCase();
  const [, thousandths = MIN_ANY_AMOUNT] = MIN_WHOLE_AMOUNTS.find(([part]) => symbol.includes(part)) ?? [];
  const size = amount < 0n ? -amount : amount;
  return size * 1_000n < thousandths * 10n ** BigInt(asset.assetDecimals);
}
