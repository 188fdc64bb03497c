import fc from "fast-check";
import { decodeFunctionData, maxUint256, parseAbi, toFunctionSelector, zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import { adapterOf } from "../../../../src/vaults/families/vault-families.ts";
import { veda } from "../../../../src/vaults/families/veda/veda-adapter.ts";
import type { Vault } from "../../../../src/vaults/vault.ts";
import { NOW, OTHER, USDC, USER, vault, WETH } from "../../../support/deposits/fixtures.ts";
import { answer, eventLog, Revert, reasonData, UNMADE } from "../../../support/vaults/answer.ts";

const TELLER = "0x1111111111111111111111111111111111111111";
const ACCOUNTANT = "0x4444444444444444444444444444444444444444";
const own: Vault = {
  ...vault,
  adapter: "veda",
  type: "veda",
  entryPoint: TELLER,
  pricer: ACCOUNTANT,
  shareDecimals: 6,
  params: { teller: "d" },
};
const generation = (teller: string, params: Record<string, string> = {}): Vault => ({
  ...own,
  params: { teller, ...params },
});
const request = { token: own.asset, amount: 100_000_000n, caller: USER, receiver: USER, now: NOW };
const answers = {
  support: [true, true, 0],
  rate: 1_250_000n,
  rateAnyway: 1_250_000n,
  tellerPaused: false,
  cap: 2n ** 112n - 1n,
  supply: 4_000_000_000n,
  lock: 86_400n,
  vault: own.shareToken,
  accountant: ACCOUNTANT,
};
const terms = (table: Record<string, unknown>, change = {}) =>
  answer(veda.terms(own, { ...request, ...change }), { ...answers, ...table });
const state = (table: Record<string, unknown>) => answer(veda.state(own, NOW), { ...answers, ...table });

describe("Veda terms()", () => {
  test("previews shares at the accountant's safe rate", () => {
    expect(terms({})).toEqual({
      asset: USDC,
      previewShares: 80_000_000n,
      previewRevert: null,
      price: { assets: 1_250_000n, shares: 1_000_000n },
      maxDeposit: maxUint256,
      minDeposit: null,
      paused: false,
      refusal: null,
    });
  });

  test("deducts the share premium, rounded down twice", () => {
    expect(terms({ support: [true, true, 300] }, { amount: 99_999_999n }).previewShares).toBe(77_599_999n);
    expect(terms({ support: [true, true, 10_001] }).previewShares).toBeNull();
  });

  test("uses the decimals of the deposited token", () => {
    const token = { address: WETH, symbol: "WETH", decimals: 18 };
    const { asset, previewShares, price } = terms(
      { rate: 5n * 10n ** 14n, rateAnyway: 5n * 10n ** 14n },
      { token, amount: 10n ** 18n },
    );
    expect({ asset, previewShares, price }).toEqual({
      asset: WETH,
      previewShares: 2_000_000_000n,
      price: { assets: 5n * 10n ** 14n, shares: 1_000_000n },
    });
  });

  test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    [
      "no rate answer",
      { rate: undefined, rateAnyway: undefined },
      { previewShares: null, price: null, paused: false },
    ],
    ["a rate of 0", { rate: 0n }, { previewShares: null }],
    [
      "a paused accountant",
      { rate: new Revert("0x4be2b2d4") },
      { paused: true, previewRevert: "0x4be2b2d4" },
    ],
    ["a paused teller", { tellerPaused: true }, { paused: true }],
    ["a token that is not accepted", { support: [false, true, 0] }, { paused: true, asset: USDC }],
    ["no answer about the token", { support: undefined }, { asset: null, previewShares: null }],
    ["another vault behind the teller", { vault: OTHER }, { asset: null }],
    ["another accountant behind the teller", { accountant: OTHER }, { asset: null }],
    ["a teller that does not name its vault", { vault: undefined }, { asset: USDC }],
    ["no cap", { cap: undefined }, { maxDeposit: null }],
    ["no supply", { supply: undefined, cap: 5_000_000_000n }, { maxDeposit: null }],
    ["a cap", { cap: 4_000_000_001n }, { maxDeposit: 2n }],
    ["an exceeded cap", { cap: 3n }, { maxDeposit: 0n }],
  ])("with %s", (_, table, expected) => {
    expect(terms(table)).toMatchObject(expected);
  });

  test("refuses only the Router while a share lock is set", () => {
    expect(terms({}, { caller: null }).refusal).toBe("share_locked");
    expect(terms({ lock: 0n }, { caller: null }).refusal).toBeNull();
  });

  test("refuses the Router for generation a, which locks shares for the block", () => {
    const refusal = (caller: typeof USER | null) =>
      answer(veda.terms(generation("a"), { ...request, caller }), { ...answers, support: true, lock: 0n })
        .refusal;
    expect([refusal(null), refusal(USER)]).toEqual(["share_locked", null]);
  });

  test("refuses the Router for permissioned transfers, and any account on a deny list", () => {
    expect(terms({ permissioned: true }).refusal).toBeNull();
    expect(terms({ permissioned: true, lock: 0n }, { caller: null }).refusal).toBe("not_allowed");
    for (const one of [0, 1, 2]) {
      const denied = [one === 0, one === 1, one === 2, false, 0n];
      expect(terms({ denied }).refusal).toBe("not_allowed");
    }
    expect(terms({ denied: [false, false, false, true, 9n] }).refusal).toBeNull();
    for (const list of ["deniedFrom", "deniedTo", "deniedOperator"])
      expect(terms({ [list]: true }).refusal).toBe("not_allowed");
  });

  test("uses a rate one unit higher where yield is streamed", () => {
    const streamed = generation("d", { rate: "streamed" });
    const { previewShares, price } = answer(veda.terms(streamed, request), answers);
    expect(previewShares).toBe(79_999_936n);
    expect(price).toEqual({ assets: 1_250_000n, shares: 1_000_000n });
    expect(() => veda.checkParams?.(generation("d", { rate: "guessed" }))).toThrow("rate is one of");
  });

  test("maxDeposit is exactly the room under the cap", () => {
    const amounts = fc.bigInt(1n, 10n ** 30n);
    fc.assert(
      fc.property(amounts, amounts, fc.integer({ min: 0, max: 1_000 }), (rate, left, premium) => {
        const table = { rate, support: [true, true, premium], cap: left, supply: 0n };
        const most = terms(table).maxDeposit ?? -1n;
        expect(terms(table, { amount: most }).previewShares).toBeLessThanOrEqual(left);
        expect(terms(table, { amount: most + 1n }).previewShares).toBeGreaterThan(left);
      }),
      { numRuns: 50 },
    );
  });

  test("reads isSupported() from generation a", () => {
    const first = generation("a");
    const asked = veda.terms(first, request).reads["market/support"];
    expect(asked?.data.slice(0, 10)).toBe(toFunctionSelector("isSupported(address)"));
    expect(answer(veda.terms(first, request), { ...answers, support: true }).previewShares).toBe(80_000_000n);
  });
});

