/** Thousandths of a token below which an amount is negligible, by a part of the asset's symbol. */
const MIN_WHOLE_AMOUNTS: readonly (readonly [symbol: string, thousandths: bigint])[] = [
  ["BTC", 1n],
  ["ETH", 30n],
  ["BNB", 100n],
  ["HYPE", 3_000n],
  ["AVAX", 5_000n],
];
/** Thousandths of a token for any other asset: most are worth a dollar or less. */
const MIN_ANY_AMOUNT = 100_000n;

/** The exemption as the public list of rules states it. */
export const NEGLIGIBLE_RULE =
  "amounts below 0.001 BTC, 0.03 ETH, 0.1 BNB, 3 HYPE, 5 AVAX or 100 units of any other asset are ignored (by the " +
  "asset's symbol; assets unknown to this service are shown with their contract address)";

/**
 * Returns true for an amount that is too small for a signal, however large a part of the vault it is: about a hundred
 * dollars, estimated without a price. `amount` is in the asset's smallest unit; its sign does not count. A token with a
 * misleading symbol gets that symbol's threshold, which is harmless: the signal shows its contract address.
 */
export function isNegligible(asset: { assetSymbol: string; assetDecimals: number }, amount: bigint): boolean {
  const symbol = asset.assetSymbol.toUpperCase();
  const [, thousandths = MIN_ANY_AMOUNT] = MIN_WHOLE_AMOUNTS.find(([part]) => symbol.includes(part)) ?? [];
  const size = amount < 0n ? -amount : amount;
  return size * 1_000n < thousandths * 10n ** BigInt(asset.assetDecimals);
}
