import fc from "fast-check";
import { decodeFunctionData, maxUint256, zeroAddress, zeroHash } from "viem";
import { describe, expect, test } from "vitest";
import { midas } from "../../../../src/vaults/families/midas/midas-adapter.ts";
import { midasDepositAbis } from "../../../../src/vaults/families/midas/midas-params.ts";
import {
  largestPaymentFor,
  midasMinted,
  smallestPaymentFor,
} from "../../../../src/vaults/families/midas/midas-pricing.ts";
import { adapterOf } from "../../../../src/vaults/families/vault-families.ts";
import type { Vault } from "../../../../src/vaults/vault.ts";
import { NOW, OTHER, USDC, USER, vault, WETH } from "../../../support/deposits/fixtures.ts";
import { answer, Revert, reasonData, UNMADE } from "../../../support/vaults/answer.ts";

const ONE = 10n ** 18n;
const DEPOSITS = "0x1111111111111111111111111111111111111111";
const FEED = "0x4444444444444444444444444444444444444444";
const own: Vault = {
  ...vault,
  ...{ adapter: "midas", type: "midas", entryPoint: DEPOSITS, spender: DEPOSITS, pricer: FEED },
  params: { deposit: "instant", recipient: "argument", asset_rate: "stable" },
};
const withParams = (params: Record<string, string>): Vault => ({
  ...own,
  params: { ...own.params, ...params },
});
const request = { token: own.asset, amount: 100_000_000n, caller: USER, receiver: USER, now: NOW };
const answers = {
  config: [OTHER, 10n, maxUint256, true],
  tokens: [USDC],
  mToken: own.shareToken,
  feedOf: FEED,
  feed: (5n * ONE) / 4n,
  tokenRate: (3n * ONE) / 2n,
  instantFee: 15n,
  minAmount: ONE,
  minFirst: 10n * ONE,
  paused: false,
  fnPaused: false,
  waived: false,
  minted: 0n,
  free: false,
  limit: 1_000n * ONE,
  used: 900n * ONE,
  cap: 5_000n * ONE,
  supply: 4_000n * ONE,
};
/** The reads of the market and of the limits stand side by side. */
const table = (change: Record<string, unknown>) => {
  const all: Record<string, unknown> = { ...answers, ...change };
  const entries = Object.entries(all);
  return Object.fromEntries([
    ...entries,
    ...entries.map(([name, value]) => [`market/${name}`, value]),
    ...entries.map(([name, value]) => [`room/${name}`, value]),
  ]);
};
const termsOf = (asked: Vault, change: Record<string, unknown> = {}, of = {}) =>
  answer(midas.terms(asked, { ...request, ...of }), table(change));

