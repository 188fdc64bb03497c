import type { BridgeToken } from "../../bridge/bridge-chains.ts";

const BPS = 10_000n;
const FEE_BPS = 10n;

/**
 * Returns the exchange's exact output in smallest units, after its fee of 0.1 %, while its price has no slippage. See
 * Exchange.sol.
 */
export function exchangeQuote(
  { from, to }: { from: BridgeToken; to: BridgeToken },
  amountIn: bigint,
): bigint {
  return (((amountIn * unitPrice(from)) / unitPrice(to)) * (BPS - FEE_BPS)) / BPS;
}

const unitPrice = ({ priceUsd, decimals }: BridgeToken): bigint =>
  BigInt(priceUsd * 10 ** 8) * 10n ** BigInt(28 - decimals);
