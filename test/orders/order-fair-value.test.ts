import { describe, expect, test } from "vitest";
import {
  leastExpected,
  leastGuaranteed,
  mostExpected,
  pricedValue,
  sameAssetValue,
  secondQuoteValue,
  type ValuedPayment,
  type ValuedToken,
} from "../../src/orders/order-fair-value.ts";
import type { TokenPrice } from "../../src/prices/price.ts";

const USD = 10n ** 18n;
const price = (usd: bigint, change: Partial<TokenPrice> = {}): TokenPrice => ({
  usd,
  low: usd,
  high: usd,
  source: "feed",
  at: 0,
  confidence: null,
  disputed: false,
  errorBps: 25,
  judges: true,
  unit: "USD",
  ...change,
});
const usdc: ValuedToken = { decimals: 6, price: price(USD) };
const ether: ValuedToken = { decimals: 18, price: price(2_700n * USD, { unit: "ETH" }) };
const payment = (change: Partial<ValuedPayment> = {}): ValuedPayment => ({
  amount: 10n ** 18n,
  nativeFee: 0n,
  from: ether,
  to: usdc,
  native: ether,
  ...change,
});
const worth = (change: Partial<ValuedPayment> = {}) => {
  const value = pricedValue(payment(change));
  if (value === null) throw new Error("no value");
  return value;
};

describe("pricedValue()", () => {
  test("is what is paid at its highest in what is asked for at its lowest", () => {
    expect(worth().output).toBe(2_700_000_000n);
    const disputed = price(2_700n * USD, { low: 2_600n * USD, high: 2_800n * USD, unit: "ETH" });
    expect(worth({ from: { ...ether, price: disputed } }).output).toBe(2_800_000_000n);
    const dear = price(USD, { low: (USD * 98n) / 100n, high: USD });
    expect(worth({ to: { ...usdc, price: dear } }).output).toBe(2_755_102_041n);
  });

  test("is wider for tokens of different units, by the errors of both prices", () => {
    expect(worth().band).toBe(35_000_000n);
    const dollars = worth({ amount: 10n ** 6n, from: usdc });
    expect([dollars.band, dollars.excess]).toEqual([20_000_000n, 35_000_000n]);
  });

  test("counts the fee on top as paid", () => {
    expect(worth({ nativeFee: 10n ** 15n })).toMatchObject({ output: 2_702_700_000n, feeOnTop: 2_700_000n });
    expect(worth({ nativeFee: 1n }).feeOnTop).toBe(1n);
  });

  test("rounds the errors of the prices up, and knows no common unit of two unknown ones", () => {
    const [a, b] = [price(USD, { errorBps: 12.3, unit: null }), price(USD, { errorBps: 12.3, unit: null })];
    const value = worth({ from: { decimals: 6, price: a }, to: { decimals: 6, price: b } });
    expect([value.band, value.excess]).toEqual([32_500_000n, 32_500_000n]);
  });

  test("lets an offer be better by the spread of either disputed price", () => {
    const spread = (usd: bigint, unit: string) => price(usd, { low: usd, high: (usd * 11n) / 10n, unit });
    const paid = { ...ether, price: spread(2_700n * USD, "ETH") };
    const asked = { ...usdc, price: spread(USD, "USD") };
    expect([worth({ from: paid }).excess, worth({ to: asked }).excess]).toEqual([135_000_000n, 135_000_000n]);
  });

  test.each<[string, Partial<ValuedPayment>]>([
    ["the token paid has no price", { from: { decimals: 18, price: null } }],
    ["the token asked for has no price", { to: { decimals: 6, price: null } }],
    ["a price may not judge", { to: { decimals: 6, price: price(USD, { judges: false }) } }],
    ["a price is zero at its lowest", { to: { decimals: 6, price: price(USD, { low: 0n }) } }],
    ["a fee on top has no price", { nativeFee: 1n, native: { decimals: 18, price: null } }],
    ["a fee on top has no decimals", { nativeFee: 1n, native: { ...ether, decimals: null } }],
    ["the decimals paid are unknown", { from: { ...ether, decimals: null } }],
    ["the decimals asked for are unknown", { to: { ...usdc, decimals: null } }],
  ])("is null if %s", (_why, change) => {
    expect(pricedValue(payment(change))).toBeNull();
  });
});

