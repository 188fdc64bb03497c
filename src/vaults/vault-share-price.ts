import { MAX_UINT256 } from "../lib/amount.ts";

/**
 * Returns the share price: whole assets per whole share, times 10^18, rounded down. `sample` has both amounts in smallest units.
 * Null without a sample, with a sample of no shares, or when the price does not fit a uint256.
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
