import { describe, expect, test } from "vitest";
import {
  formatTime,
  formatUsdPrice,
  formatUsdValue,
  priceKey,
  priceOf,
  showUsdValue,
  USD_SCALE,
  valueInUsd,
} from "../../src/prices/price.ts";
import { ETHER, feedPriceOf, STABLE } from "../support/prices/fake-feeds.ts";

const USD = 10n ** 18n;

describe("valueInUsd()", () => {
  test.each([
    [0, 3n, 6n],
    [6, 3_000_000n, 6n],
    [8, 300_000_000n, 6n],
    [18, 3n * 10n ** 18n, 6n],
    [77, 3n * 10n ** 77n, 6n],
  ])("values a token with %i decimals", (decimals, amount, dollars) => {
    expect(valueInUsd(amount, { decimals, usd: 2n * USD })).toBe(dollars * USD);
  });

  test("rounds down", () => {
    expect(valueInUsd(1n, { decimals: 18, usd: USD - 1n })).toBe(0n);
    expect(valueInUsd(10n ** 76n, { decimals: 77, usd: 1n })).toBe(0n);
  });

  test("is exact for the largest amount", () => {
    expect(valueInUsd(2n ** 256n - 1n, { decimals: 0, usd: USD })).toBe((2n ** 256n - 1n) * USD);
  });
});

describe("formatUsdValue()", () => {
  test.each<[bigint, string]>([
    [0n, "0.00"],
    [USD, "1.00"],
    [1_234_500_000_000_000_000n, "1.2345"],
    [999_999_999_999_999_999n, "0.999999"],
    [10n ** 11n, "0.00"],
    [10n ** 12n, "0.000001"],
    [123_456n * USD, "123456.00"],
  ])("shows %i as %s", (value, text) => {
    expect(formatUsdValue(value)).toBe(text);
  });

  test("keeps null", () => {
    expect(formatUsdValue(null)).toBeNull();
  });
});

test("formatUsdPrice() is exact", () => {
  expect([
    formatUsdPrice(1n),
    formatUsdPrice(99_991_200n * 10n ** 10n),
    formatUsdPrice(2_000n * USD),
  ]).toEqual(["0.000000000000000001", "0.999912", "2000.00"]);
});

test("showUsdValue() is null if amount or price is unknown", () => {
  const price = feedPriceOf(2n * USD);
  expect(showUsdValue(1_500_000n, { decimals: 6, price })).toBe("3.00");
  expect([
    showUsdValue(null, { decimals: 6, price }),
    showUsdValue(1n, { decimals: 6, price: null }),
  ]).toEqual([null, null]);
});

test("priceOf() finds a token in any letter case, on its own chain only", () => {
  const price = feedPriceOf(USD);
  const token = "0x00000000000000000000000000000000000000aB" as const;
  const prices = new Map([[priceKey({ chainId: 1, token }), price]]);
  const upper = "0x00000000000000000000000000000000000000AB" as const;
  expect(priceOf(prices, { chainId: 1, token: upper })).toBe(price);
  expect(priceOf(prices, { chainId: 10, token })).toBeNull();
  expect([priceKey({ chainId: 1, token: ETHER }), priceOf(prices, { chainId: 1, token: STABLE })]).toEqual([
    `1:${ETHER}`,
    null,
  ]);
});

test("a dollar is 10^18, and a time is shown in UTC with milliseconds", () => {
  expect([USD_SCALE, formatTime(1_700_000_000)]).toEqual([USD, "2023-11-14T22:13:20.000Z"]);
});
