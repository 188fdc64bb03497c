/** The largest uint256. */
export const MAX_UINT256 = 2n ** 256n - 1n;

/** Denominator of the fractions used for slippage and tolerances. */
export const PARTS_PER_BILLION = 1_000_000_000n;

/** Returns the larger of two amounts; the other one when one is unknown. */
export function larger(a: bigint | null, b: bigint | null): bigint | null {
  if (a === null || b === null) return a ?? b;
  return a > b ? a : b;
}

/** Returns the smaller of two amounts; the other one when one is unknown. */
export function smaller(a: bigint | null, b: bigint | null): bigint | null {
  if (a === null || b === null) return a ?? b;
  return a < b ? a : b;
}

/** Returns `a * b / denominator` rounded down. Throws a RangeError when the denominator is zero. */
export function mulDivDown(a: bigint, b: bigint, denominator: bigint): bigint {
  if (denominator === 0n) throw new RangeError("division by zero");
  return (a * b) / denominator;
}

/**
 * Converts a fraction of at most nine decimals (0.03) to parts per billion, rounded down: as an allowed loss, the
 * smaller figure is safer for the user.
 */
export function fractionToParts(fraction: number): bigint {
  return BigInt(Math.floor(fraction * Number(PARTS_PER_BILLION) + 1e-6));
}

/** Returns `amount × (1 − loss)` rounded down, `loss` in parts per billion. */
export function deductParts(amount: bigint, loss: bigint): bigint {
  return mulDivDown(amount, PARTS_PER_BILLION - loss, PARTS_PER_BILLION);
}

/**
 * Finds by bisection the least amount from 1 to `limit` for which a condition holds, given that it holds for every
 * larger amount too; null when it holds for none.
 */
export function leastAmount(limit: bigint, holds: (amount: bigint) => boolean): bigint | null {
  if (limit < 1n || !holds(limit)) return null;
  let [low, high] = [1n, limit];
  while (low < high) {
    const middle = (low + high) / 2n;
    if (holds(middle)) high = middle;
    else low = middle + 1n;
  }
  return low;
}
