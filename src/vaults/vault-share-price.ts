import { MAX_UINT256 } from "../lib/amount.ts";

/**
 * Returns the share price: assets per share, both in whole tokens, scaled by 10^18 and rounded down. `sample` is an
 * amount of shares and its value in assets, both in smallest units. Returns null if there is no sample, the sample has
 * no shares or the price does not fit into a uint256.
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
