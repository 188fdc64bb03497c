import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  deductParts,
  formatFixed,
  fractionToParts,
  MAX_UINT256,
  mulDivDown,
  PARTS_PER_BILLION,
} from "../../src/lib/amount.ts";

const anAmount = fc.bigInt(0n, MAX_UINT256);
const aDenominator = fc.bigInt(1n, MAX_UINT256);
const aLoss = fc.bigInt(0n, PARTS_PER_BILLION);

describe("mulDivDown", () => {
  test.each<[bigint, bigint, bigint, bigint]>([
    [0n, 5n, 3n, 0n],
    [1n, 1n, 3n, 0n],
    [2n, 2n, 3n, 1n],
    [7n, 3n, 7n, 3n],
    [MAX_UINT256, MAX_UINT256, MAX_UINT256, MAX_UINT256],
    [MAX_UINT256, MAX_UINT256, 1n, MAX_UINT256 ** 2n],
  ])("%s × %s / %s = %s", (a, b, denominator, result) => {
    expect(mulDivDown(a, b, denominator)).toBe(result);
  });

  test("is the largest integer whose product does not exceed the exact one", () => {
    fc.assert(
      fc.property(anAmount, anAmount, aDenominator, (a, b, denominator) => {
        const result = mulDivDown(a, b, denominator);
        expect(result * denominator <= a * b).toBe(true);
        expect((result + 1n) * denominator > a * b).toBe(true);
      }),
    );
  });

  test("refuses to divide by zero", () => {
    expect(() => mulDivDown(1n, 1n, 0n)).toThrow(RangeError);
  });
});

describe("fractionToParts", () => {
  test.each<[number, bigint]>([
    [0.5, 500_000_000n],
    [0.03, 30_000_000n],
    [0.005, 5_000_000n],
    [0.000000001, 1n],
    // Figures that binary fractions miss from below.
    [0.29, 290_000_000n],
    [0.07, 70_000_000n],
    [0.145, 145_000_000n],
    // More decimals than there are parts: the smaller figure.
    [0.0000000019, 1n],
    [0.0000000009, 0n],
    [0.4999999999, 499_999_999n],
  ])("%s is %s parts", (fraction, parts) => {
    expect(fractionToParts(fraction)).toBe(parts);
  });

  test("gives every fraction of nine decimals exactly", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 500_000_000 }), (parts) => {
        expect(fractionToParts(parts / 1e9)).toBe(BigInt(parts));
        expect(fractionToParts(Number(`0.${String(parts).padStart(9, "0")}`))).toBe(BigInt(parts));
      }),
      { numRuns: 2_000 },
    );
  });

  test("never allows more than was asked", () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 0.5, noNaN: true }), (fraction) => {
        // A millionth of a part is the room for the figure's own binary error.
        expect(Number(fractionToParts(fraction))).toBeLessThanOrEqual(fraction * 1e9 + 1e-6);
        expect(Number(fractionToParts(fraction))).toBeGreaterThan(fraction * 1e9 - 1);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("deductParts()", () => {
  test("deducts nothing for no slippage and everything for the whole", () => {
    fc.assert(
      fc.property(anAmount, (amount) => {
        expect(deductParts(amount, 0n)).toBe(amount);
        expect(deductParts(amount, PARTS_PER_BILLION)).toBe(0n);
      }),
    );
  });

  test("rounds down the rest, so that the slippage floor is never overstated", () => {
    fc.assert(
      fc.property(anAmount, aLoss, (amount, loss) => {
        const rest = deductParts(amount, loss);
        expect(rest * PARTS_PER_BILLION <= amount * (PARTS_PER_BILLION - loss)).toBe(true);
        expect((rest + 1n) * PARTS_PER_BILLION > amount * (PARTS_PER_BILLION - loss)).toBe(true);
      }),
    );
  });

  test("decreases as the slippage increases", () => {
    fc.assert(
      fc.property(anAmount, aLoss, aLoss, (amount, a, b) => {
        const [less, more] = a < b ? [a, b] : [b, a];
        expect(deductParts(amount, less) >= deductParts(amount, more)).toBe(true);
      }),
    );
  });
});

test.each([
  [0.05, 6, "0.050000"],
  [-0.1234567, 6, "-0.123457"],
  [1e-9, 6, "0.000000"],
  [1e20, 2, "100000000000000000000.00"],
  [1e21, 2, "1000000000000000000000.00"],
  [-(2 ** 80), 6, "-1208925819614629174706176.000000"],
])("formatFixed() writes %s with %s decimals and no exponent", (value, decimals, text) => {
  expect(formatFixed(value, decimals)).toBe(text);
});
