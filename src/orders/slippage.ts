import { deductParts, fractionToParts, mulDivDown, PARTS_PER_BILLION } from "../lib/amount.ts";

/** Largest slippage between preview and execution of a deposit without swap or bridge: 0.5 %. */
const MAX_DIRECT_LOSS = PARTS_PER_BILLION / 200n;
/** Largest cost of the deposit itself (entry fee, premium, an inflated share price) at any slippage: 3 %. */
const MAX_PRICE_LOSS = (PARTS_PER_BILLION * 3n) / 100n;
/** Tokens with at least this many decimals may lose one smallest unit to rounding. */
const ROUNDING_TOLERANT_DECIMALS = 6;

/**
 * Returns the slippage that a deposit may lose, in parts per billion: all of it when money is swapped or
 * bridged (`routed`), at most 0.5 % otherwise.
 */
export function allowedLoss(slippage: number, routed: boolean): bigint {
  const asked = fractionToParts(slippage);
  return routed || asked < MAX_DIRECT_LOSS ? asked : MAX_DIRECT_LOSS;
}

/**
 * Returns the minimum shares of a deposit: the previewed shares less the allowed loss, rounded down, at least
 * 1.
 */
export function minimumShares(previewShares: bigint, loss: bigint): bigint {
  const floor = deductParts(previewShares, loss);
  return floor > 0n ? floor : 1n;
}

/**
 * Returns true when the shares are worth their price: at most the slippage is lost, and never more than 3 %.
 * `price` is the vault's own share price, as the assets of a sample of shares. One smallest unit of rounding
 * is ignored for tokens with six or more decimals. Catches inflated vaults, entry fees and premiums. Amounts
 * in smallest units.
 */
export function priceIsSafe(deposit: {
  amount: bigint;
  shares: bigint;
  price: { assets: bigint; shares: bigint };
  slippage: number;
  assetDecimals: number;
}): boolean {
  const asked = fractionToParts(deposit.slippage);
  const tolerance =
    asked < MAX_PRICE_LOSS ? (asked > MAX_DIRECT_LOSS ? asked : MAX_DIRECT_LOSS) : MAX_PRICE_LOSS;
  const worth = mulDivDown(deposit.shares, deposit.price.assets, deposit.price.shares);
  const rounding = deposit.assetDecimals >= ROUNDING_TOLERANT_DECIMALS ? 1n : 0n;
  // Exact: rounding the minimum down would allow one unit more, which matters in a token of few decimals.
  return (worth + rounding) * PARTS_PER_BILLION >= deposit.amount * (PARTS_PER_BILLION - tolerance);
}
