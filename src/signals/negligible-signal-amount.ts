/**
 * Amounts below which a flow or a vault is negligible, in thousandths of a token, by a text in the asset's symbol: that
 * of wrapped or staked ether contains `ETH`.
 */
const MIN_WHOLE_AMOUNTS: readonly (readonly [symbol: string, thousandths: bigint])[] = [
  ["BTC", 1n],
  ["ETH", 30n],
  ["BNB", 100n],
  ["HYPE", 3_000n],
  ["AVAX", 5_000n],
];
/**
 * Smallest amount that is not negligible of an asset without an entry in the table above, in thousandths of a token.
 * Most of these assets are worth a dollar or less.
 */
const MIN_ANY_AMOUNT = 100_000n;

/** Sentence for customers about the amounts that `isNegligible` covers. */
export const NEGLIGIBLE_RULE =
  "Amounts below 0.001 BTC, 0.03 ETH, 0.1 BNB, 3 HYPE or 5 AVAX (also of tokens with one of these in their symbol) or 100 of any " +
  "other token are ignored.";

/**
 * Returns true if an amount is negligible, by the asset's symbol (see `NEGLIGIBLE_RULE`). No price is used.
 * `amount` is in the asset's smallest unit; its sign is ignored.
 */
export function isNegligible(asset: { assetSymbol: string; assetDecimals: number }, amount: bigint): boolean {
  const symbol = asset.assetSymbol.toUpperCase();
  const [, thousandths = MIN_ANY_AMOUNT] = MIN_WHOLE_AMOUNTS.find(([part]) => symbol.includes(part)) ?? [];
  const size = amount < 0n ? -amount : amount;
  return size * 1_000n < thousandths * 10n ** BigInt(asset.assetDecimals);
}