describe("Midas terms()", () => {
  test("previews mTokens with 18 decimals, after fees, at the feed's price", () => {
    expect(termsOf(own)).toEqual({
      asset: USDC,
      previewShares: 79_800_000_000_000_000_000n,
      previewRevert: null,
      price: { assets: (5n * ONE) / 4n, shares: ONE * 10n ** 12n },
      maxDeposit: 125_313_283n,
      minDeposit: 12_531_328n,
      refusal: null,
      paused: false,
    });
  });

  test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ["a waived fee", { waived: true }, { previewShares: 80n * ONE }],
    ["a first deposit behind them", { minted: 1n }, { minDeposit: 1_253_132n }],
    ["no minimum for them", { free: true }, { minDeposit: 0n }],
    ["no minimum for first deposits", { minFirst: undefined }, { minDeposit: 1_253_132n }],
    ["no word on minimums", { minFirst: undefined, minAmount: undefined }, { minDeposit: null }],
    ["today's limit reached", { used: 1_001n * ONE }, { maxDeposit: 0n }],
    ["no word on today's limit", { used: undefined }, { maxDeposit: null }],
    ["no word on the supply", { supply: undefined }, { maxDeposit: null }],
    ["no cap on the supply, as before", { cap: undefined }, { maxDeposit: 125_313_283n }],
    ["little left of the token", { config: [OTHER, 10n, 5n * ONE, true] }, { maxDeposit: 5_000_000n }],
    [
      "an old price",
      { feed: new Revert("0x1234") },
      { previewShares: null, previewRevert: "0x1234", price: null },
    ],
    ["a price of nothing", { feed: 0n }, { previewShares: null, price: null }],
    ["no fee that answers", { instantFee: undefined }, { previewShares: null, minDeposit: null }],
    ["a fee above everything", { instantFee: 10_000n }, { previewShares: 0n }],
    [
      "the token's own feed",
      { config: [OTHER, 10n, maxUint256, false], tokenRate: ONE / 2n },
      { previewShares: 39_900_000_000_000_000_000n },
    ],
    [
      "a token's feed that is old",
      { config: [OTHER, 10n, maxUint256, false], tokenRate: new Revert("0x5678") },
      { previewShares: null, previewRevert: "0x5678", maxDeposit: null },
    ],
    [
      "an old feed behind a fixed price",
      { tokenRate: new Revert("0x5678") },
      { previewShares: null, previewRevert: "0x5678", maxDeposit: null },
    ],
    ["a pause of the mToken", { mTokenPaused: true }, { paused: true }],
    ["a pause", { paused: true }, { paused: true }],
    ["a pause of this function", { fnPaused: true }, { paused: true }],
    ["a token that is not taken", { tokens: [WETH] }, { paused: true }],
    ["no list of tokens, but a configured one", { tokens: undefined }, { paused: false, asset: USDC }],
    [
      "no list of tokens and no configuration",
      { tokens: undefined, config: [zeroAddress, 0n, 0n, false] },
      { paused: true },
    ],
    [
      "nothing said of the token",
      { tokens: undefined, config: undefined },
      { asset: null, previewShares: null },
    ],
    ["another mToken", { mToken: OTHER }, { asset: null }],
    ["another feed", { feedOf: OTHER }, { asset: null }],
    ["no word on the mToken", { mToken: undefined }, { asset: null }],
  ])("with %s", (_, change, expected) => {
    expect(termsOf(own, change)).toMatchObject(expected);
  });

  test("applies the first-deposit minimum to the Router's clone", () => {
    const { minDeposit, previewShares } = termsOf(
      own,
      { minted: ONE, free: true, waived: true },
      { caller: null },
    );
    expect({ minDeposit, previewShares }).toEqual({
      minDeposit: 12_531_328n,
      previewShares: 79_800_000_000_000_000_000n,
    });
  });

  test("has neither instant fee nor daily limit for a request", () => {
    const later = termsOf(withParams({ deposit: "request" }), { used: undefined, instantFee: undefined });
    expect(later).toMatchObject({ previewShares: 79_920_000_000_000_000_000n, maxDeposit: 1_251_251_251n });
  });

  test("limits the amount to a uint256 with 18 decimals", () => {
    const most = maxUint256 / 10n ** 12n;
    expect(termsOf(own, {}, { amount: most + 1n }).previewShares).toBeNull();
    const open = { limit: maxUint256, used: 0n, cap: undefined };
    expect(termsOf(own, open).maxDeposit).toBe(most);
  });

  test("refuses a token with more than 18 decimals", () => {
    const token = { address: USDC, symbol: "ODD", decimals: 19 };
    expect(termsOf(own, {}, { token })).toMatchObject({ asset: null, previewShares: null });
    expect(() => midas.encode(own, { ...request, token, minShares: 1n })).toThrow(RangeError);
  });

  test("reads the daily limit of the current day", () => {
    const { reads } = midas.terms(own, { ...request, now: 86_400_000 * 3 + 5 });
    expect(reads["room/used"]?.data.slice(10)).toBe("3".padStart(64, "0"));
  });
});

describe("Midas pricing", () => {
  const amount = fc.bigInt(1n, 10n ** 30n);
  const rates = fc.record({
    tokenRate: fc.bigInt(1n, 10n ** 24n),
    mTokenRate: fc.bigInt(1n, 10n ** 24n),
    fee: fc.bigInt(0n, 9_999n),
    unit: fc.constantFrom(1n, 10n ** 10n, 10n ** 12n, 10n ** 18n),
  });

  test("finds the smallest and the largest payment for an amount of mTokens", () => {
    fc.assert(
      fc.property(rates, amount, (market, mTokens) => {
        const least = smallestPaymentFor(market, mTokens);
        if (least !== null) {
          expect(midasMinted(market, least)).toBeGreaterThanOrEqual(mTokens);
          expect(midasMinted(market, least - 1n)).toBeLessThan(mTokens);
        }
        const most = largestPaymentFor(market, mTokens);
        expect(midasMinted(market, most)).toBeLessThanOrEqual(mTokens);
        if (most < maxUint256 / market.unit) {
          expect(midasMinted(market, most + 1n)).toBeGreaterThan(mTokens);
        }
      }),
      { numRuns: 50 },
    );
  });
});

