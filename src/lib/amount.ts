/** The largest uint256. */
export const MAX_UINT256 = 2n ** 256n - 1n;

/** Denominator of the fractions used for slippage and tolerances. */
export const PARTS_PER_BILLION = 1_000_000_000n;

/** The larger of two amounts, either of which may be unknown. */
export function larger(a: bigint | null, b: bigint | null): bigint | null {
  if (a === null || b === null) return a ?? b;
  return a > b ? a : b;
}

/** The smaller of two amounts, either of which may be unknown. */
export function smaller(a: bigint | null, b: bigint | null): bigint | null {
  if (a === null || b === null) return a ?? b;
  return a < b ? a : b;
}

/** `a * b / denominator` rounded down. Throws a RangeError when the denominator is zero. */
export function mulDivDown(a: bigint, b: bigint, denominator: bigint): bigint {
  if (denominator === 0n) throw new RangeError("division by zero");
  return (a * b) / denominator;
}

/**
 * Turns a fraction of at most nine decimals (0.03) into parts per billion, rounded down: as a loss that
 * is allowed, the smaller figure is the safer one for the user.
 */
export function fractionToParts(fraction: number): bigint {
  return BigInt(Math.floor(fraction * Number(PARTS_PER_BILLION) + 1e-6));
}

/** `amount × (1 − loss)` rounded down, `loss` in parts per billion. */
export function deductParts(amount: bigint, loss: bigint): bigint {
  return mulDivDown(amount, PARTS_PER_BILLION - loss, PARTS_PER_BILLION);
}

/**
 * The least amount from 1 to `limit` for which a condition holds that never turns false again above it;
 * null when it holds for none.
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
