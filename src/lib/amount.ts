/** The largest value of a uint256. */
export const MAX_UINT256 = 2n ** 256n - 1n;

/** Number of parts in a whole, for fractions that are computed as integers in parts per billion. */
export const PARTS_PER_BILLION = 1_000_000_000n;

/** What an amount in a request must be, as the start of a message about an invalid one. */
const AMOUNT_RULE = "must be a positive integer in the smallest unit, as a decimal string";

/**
 * Returns why an amount in a request is invalid, and what to send instead. The text continues a sentence that starts
 * with the name of the field.
 */
export function explainAmount(amount: unknown): string {
  if (typeof amount === "number" || typeof amount === "bigint")
    return `${AMOUNT_RULE}: "1000000" in quotes, not a JSON number`;
  if (typeof amount !== "string") return AMOUNT_RULE;
  const text = amount.trim();
  if (/^\d*\.\d*$/.test(text))
    return `${AMOUNT_RULE}, without a decimal point: 1.5 of a token with 6 decimals is "1500000"`;
  if (/^\d+(?:\.\d+)?e\+?\d+$/i.test(text)) return `${AMOUNT_RULE}: write all digits, without an exponent`;
  if (/^0+$/.test(text)) return `${AMOUNT_RULE}; it must be more than zero`;
  if (/^-\d/.test(text)) return `${AMOUNT_RULE}, without a minus sign`;
  if (/^0x[0-9a-f]+$/i.test(text)) return `${AMOUNT_RULE}, in decimal digits and not in hexadecimal ones`;
  if (/\d[\s,_']+\d/.test(text) || text !== amount) return `${AMOUNT_RULE}, without spaces and separators`;
  if (/^(?:all|max)$/i.test(text)) return `${AMOUNT_RULE}: send the balance itself`;
  if (/^0+[1-9]\d*$/.test(text)) return `${AMOUNT_RULE}, without leading zeros`;
  if (/^[1-9]\d{77,}$/.test(text)) return `${AMOUNT_RULE}; this one does not fit uint256`;
  return `${AMOUNT_RULE}, of the digits 0 to 9 and nothing else`;
}

/** Returns the larger of two amounts. If one is null (unknown), returns the other; null if both are. */
export function larger(a: bigint | null, b: bigint | null): bigint | null {
  if (a === null || b === null) return a ?? b;
  return a > b ? a : b;
}

/** Returns the smaller of two amounts. If one is null (unknown), returns the other; null if both are. */
export function smaller(a: bigint | null, b: bigint | null): bigint | null {
  if (a === null || b === null) return a ?? b;
  return a < b ? a : b;
}

/**
 * Returns `a * b / denominator`, rounded down for values of 0 or more; the product may exceed 256 bits. Throws a
 * RangeError if the denominator is zero.
 */
export function mulDivDown(a: bigint, b: bigint, denominator: bigint): bigint {
  if (denominator === 0n) throw new RangeError("division by zero");
  return (a * b) / denominator;
}

/**
 * Converts a fraction such as 0.03 to parts per billion, rounded down after adding a millionth of a part, because of
 * floating-point errors.
 */
export function fractionToParts(fraction: number): bigint {
  return BigInt(Math.floor(fraction * Number(PARTS_PER_BILLION) + 1e-6));
}

/** Converts parts per billion to a fraction, for display; the result is a floating-point number. */
export const partsToFraction = (parts: bigint): number => Number(parts) / Number(PARTS_PER_BILLION);

/** Returns `amount × (1 − loss)`, rounded down; `loss` is in parts per billion, at most 10^9. */
export function deductParts(amount: bigint, loss: bigint): bigint {
  return mulDivDown(amount, PARTS_PER_BILLION - loss, PARTS_PER_BILLION);
}

/**
 * Returns the smallest amount from 1 to `limit` that meets a condition, or null if `limit` does not meet it or is below
 * 1. If an amount meets the condition, every larger one up to `limit` must meet it too.
 */
export function smallestAmount(limit: bigint, holds: (amount: bigint) => boolean): bigint | null {
  if (limit < 1n || !holds(limit)) return null;
  let [low, high] = [1n, limit];
  while (low < high) {
    const middle = (low + high) / 2n;
    if (holds(middle)) high = middle;
    else low = middle + 1n;
  }
  return low;
}

/**
 * Formats a finite number with exactly `decimals` decimals (1 to 100), and never with an exponent, unlike `toFixed`.
 */
export function formatFixed(value: number, decimals: number): string {
  const text = value.toFixed(decimals);
  // From 10^21 on, `toFixed` uses an exponent, and every number is an integer.
  return text.includes("e") ? `${BigInt(value)}.${"0".repeat(decimals)}` : text;
}