describe("sameAssetValue()", () => {
  const eighteen: ValuedToken = { decimals: 18, price: null };

  test("is unit for unit, rounded up, and needs no price", () => {
    const value = sameAssetValue(
      payment({ amount: 10n ** 12n + 1n, from: eighteen, to: { ...usdc, price: null } }),
    );
    expect(value).toMatchObject({ output: 2n, threeDollars: 0n, band: 10_000_000n });
    const [tenths, whole] = [1, 0].map((decimals) => ({ decimals, price: null }));
    if (tenths === undefined || whole === undefined) throw new Error("no tokens");
    expect(sameAssetValue(payment({ amount: 11n, from: tenths, to: whole }))?.output).toBe(2n);
  });

  test("is null with a fee on top that cannot be valued", () => {
    const unpriced = { ...usdc, price: null };
    const of = (change: Partial<ValuedPayment>) =>
      sameAssetValue(payment({ amount: 5n, from: usdc, ...change }));
    expect(of({ nativeFee: 9n, from: unpriced, to: unpriced })).toBeNull();
    expect(of({ nativeFee: 9n, native: { decimals: 18, price: null } })).toBeNull();
    expect(of({ from: unpriced, to: unpriced })).toMatchObject({ output: 5n, feeOnTop: 0n });
    expect(of({ nativeFee: 10n ** 15n })).toMatchObject({ output: 2_700_005n, feeOnTop: 2_700_000n });
  });

  test("is null if decimals are unknown", () => {
    expect(sameAssetValue(payment({ from: { ...ether, decimals: null } }))).toBeNull();
    expect(sameAssetValue(payment({ to: { ...usdc, decimals: null } }))).toBeNull();
  });
});

describe("leastGuaranteed()", () => {
  const fair = worth();
  const slippage = 30_000_000n;

  test("is fair less the slippage and 0.3 %", () => {
    expect(leastGuaranteed(fair, { slippage, declaredFee: 0n })).toBe(2_610_900_000n);
  });

  test("is less by the declared fee, up to half a percent and three dollars", () => {
    const fee = (declaredFee: bigint) => 2_610_900_000n - leastGuaranteed(fair, { slippage, declaredFee });
    expect(fee(1_000_000n)).toBe(2_700_000n);
    expect(fee(500_000_000n)).toBe(13_500_000n + 3_000_000n);
  });

  test("is less by the fee on top, which is declared by being paid", () => {
    const topped = worth({ nativeFee: 10n ** 15n });
    expect(leastGuaranteed(topped, { slippage, declaredFee: 0n })).toBe(2_613_510_900n - 2_700_000n);
  });

  test("knows no three dollars without a price", () => {
    const value = sameAssetValue(
      payment({ amount: 10n ** 9n, from: { ...usdc, price: null }, to: { ...usdc, price: null } }),
    );
    if (value === null) throw new Error("no value");
    expect(leastGuaranteed(value, { slippage, declaredFee: 10n ** 9n })).toBe(962_000_000n);
  });

  test("is never nothing", () => {
    const tiny = worth({ amount: 10n ** 9n });
    expect(leastGuaranteed(tiny, { slippage, declaredFee: 10n ** 9n })).toBe(1n);
  });
});

describe("leastExpected() and mostExpected()", () => {
  test("by prices, band and declared fee count", () => {
    expect(leastExpected(worth(), 0n)).toBe(2_605_500_000n);
    expect(leastExpected(worth(), 10n ** 9n)).toBe(2_605_500_000n - 16_500_000n);
    expect(mostExpected(worth())).toBe(2_794_500_001n);
    expect(leastExpected(worth({ amount: 1n }), 10n ** 9n)).toBe(1n);
  });

  test("of the same asset, one percent and three dollars", () => {
    const value = sameAssetValue(payment({ amount: 10n ** 9n, from: usdc }));
    if (value === null) throw new Error("no value");
    expect(leastExpected(value, 10n ** 9n)).toBe(987_000_000n);
    expect(mostExpected(value)).toBe(1_030_000_001n);
  });

  test("of a second quote, the slippage alone", () => {
    const value = secondQuoteValue(payment(), { output: 1_000_000n, slippage: 20_000_000n });
    if (value === null) throw new Error("no value");
    expect([leastExpected(value, 10n ** 9n), mostExpected(value)]).toEqual([980_000n, 1_020_001n]);
    const other = { output: 7n, slippage: 0n };
    const unread = { ...usdc, decimals: null };
    expect(secondQuoteValue(payment({ to: unread }), other)).toMatchObject({ output: 7n, threeDollars: 0n });
    expect(secondQuoteValue(payment({ to: unread, nativeFee: 1n }), other)).toBeNull();
    expect(secondQuoteValue(payment({ nativeFee: 10n ** 15n }), other)?.output).toBe(2_700_007n);
  });
});
