import { describe, expect, test } from "vitest";
import {
  formatAmount,
  formatPercent,
  formatSharePrice,
  formatUsd,
  parseAmount,
  toDecimalText,
} from "../../../src/console/format/format-numbers.ts";

describe("formatAmount()", () => {
  test.each([
    [1_234_567_890n, 6, "1,234.5678"],
    [1_000_000n, 6, "1"],
    [0n, 6, "0"],
    [1n, 6, "<0.0001"],
    [-1n, 6, "−<0.0001"],
    [-1_500_000n, 6, "−1.5"],
    [5n, 0, "5"],
    [1_999_999n, 6, "1.9999"],
  ])("shows %s with %s decimals as %s", (amount, decimals, text) => {
    expect(formatAmount(amount, { decimals })).toBe(text);
  });

  test("never rounds up and never shows something as nothing", () => {
    expect(formatAmount(999_999n, { decimals: 6, digits: 2 })).toBe("0.99");
    expect(formatAmount(1n, { decimals: 18, digits: 2 })).toBe("<0.01");
  });
});

describe("parseAmount()", () => {
  test.each([
    ["1", 1_000_000n],
    [" 1,000.5 ", 1_000_500_000n],
    [".5", 500_000n],
    ["1.", 1_000_000n],
    ["1.000000", 1_000_000n],
    ["1.0000000", 1_000_000n],
    ["1,234", 1_234_000_000n],
    ["12,345,678.9", 12_345_678_900_000n],
    ["1 234.5", 1_234_500_000n],
    ["\u00a01\u00a0234\u00a0567 ", 1_234_567_000_000n],
    ["1\u202f234", 1_234_000_000n],
    ["1'234.5", 1_234_500_000n],
    ["1’234", 1_234_000_000n],
    ["1_000", 1_000_000_000n],
    ["1500", 1_500_000_000n],
    ["007", 7_000_000n],
  ])("reads %s", (text, amount) => {
    expect(parseAmount(text, 6)).toEqual({ amount });
  });

  test.each([
    ["", "Enter an amount."],
    ["0", "Enter an amount above zero."],
    ["1.0000001", "This token has 6 decimals at most."],
    ["1,5", "Use a point for decimals, such as 1.5."],
    ["1,50", "Use a point for decimals, such as 1.5."],
    ["0,500", "Use a point for decimals, such as 1.5."],
    ["00,500", "Use a point for decimals, such as 1.5."],
    ["1,5000", "Use a point for decimals, such as 1.5."],
    ["1500,250", "Use a point for decimals, such as 1.5."],
    [",5", "Use a point for decimals, such as 1.5."],
    ["5,", "Use a point for decimals, such as 1.5."],
    ["1.234,56", "Use a point for decimals, such as 1.5."],
    ["1.234.567,8", "Use a point for decimals, such as 1.5."],
    ["1 234,56", "Use a point for decimals, such as 1.5."],
    ["1'234,56", "Use a point for decimals, such as 1.5."],
    ["1٫5", "Use a point for decimals, such as 1.5."],
    ["0,500,000", "Write the number without separators, such as 1500 or 1.5."],
    ["12,34,567", "Write the number without separators, such as 1500 or 1.5."],
    ["1,234 567", "Write the number without separators, such as 1500 or 1.5."],
    ["1,234,56", "Write the number without separators, such as 1500 or 1.5."],
    ["1.234.567", "Write the number without separators, such as 1500 or 1.5."],
    ["1 5", "Write the number without separators, such as 1500 or 1.5."],
    ["1. 5", "Write the number without separators, such as 1500 or 1.5."],
    ["1.000,", "Use a point for decimals, such as 1.5."],
    ["+1", "Enter a number, such as 100 or 1.5."],
    ["0x10", "Enter a number, such as 100 or 1.5."],
    ["1\u200b5", "Enter a number, such as 100 or 1.5."],
    ["١٫٥", "Enter a number, such as 100 or 1.5."],
    ["100 USDC", "Enter a number, such as 100 or 1.5."],
    [",", "Enter a number, such as 100 or 1.5."],
    ["1e3", "Enter a number, such as 100 or 1.5."],
    ["-1", "Enter a number, such as 100 or 1.5."],
    [".", "Enter a number, such as 100 or 1.5."],
  ])("refuses %s", (text, problem) => {
    expect(parseAmount(text, 6)).toEqual({ problem });
  });

  test("reads what toDecimalText() writes", () => {
    for (const amount of [1n, 10n, 123_456_789n, 10n ** 30n])
      expect(parseAmount(toDecimalText(amount, 6), 6)).toEqual({ amount });
    expect(toDecimalText(7n, 0)).toBe("7");
  });
});

test("unknown figures are dashes, small ones are not zero", () => {
  expect([formatUsd(null), formatPercent(null), formatSharePrice(null)]).toEqual(["–", "–", "–"]);
  expect([formatUsd("0.001"), formatPercent(0.00001), formatPercent(-0.00001)]).toEqual([
    "<$0.01",
    "<0.01 %",
    "−<0.01 %",
  ]);
  expect([formatUsd("-0.001"), formatUsd("-0.02"), formatUsd("0")]).toEqual(["−<$0.01", "-$0.02", "$0.00"]);
  expect([formatUsd("1234567.8", true), formatUsd("1234.5"), formatPercent(0.0512)]).toEqual([
    "$1.23M",
    "$1,234.50",
    "5.12 %",
  ]);
});
