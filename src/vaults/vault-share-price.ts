import { MAX_UINT256 } from "../lib/amount.ts";

/**
 * Returns whole assets per whole share, times 10^18, rounded down, from a number of shares and their value in smallest
 * units. Null if there is no sample, it has no shares, or the price does not fit into a uint256.
 */
export function sharePriceOf(
  sample: { assets: bigint; shares: bigint } | null,
  decimals: { asset: number; share: number },
): bigint | null {
  if (sample === null || sample.shares === 0n) return null;
  const scaled = sample.assets * 10n ** BigInt(18 + decimals.share);
  const price = scaled / (sample.shares * 10n ** BigInt(decimals.asset));
  return price > MAX_UINT256 ? null : price;
}

/**
 * Minimum value of a sample from which a fee is computed, in the asset's smallest unit. Rounding then stays below
 * 0.03%.
 */
const LEAST_SAMPLE = 10_000n;
/**
 * Maximum difference between two conversions of the same shares that counts as rounding, in the asset's smallest unit.
 */
export const CONVERSION_ROUNDING = 2n;
const FEE_PARTS = 10n ** 9n;

/**
 * Returns the fee of an instant withdrawal as a fraction, rounded up to a billionth. `gross` is the value of some
 * shares, `net` the payment for them, both in the asset's smallest unit. Null if one is unknown or `gross` is below
 * 10,000; otherwise 0 if `net` is more, or less by at most 2, which may be rounding.
 */
export function exitFeeOf({ gross, net }: { gross: bigint | null; net: bigint | null }): number | null {
  if (gross === null || net === null || gross < LEAST_SAMPLE) return null;
  const fee = gross - net;
  if (fee <= CONVERSION_ROUNDING) return 0;
  return Number((fee * FEE_PARTS + gross - 1n) / gross) / Number(FEE_PARTS);
}
