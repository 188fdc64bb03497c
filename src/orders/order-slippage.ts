import { deductParts, fractionToParts, mulDivDown, PARTS_PER_BILLION } from "../lib/amount.ts";

/** Maximum loss between preview and execution of a deposit without a swap or bridge: 0.5%, in parts per billion. */
const MAX_DIRECT_LOSS = PARTS_PER_BILLION / 200n;
/**
 * Maximum cost of the vault deposit itself (entry fee, premium, inflated share price), however high the user's
 * slippage: 3%, in parts per billion.
 */
export const MAX_PRICE_LOSS = (PARTS_PER_BILLION * 3n) / 100n;
/** Decimals from which one smallest unit of a token is worth so little that a rounding loss of one unit is ignored. */
const ROUNDING_TOLERANT_DECIMALS = 6;

/**
 * Returns the maximum loss that a deposit or redemption tolerates, in parts per billion: the user's slippage (a
 * fraction), limited to 0.5% unless tokens are swapped or bridged (`routed`).
 */
export function allowedLoss(slippage: number, routed: boolean): bigint {
  const asked = fractionToParts(slippage);
  return routed || asked < MAX_DIRECT_LOSS ? asked : MAX_DIRECT_LOSS;
}

/**
 * Returns the minimum shares of a deposit in the share token's smallest unit: the previewed shares minus the allowed
 * loss (in parts per billion), rounded down, but at least 1.
 */
export function minimumShares(previewShares: bigint, loss: bigint): bigint {
  const floor = deductParts(previewShares, loss);
  return floor > 0n ? floor : 1n;
}

/**
 * Returns true if a deposit's shares are worth its amount at the vault's share price (`price.shares` for
 * `price.assets`), less the slippage, which counts as 0.5% to 3%, and one unit for rounding if the asset has six
 * decimals or more. Amounts are in smallest units; `price.shares` must not be zero.
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
  // Computed without rounding: rounding the minimum down would allow one more unit, which matters for a token with few
  // decimals.
  return (worth + rounding) * PARTS_PER_BILLION >= deposit.amount * (PARTS_PER_BILLION - tolerance);
}

/** Smallest slippage with which a second step is built, as a fraction: with less, hardly any route would pass. */
const LEAST_SLIPPAGE = 0.001;

/**
 * Returns the part of a slippage tolerance that a second step may use, after a first one paid `paid` of `promised`, both
 * in the same smallest unit. Between 0.001 and the whole tolerance (a fraction).
 */
export function slippageLeft(
  slippage: number,
  { promised, paid }: Record<"promised" | "paid", bigint>,
): number {
  if (paid === 0n || paid >= promised) return slippage;
  const left = 1 - (1 - slippage) * (Number(promised) / Number(paid));
  return Math.min(slippage, Math.max(left, LEAST_SLIPPAGE));
}
