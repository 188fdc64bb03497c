import { describe, expect, test } from "vitest";
import { compareExchange, countedAsAsset, requireFairRate } from "../../src/orders/vault-token-rate.ts";
import { priceKey, type TokenPrice } from "../../src/prices/price.ts";
import type { Token } from "../../src/vaults/vault.ts";
import { testContext } from "../support/context.ts";
import { OTHER, USDC, vault, WETH } from "../support/deposits/fixtures.ts";

const USD = 10n ** 18n;
const price = (usd: bigint, change: Partial<TokenPrice> = {}): TokenPrice => ({
  ...{ usd, low: usd, high: usd, source: "feed", at: 0, confidence: null, disputed: false },
  ...{ errorBps: 25, judges: true, unit: "USD" },
  ...change,
});
const { chainId } = vault;
const usdc: Token = { address: USDC, symbol: "USDC", decimals: 6 };
const usdt: Token = { address: OTHER, symbol: "USDT", decimals: 6 };
const weth: Token = { address: WETH, symbol: "WETH", decimals: 18 };
const ether = price(2_500n * USD, { unit: "ETH" });
const known = { [USDC]: price(USD), [OTHER]: price(USD), [WETH]: ether };
const pricesOf = (change: Record<string, TokenPrice | null> = {}) =>
  new Map(
    Object.entries({ ...known, ...change }).flatMap(([token, one]) =>
      one === null ? [] : [[priceKey({ chainId, token: token as Token["address"] }), one] as const],
    ),
  );
/** Compares what a vault in USDC counts 0.1 WETH as, or 250 USDT. */
const counted = (
  amount: bigint,
  of: { token?: Token; slippage?: number; change?: Parameters<typeof pricesOf>[0] } = {},
) => {
  const { token = weth, slippage = 0.005, change = {} } = of;
  const given = { token, amount: token === weth ? 10n ** 17n : 250_000_000n };
  return compareExchange({ chainId, given, got: { token: usdc, amount }, slippage }, pricesOf(change));
};

describe("compareExchange()", () => {
  test("tolerates 3% and the prices' errors of two tokens of different units, one unit for rounding", () => {
    // 250 USDC less 3.5%: both prices may be wrong by 0.25%.
    expect(counted(250_000_000n)).toBe("fair");
    expect(counted(241_249_999n)).toBe("fair");
    expect(counted(241_249_998n)).toBe("unfair");
    // A vault that takes WETH for 2.50 USD.
    expect(counted(250_000n)).toBe("unfair");
  });

  test("tolerates 1.5% and the prices' errors of two tokens of one unit, or the slippage up to 3%", () => {
    expect(counted(245_000_000n, { token: usdt })).toBe("fair");
    expect(counted(244_999_998n, { token: usdt })).toBe("unfair");
    expect(counted(243_000_000n, { token: usdt, slippage: 0.03 })).toBe("fair");
    expect(counted(242_499_998n, { token: usdt, slippage: 0.5 })).toBe("unfair");
  });

  test("does not mind what the vault gives away", () => {
    expect(counted(2_500_000_000n)).toBe("fair");
  });

  test("knows nothing without both prices, or by one that may not judge", () => {
    expect(counted(0n, { change: { [WETH]: null } })).toBe("unverified");
    expect(counted(0n, { change: { [USDC]: null } })).toBe("unverified");
    expect(counted(0n, { change: { [WETH]: { ...ether, judges: false } } })).toBe("unverified");
  });

  test("finds unfair only what every source of a disputed price finds so", () => {
    const disputed = { ...ether, low: 2_000n * USD, high: 2_500n * USD, disputed: true };
    expect(counted(250_000_000n, { change: { [WETH]: disputed } })).toBe("fair");
    expect(counted(200_000_000n, { change: { [WETH]: disputed } })).toBe("unverified");
    expect(counted(190_000_000n, { change: { [WETH]: disputed } })).toBe("unfair");
  });
});

describe("requireFairRate()", () => {
  const judge = (amount: bigint, change: Parameters<typeof pricesOf>[0] = {}) => {
    const ctx = testContext();
    for (const [key, one] of pricesOf(change)) ctx.prices.book.feeds.set(key, one);
    const given = { token: weth, amount: 10n ** 17n };
    return requireFairRate(ctx, { vault, given, got: { token: usdc, amount }, slippage: 0.005 });
  };

  test("refuses an unfair rate and names the asset", async () => {
    await expect(judge(250_000_000n)).resolves.toEqual([]);
    await expect(judge(250_000n)).rejects.toMatchObject({
      code: "price_unsafe",
      message: expect.stringContaining(`its asset is ${vault.asset.symbol}`),
      members: { subject: "vault" },
    });
  });

  test("warns of a rate that cannot be compared", async () => {
    const warning = [{ code: "rate_unverified", detail: expect.stringContaining(vault.name) }];
    await expect(judge(250_000n, { [WETH]: null })).resolves.toEqual(warning);
  });
});

describe("countedAsAsset()", () => {
  const given = { token: weth, amount: 10n ** 17n };
  /** A share is worth 1.25 USDC, and 0.0005 WETH. */
  const prices = {
    own: { assets: 5n * 10n ** 14n, shares: 10n ** 18n },
    inAsset: { assets: 1_250_000n, shares: 10n ** 18n },
  };

  test("goes by the vault's share prices in both tokens", () => {
    expect(countedAsAsset({ vault, given }, prices)).toEqual({ token: vault.asset, amount: 250_000_000n });
    const dust = { ...given, amount: 399_999_999n };
    expect(countedAsAsset({ vault, given: dust }, prices).amount).toBe(0n);
  });

  test.each([
    ["token", { ...prices, own: null }],
    ["token, which is zero", { ...prices, own: { assets: 0n, shares: 1n } }],
    ["asset", { ...prices, inAsset: null }],
    ["asset, which is of no shares", { ...prices, inAsset: { assets: 1n, shares: 0n } }],
  ])("refuses a vault that hides its price in the %s", (_which, hidden) => {
    const counted = () => countedAsAsset({ vault, given }, hidden);
    expect(counted).toThrow(expect.objectContaining({ code: "price_unsafe", members: { subject: "vault" } }));
  });
});
