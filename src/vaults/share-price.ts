import { MAX_UINT256 } from "../lib/amount.ts";

/**
 * What a vault's detail shows as its price: whole assets per whole share, times 10^18, rounded down, by a
 * sample of both in smallest units. Null when there is no sample, or when the result is no uint256.
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