describe("Veda state()", () => {
  test("values the total supply at the rate", () => {
    expect(state({})).toEqual({
      totalAssets: 5_000_000_000n,
      totalSupply: 4_000_000_000n,
      sharePrice: 1_250_000_000_000_000_000n,
      maxDeposit: maxUint256,
      minDeposit: null,
      paused: false,
    });
  });

  test("keeps the share price while the accountant is paused, with a maxDeposit of 0", () => {
    const paused = state({ rate: new Revert("0x4be2b2d4") });
    expect(paused).toMatchObject({ paused: true, maxDeposit: 0n, sharePrice: 1_250_000_000_000_000_000n });
  });

  test.each([["rate"], ["tellerPaused"]])(
    "takes a failed read of %s for no pause and no sign of none",
    (name) => {
      expect(state({ [name]: undefined })).toMatchObject({ paused: false, pauseUnknown: true });
    },
  );

  test.each<[string, Record<string, unknown>]>([
    ["the settings of the token", { support: UNMADE }],
    ["the price without the pause", { rate: new Revert("0x4be2b2d4"), rateAnyway: UNMADE }],
  ])("does not know the pause when no node read %s", (_what, table) => {
    expect(state(table)).toMatchObject({ paused: false, pauseUnknown: true });
  });

  test("returns null, not zero, when no view answers", () => {
    expect(answer(veda.state(own, NOW), {})).toEqual({
      totalAssets: null,
      totalSupply: null,
      sharePrice: null,
      maxDeposit: null,
      minDeposit: null,
      paused: false,
      pauseUnknown: true,
    });
    expect(answer(veda.flags(own), {})).toEqual({ paused: false, minDeposit: null });
  });

  test("toAssets() values shares by the rate that the lens read", () => {
    expect(veda.lens(own)).toMatchObject({ kind: "rate", pricer: ACCOUNTANT, argument: USDC });
    expect(veda.toAssets?.(own, { shares: 1_999_999n, rate: 1_250_001n })).toBe(2_500_000n);
  });
});

