import { deductParts, fractionToParts, mulDivDown, PARTS_PER_BILLION } from "../lib/amount.ts";

/** The most a deposit without swap or bridge may lose between preview and execution: 0.5 %. */
const MAX_DIRECT_LOSS = PARTS_PER_BILLION / 200n;
/** The most that depositing itself may cost (entry fee, premium, an inflated price), whatever slippage is asked: 3 %. */
const MAX_PRICE_LOSS = (PARTS_PER_BILLION * 3n) / 100n;
/** Tokens with at least so many decimals round by an amount nobody misses. */
const ROUNDING_TOLERANT_DECIMALS = 6;

/**
 * The loss that is allowed between expectation and shares, in parts per billion: the whole slippage for a
 * deposit that swaps or bridges, at most 0.5 % for one that does neither.
 */
export function allowedLoss(slippage: number, moves: boolean): bigint {
  const asked = fractionToParts(slippage);
  return moves || asked < MAX_DIRECT_LOSS ? asked : MAX_DIRECT_LOSS;
}

/** The least shares a deposit must mint: the previewed ones less the allowed loss, rounded down, at least 1. */
export function minimumShares(previewShares: bigint, loss: bigint): bigint {
  const floor = deductParts(previewShares, loss);
  return floor > 0n ? floor : 1n;
}

/**
 * Whether shares are worth what is paid for them, within the slippage but never beyond 3 %. `price` is the
 * vault's own: what a sample of shares converts to. One smallest unit of rounding is ignored for tokens of
 * six decimals and more. Catches inflated vaults, entry fees and premiums. Amounts in smallest units.
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
  // Exact: rounding the least worth down would allow a unit more, which counts in a token of few decimals.
  return (worth + rounding) * PARTS_PER_BILLION >= deposit.amount * (PARTS_PER_BILLION - tolerance);
}