describe("Midas state()", () => {
  const stateOf = (change: Record<string, unknown>) => answer(midas.state(own, NOW), table(change));

  test("is read for no particular caller", () => {
    expect(stateOf({})).toEqual({
      totalAssets: 5_000_000_000n,
      totalSupply: 4_000n * ONE,
      sharePrice: (5n * ONE) / 4n,
      maxDeposit: 125_313_283n,
      minDeposit: 12_531_328n,
      paused: false,
    });
    expect(stateOf({ fnPaused: true })).toMatchObject({ paused: true, maxDeposit: 0n });
    expect(answer(midas.flags(own), table({}))).toEqual({ paused: false, minDeposit: 12_531_328n });
  });

  test("returns null, not zero, when no view answers", () => {
    const nothing = {
      totalAssets: null,
      totalSupply: null,
      sharePrice: null,
      maxDeposit: null,
      minDeposit: null,
    };
    expect(answer(midas.state(own, NOW), {})).toEqual({ ...nothing, paused: false, pauseUnknown: true });
    expect(answer(midas.flags(own), {})).toEqual({ paused: false, minDeposit: null });
  });

  test.each(["fnPaused", "mTokenPaused"])("does not know the pause when no node read %s", (name) => {
    const unread = answer(midas.state(own, NOW), { ...answers, [name]: UNMADE });
    expect(unread).toMatchObject({ paused: false, pauseUnknown: true });
  });

  test("toAssets() converts by both feeds, rounding each step down", () => {
    const priced = withParams({ asset_rate: "feed", asset_feed: OTHER });
    expect(midas.lens(priced)).toMatchObject({ kind: "pair", pricer: FEED, argument: OTHER });
    const pair = (mToken: bigint, asset: bigint) => (mToken << 128n) + asset;
    const worth = (shares: bigint, rate: bigint) => midas.toAssets?.(priced, { shares, rate });
    expect(worth(3n * ONE, pair((5n * ONE) / 4n, ONE / 2n))).toBe(7_500_000n);
    expect(worth(ONE, pair(ONE, 3n * ONE))).toBe(333_333n);
    expect(worth(3n * 10n ** 12n - 1n, pair(ONE, 1n))).toBe((3n * 10n ** 12n - 1n) * 10n ** 6n);
    expect(worth(1n, pair(ONE - 1n, 1n))).toBe(0n);
    expect(worth(ONE, pair(ONE, 0n))).toBeNull();
  });

  test.each<[string, Record<string, string>, Record<string, unknown>, boolean]>([
    ["the feeds of the row", { asset_rate: "feed", asset_feed: OTHER }, {}, true],
    ["another feed of the mToken", { asset_rate: "feed", asset_feed: OTHER }, { feedOf: OTHER }, false],
    ["another feed of the asset", { asset_rate: "feed", asset_feed: FEED }, {}, false],
    [
      "a fixed price where there was a feed",
      { asset_rate: "feed", asset_feed: OTHER },
      { config: [OTHER, 0n, 0n, true] },
      false,
    ],
    ["a fixed price", { asset_rate: "stable" }, { config: [OTHER, 0n, 0n, true] }, true],
    ["a feed where there was a fixed price", { asset_rate: "stable" }, {}, false],
    [
      "no token of that name any more",
      { asset_rate: "stable" },
      { config: [zeroAddress, 0n, 0n, false] },
      true,
    ],
    ["no word on the mToken's feed", { asset_rate: "stable" }, { feedOf: undefined }, false],
    ["no word on the asset's feed", { asset_rate: "stable" }, { config: undefined }, false],
  ])("pricingUnchanged() compares the feeds with the row: %s", (_what, params, change, still) => {
    const row = withParams(params);
    if (midas.pricingUnchanged === undefined) throw new Error("nothing is asked");
    const told = { feedOf: FEED, config: [OTHER, 0n, 0n, false], ...change };
    expect(answer(midas.pricingUnchanged(row), told)).toBe(still);
  });

  test("toAssets() returns null when the asset's price is not known", () => {
    const read = { shares: 3n * ONE + 1n, rate: (5n * ONE) / 4n };
    expect(midas.toAssets?.(own, read)).toBe(3_750_000n);
    expect(midas.toAssets?.(withParams({ asset_rate: "feed" }), read)).toBeNull();
    expect(midas.toAssets?.(withParams({ asset_rate: "" }), read)).toBeNull();
    expect(midas.lens(own)).toMatchObject({ kind: "rate", pricer: FEED, selector: "0x63692905" });
    expect(midas.lens(withParams({ asset_rate: "feed" }))).toMatchObject({ kind: "rate" });
  });
});

