import { type Address, zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import {
  counterpartOf,
  pricedForms,
  relationOf,
  valuationPrice,
} from "../../src/orders/order-token-relation.ts";
import { priceKey } from "../../src/prices/price.ts";
import { createAcross } from "../../src/providers/across/across-provider.ts";
import { RateLimitMemory } from "../../src/providers/lifi/api/lifi-rate-limits.ts";
import { createLifi } from "../../src/providers/lifi/lifi-provider.ts";
import { priceOfToken } from "../support/economics/trades.ts";
import { tokens } from "../support/lifi/parts.ts";

const lifi = createLifi({
  apiUrl: "https://lifi.test",
  apiKey: null,
  integrator: "causeway",
  rateLimits: new RateLimitMemory(),
});
const across = createAcross({ apiUrl: "https://across.test" });
const WETH: Readonly<Record<number, Address | null>> = {
  1: tokens.weth[1],
  8453: tokens.weth[8453],
  56: null,
};
const on = (chainId: number, token: Address) => ({
  chain: { chainId, wrappedNative: WETH[chainId] ?? null },
  token,
});
const BRIDGED_USDC: Address = "0xFF970A61A04b1cA14834A43f5dE4533eBDDB5CC8";
const STRANGE: Address = "0x00000000000000000000000000000000000000aA";

describe("relationOf()", () => {
  test.each([
    ["USDC on two chains", on(1, tokens.usdc[1]), on(42161, tokens.usdc[42161]), "same_asset"],
    ["USDC of other decimals", on(56, tokens.usdc[56]), on(42161, tokens.usdc[42161]), "same_asset"],
    [
      "ether and its wrapped form on another chain",
      on(1, zeroAddress),
      on(8453, tokens.weth[8453]),
      "same_asset",
    ],
    ["ether and its wrapped form on one chain", on(1, zeroAddress), on(1, tokens.weth[1]), "same_asset"],
    ["bridged USDC, which Across lists", on(42161, BRIDGED_USDC), on(1, tokens.usdc[1]), "same_asset"],
    ["WETH and USDC", on(1, tokens.weth[1]), on(42161, tokens.usdc[42161]), "swap"],
    ["USDC and USDT", on(56, tokens.usdc[56]), on(42161, tokens.usdt[42161]), "swap"],
    ["a token that nobody lists, on two chains", on(1, STRANGE), on(42161, STRANGE), "swap"],
    ["BNB and ether", on(56, zeroAddress), on(1, zeroAddress), "swap"],
  ] as const)("%s: %s", (_what, from, to, relation) => {
    expect(relationOf([lifi, across], { from, to })).toBe(relation);
    expect(relationOf([lifi, across], { from: to, to: from })).toBe(relation);
  });

  test("knows native money and its wrapped form on one chain without any table", () => {
    const [ether, wrapped, usdc] = [zeroAddress, tokens.weth[1], tokens.usdc[1]].map((token) => on(1, token));
    if (ether === undefined || wrapped === undefined || usdc === undefined) throw new Error("no tokens");
    const of = (from: typeof ether, to: typeof ether) => relationOf([], { from, to });
    expect([of(ether, wrapped), of(wrapped, ether), of(usdc, usdc)]).toEqual(Array(3).fill("same_asset"));
    expect([of(ether, usdc), of(usdc, wrapped), of(wrapped, usdc)]).toEqual(Array(3).fill("swap"));
    expect(of(ether, on(8453, zeroAddress))).toBe("swap");
  });

  test("asks the tables only, so without providers every bridge is a swap", () => {
    expect(relationOf([], { from: on(1, tokens.usdc[1]), to: on(42161, tokens.usdc[42161]) })).toBe("swap");
  });
});

describe("counterpartOf()", () => {
  test("is the same asset on another chain, or null", () => {
    const token = on(42161, tokens.usdc[42161]);
    expect(counterpartOf([lifi], { token, chain: on(1, STRANGE).chain })).toBe(tokens.usdc[1]);
    expect(counterpartOf([lifi], { token: on(42161, STRANGE), chain: on(1, STRANGE).chain })).toBeNull();
  });
});

describe("valuationPrice()", () => {
  const token = { chainId: 1, address: tokens.weth[1], decimals: 18, usd: 10n ** 18n, unit: "ETH" };
  const known = { ...priceOfToken(token) };
  const prices = new Map([[priceKey({ chainId: 1, token: tokens.weth[1] }), known]]);

  test("of native money is that of its wrapped form", () => {
    expect(valuationPrice(prices, { token: on(1, zeroAddress), counterpart: null })).toEqual(known);
    const forms = (token: Address) => pricedForms(on(1, token)).map(({ token: form }) => form);
    expect(forms(zeroAddress)).toEqual([zeroAddress, tokens.weth[1]]);
    expect(forms(tokens.weth[1])).toEqual([tokens.weth[1], zeroAddress]);
    expect(forms(tokens.usdc[1])).toEqual([tokens.usdc[1]]);
  });

  test("is the token's own before the counterpart's", () => {
    const counterpart = { chainId: 1, token: tokens.weth[1] };
    const own = { ...known, usd: 7n };
    const both = new Map([...prices, [priceKey({ chainId: 8453, token: STRANGE }), own]]);
    expect(valuationPrice(both, { token: on(8453, STRANGE), counterpart })).toEqual(own);
  });

  test("is the counterpart's where the token has none", () => {
    const counterpart = { chainId: 1, token: tokens.weth[1] };
    expect(valuationPrice(prices, { token: on(8453, STRANGE), counterpart })).toEqual(known);
    expect(valuationPrice(prices, { token: on(8453, STRANGE), counterpart: null })).toBeNull();
  });

  test("is null for one that may not judge", () => {
    const unsure = new Map([[priceKey({ chainId: 1, token: tokens.weth[1] }), { ...known, judges: false }]]);
    expect(valuationPrice(unsure, { token: on(1, tokens.weth[1]), counterpart: null })).toBeNull();
  });
});