describe("Veda encode()", () => {
  const threeAbi = parseAbi(["function deposit(address, uint256, uint256)"]);
  const fourAbi = parseAbi(["function deposit(address, uint256, uint256, address)"]);
  const deposit = { ...request, minShares: 79n };

  test.each(["a", "b", "c"])("passes three arguments in generation %s", (teller) => {
    const call = veda.encode(generation(teller), deposit);
    const { args } = decodeFunctionData({ abi: threeAbi, data: call.data });
    expect(args).toEqual([USDC, 100_000_000n, 79n]);
    expect(call).toMatchObject({
      target: TELLER,
      spender: own.spender,
      sharesTo: "caller",
      minShares: "native",
    });
  });

  test("passes the row's referrer in generation d", () => {
    const argsOf = (own: Vault) =>
      decodeFunctionData({ abi: fourAbi, data: veda.encode(own, deposit).data }).args[3];
    expect(argsOf(generation("d"))).toBe(zeroAddress);
    expect(argsOf(generation("d", { referrer: OTHER }))).toBe(OTHER);
  });

  test("places the amount at amountOffset", () => {
    const { data, amountOffset } = veda.encode(own, { ...deposit, amount: 0xabcdefn });
    const start = 2 + 2 * amountOffset;
    expect(BigInt(`0x${data.slice(start, start + 64)}`)).toBe(0xabcdefn);
  });

  test.each(["", "e", "3", "A", "__proto__"])(
    "is not made for a teller of no known generation: %j",
    (teller) => {
      expect(() => veda.encode(generation(teller), deposit)).toThrow(/teller is one of a, b, c, d/);
    },
  );

  test("throws for an invalid referrer", () => {
    expect(() => veda.encode(generation("d", { referrer: "0x12" }), deposit)).toThrow(
      /referrer is no address/,
    );
  });

  test("belongs to the family called veda", () => {
    expect(adapterOf(own)).toBe(veda);
  });
});

describe("Veda explain()", () => {
  const named = (name: string) => toFunctionSelector(`TellerWithMultiAssetSupport__${name}()`);

  test.each([
    ["0xf64059db", "share_locked"],
    [named("Paused"), "vault_paused"],
    [named("DepositExceedsCap"), "above_maximum"],
    [named("MinimumMintNotMet"), null],
    [toFunctionSelector("AccountantWithRateProviders__Paused()"), "vault_paused"],
    [reasonData("UNAUTHORIZED"), "not_allowed"],
  ] as const)("%s is %s", (data, code) => {
    expect(veda.explain?.(data)?.code).toBe(code);
  });

  test.each(["0x", "0x12345678", reasonData("TRANSFER_FROM_FAILED"), "0x08c379a0ff"] as const)(
    "%s is none of its own",
    (data) => {
      expect(veda.explain?.(data)).toBeNull();
    },
  );
});

describe("Veda flows", () => {
  const enter =
    "event Enter(address indexed from, address indexed asset, uint256 amount, address indexed to, uint256 shares)";
  const exit =
    "event Exit(address indexed to, address indexed asset, uint256 amount, address indexed from, uint256 shares)";
  const source = veda.flows(own);
  const values = { from: USER, to: OTHER, asset: USDC, amount: 5n, shares: 7n };

  test("decode() returns Enter and Exit events of the vault", () => {
    expect(source.addresses).toEqual([own.shareToken]);
    const moved = { assets: 5n, shares: 7n };
    const entered = source.decode(eventLog(own.shareToken, enter, values));
    expect(entered).toEqual({ kind: "deposit", user: OTHER, ...moved });
    const exited = source.decode(eventLog(own.shareToken, exit, values));
    expect(exited).toEqual({ kind: "withdrawal", user: USER, ...moved });
  });

  test("decode() returns null assets for another token", () => {
    const log = eventLog(own.shareToken, enter, { ...values, asset: WETH, amount: 0n });
    expect(source.decode(log)).toMatchObject({ kind: "deposit", user: OTHER, assets: null, shares: 7n });
  });

  test("decode() returns null for other contracts and incomplete logs", () => {
    expect(source.decode(eventLog(TELLER, enter, values))).toBeNull();
    const log = eventLog(own.shareToken, enter, values);
    expect(source.decode({ ...log, data: "0x00" })).toBeNull();
    expect(source.decode({ ...log, topics: [log.topics[0]] })).toBeNull();
  });
});
