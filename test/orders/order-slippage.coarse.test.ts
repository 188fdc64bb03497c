import fc from "fast-check";
import { expect, test } from "vitest";
import { priceIsSafe } from "../../src/orders/order-slippage.ts";

test("priceIsSafe() ignores no rounding in a token of few decimals", () => {
  // GUSD has two decimals: ten cents that lose one are ten percent, not three.
  const price = { assets: 9n, shares: 10n };
  expect(priceIsSafe({ amount: 10n, shares: 10n, price, slippage: 0.03, assetDecimals: 2 })).toBe(false);
});

test("priceIsSafe() refuses a loss above 3 % in a token of few decimals", () => {
  const amounts = fc.bigInt(1n, 100_000n);
  fc.assert(
    fc.property(amounts, amounts, (amount, worth) => {
      const price = { assets: worth, shares: 1n };
      const safe = priceIsSafe({ amount, shares: 1n, price, slippage: 0.5, assetDecimals: 2 });
      expect(safe).toBe(worth * 100n >= amount * 97n);
    }),
  );
});