describe("Midas encode()", () => {
  const deposit = { ...request, minShares: 79n };
  const units = 100n * ONE;
  const referrer = `0x${"ab".repeat(32)}` as const;

  test.each([
    ["instant", "argument", midasDepositAbis().instantFor, [USDC, units, 79n, referrer, USER]],
    ["instant", "caller", midasDepositAbis().instant, [USDC, units, 79n, referrer]],
    ["request", "argument", midasDepositAbis().requestFor, [USDC, units, referrer, USER]],
    ["request", "caller", midasDepositAbis().request, [USDC, units, referrer]],
  ] as const)("is %s, the recipient being the %s", (mode, recipient, abi, args) => {
    const call = midas.encode(withParams({ deposit: mode, recipient, referrer }), deposit);
    expect(decodeFunctionData({ abi, data: call.data }).args).toEqual(args);
    expect(call).toMatchObject({
      ...{ target: DEPOSITS, spender: DEPOSITS, amountOffset: 36, amountScale: 10n ** 12n },
      sharesTo: recipient === "argument" ? "receiver" : "caller",
      async: mode === "request",
      minShares: mode === "instant" ? "native" : "router",
    });
    expect(BigInt(`0x${call.data.slice(74, 138)}`)).toBe(units);
  });

  test("passes a zero referrer when the row names none", () => {
    expect(midas.encode(own, deposit).data).toContain(zeroHash.slice(2));
  });

  test.each([
    [{ deposit: "later" }, /deposit is one of instant, request/],
    [{ recipient: "" }, /recipient is one of argument, caller/],
    [{ referrer: "0x12" }, /referrer is no bytes32/],
  ])("throws for the parameters %j", (params, message) => {
    expect(() => midas.encode(withParams(params as Record<string, string>), deposit)).toThrow(message);
  });

  test("belongs to the family called midas", () => {
    expect(adapterOf(own)).toBe(midas);
  });
});

describe("Midas explain()", () => {
  test.each([
    ["DF: feed is unhealthy", "price_stale"],
    ["DF: feed is deprecated", "price_stale"],
    ["CDF: feed is unhealthy", "price_stale"],
    ["DV: rate zero", "price_stale"],
    ["DV: invalid mint amount", "zero_shares"],
    ["MTMB: min balance not met", "below_minimum"],
    ["ERC20Pausable: token transfer while paused", "vault_paused"],
    ["WMAC: hasnt role", "not_allowed"],
    ["WMAC: has role", "not_allowed"],
    ["WSL: sanctioned", "not_allowed"],
    ["DV: mToken amount < min", "below_minimum"],
    ["DV: mint amount < min", "below_minimum"],
    ["MV: exceed limit", "above_maximum"],
    ["MV: exceed allowance", "above_maximum"],
    ["DV: max supply cap exceeded", "above_maximum"],
    ["MV: token not exists", "vault_paused"],
    ["Pausable: fn paused", "vault_paused"],
  ] as const)("%s is %s", (reason, code) => {
    expect(midas.explain?.(reasonData(reason))).toEqual({ code, text: reason });
  });

  test("returns null for other revert reasons", () => {
    expect(midas.explain?.(reasonData("MV: invalid rounding"))).toBeNull();
    expect(midas.explain?.("0x")).toBeNull();
  });
});
