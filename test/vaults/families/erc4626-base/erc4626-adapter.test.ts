import fc from "fast-check";
import { decodeFunctionData, encodeFunctionResult, type Hex, parseAbi } from "viem";
import { describe, expect, test } from "vitest";
import type { Query, ReadResult } from "../../../../src/chains/chain-reads.ts";
import { erc4626 } from "../../../../src/vaults/families/erc4626-family.ts";
import { metaMorpho } from "../../../../src/vaults/families/morpho/morpho-family.ts";
import { adapterOf } from "../../../../src/vaults/families/vault-families.ts";
import type { Vault } from "../../../../src/vaults/vault.ts";
import type {
  DepositTerms,
  VaultAdapter,
  VaultFlags,
  VaultState,
} from "../../../../src/vaults/vault-adapter.ts";
import { NOW, USDC, USER, vault } from "../../../support/deposits/fixtures.ts";

const abi = parseAbi([
  "function asset() view returns (address)",
  "function totalAssets() view returns (uint256)",
  "function totalSupply() view returns (uint256)",
  "function convertToAssets(uint256) view returns (uint256)",
  "function previewDeposit(uint256) view returns (uint256)",
  "function previewRedeem(uint256) view returns (uint256)",
  "function maxDeposit(address) view returns (uint256)",
  "function paused() view returns (bool)",
  "function minDeposit() view returns (uint256)",
]);
/** A different address for each role, so that a read of the wrong contract fails the test. */
const roles = {
  entryPoint: "0x1111111111111111111111111111111111111111",
  spender: "0x2222222222222222222222222222222222222222",
  shareToken: "0x3333333333333333333333333333333333333333",
  pricer: "0x4444444444444444444444444444444444444444",
} as const;
const split: Vault = { ...vault, ...roles };
const deposit = { token: vault.asset, amount: 100_000_000n, caller: null, receiver: USER };
const request = { ...deposit, minShares: 1n };
const question = { ...deposit, now: NOW };
const failed = (revert: Hex | null = null): ReadResult<unknown> => ({ ok: false, revert });

type View = (typeof abi)[number]["name"];
const answers: Readonly<Record<View, Hex>> = {
  asset: encodeFunctionResult({ abi, functionName: "asset", result: USDC }),
  totalAssets: encodeFunctionResult({ abi, functionName: "totalAssets", result: 5_000_000_000n }),
  totalSupply: encodeFunctionResult({ abi, functionName: "totalSupply", result: 4_000n * 10n ** 18n }),
  convertToAssets: encodeFunctionResult({ abi, functionName: "convertToAssets", result: 1_250_000n }),
  previewDeposit: encodeFunctionResult({ abi, functionName: "previewDeposit", result: 80n * 10n ** 18n }),
  previewRedeem: encodeFunctionResult({ abi, functionName: "previewRedeem", result: 1_247_500n }),
  maxDeposit: encodeFunctionResult({ abi, functionName: "maxDeposit", result: 9_000_000n }),
  paused: encodeFunctionResult({ abi, functionName: "paused", result: true }),
  minDeposit: encodeFunctionResult({ abi, functionName: "minDeposit", result: 1_000n }),
};

/** Target, function and arguments of each read. */
const questions = (described: Query<unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(described.reads).map(([name, { to, data }]) => {
      const { functionName, args } = decodeFunctionData({ abi, data });
      return [name, [to, functionName, ...(args ?? [])]];
    }),
  );

/** Interprets a query with answers from the table, except for reads that fail. */
function interpret<S>(described: Query<S>, without: Record<string, Hex | null> = {}): S {
  const results = Object.entries(described.reads).map(([name, { data, decode }]) => {
    const { functionName } = decodeFunctionData({ abi, data });
    const result =
      name in without ? failed(without[name]) : { ok: true as const, value: decode(answers[functionName]) };
    return [name, result] as const;
  });
  return described.interpret(Object.fromEntries(results));
}

const families: readonly [string, VaultAdapter, boolean][] = [
  ["erc4626", erc4626, true],
  ["metamorpho", metaMorpho, false],
];

describe.each(families)("%s", (name, adapter, pausable) => {
  test("has its registry name", () => {
    expect(adapter.name).toBe(name);
    expect(adapterOf({ ...vault, adapter: name })).toBe(adapter);
  });

  test("reads each view from the right contract", () => {
    const { entryPoint, pricer, shareToken } = roles;
    expect(questions(adapter.state(split, NOW))).toEqual({
      totalAssets: [entryPoint, "totalAssets"],
      totalSupply: [shareToken, "totalSupply"],
      price: [pricer, "convertToAssets", 10n ** 18n],
      finePrice: [pricer, "convertToAssets", 10n ** 30n],
      redeemed: [entryPoint, "previewRedeem", 10n ** 18n],
      maxDeposit: [entryPoint, "maxDeposit", "0x000000000000000000000000000000000000dEaD"],
      minDeposit: [entryPoint, "minDeposit"],
      paused: [entryPoint, "paused"],
    });
    expect(questions(adapter.terms(split, question))).toEqual({
      asset: [entryPoint, "asset"],
      preview: [entryPoint, "previewDeposit", 100_000_000n],
      price: [pricer, "convertToAssets", 10n ** 18n],
      finePrice: [pricer, "convertToAssets", 10n ** 30n],
      maxDeposit: [entryPoint, "maxDeposit", USER],
      minDeposit: [entryPoint, "minDeposit"],
      paused: [entryPoint, "paused"],
    });
    expect(questions(adapter.flags(split))).toEqual({
      paused: [entryPoint, "paused"],
      minDeposit: [entryPoint, "minDeposit"],
    });
    // MetaMorpho's supply leaves out accrued fee shares.
    const kind = name === "metamorpho" ? "convert" : "convert_or_ratio";
    expect(adapter.lens(split)).toEqual({ kind, shareToken, pricer });
  });

  const state: VaultState = {
    totalAssets: 5_000_000_000n,
    totalSupply: 4_000n * 10n ** 18n,
    // 1.25 USDC for one share.
    sharePrice: 1_250_000_000_000_000_000n,
    maxDeposit: pausable ? 0n : 9_000_000n,
    minDeposit: 1_000n,
    paused: pausable,
    exitFee: 0.002,
  };

  test("state() interprets the views", () => {
    expect(interpret(adapter.state(split, NOW))).toEqual(state);
  });

  test.each<[string, Partial<VaultState>]>([
    ["totalAssets", { totalAssets: null }],
    ["totalSupply", { totalSupply: null }],
    ["price", { sharePrice: null, exitFee: null }],
    ["redeemed", { exitFee: null }],
    ["maxDeposit", { maxDeposit: pausable ? 0n : null }],
    ["minDeposit", { minDeposit: null }],
    [
      "paused",
      { paused: false, maxDeposit: 9_000_000n, ...(pausable ? { pauseUnknown: true as const } : {}) },
    ],
  ])("state() returns null, not zero, for a failed %s", (read, change) => {
    expect(interpret(adapter.state(split, NOW), { [read]: null })).toEqual({ ...state, ...change });
  });

  const terms: DepositTerms = {
    asset: USDC,
    previewShares: 80n * 10n ** 18n,
    previewRevert: null,
    price: { assets: 1_250_000n, shares: 10n ** 18n },
    maxDeposit: 9_000_000n,
    minDeposit: 1_000n,
    paused: pausable,
  };

  test("terms() interprets the views", () => {
    expect(interpret(adapter.terms(split, question))).toEqual(terms);
  });

  test.each<[string, Hex | null, Partial<DepositTerms>]>([
    ["asset", null, { asset: null }],
    ["preview", null, { previewShares: null }],
    ["preview", "0x1425ea42", { previewShares: null, previewRevert: "0x1425ea42" }],
    ["price", null, { price: null }],
    ["maxDeposit", "0x", { maxDeposit: null }],
    ["minDeposit", "0x", { minDeposit: null }],
    ["paused", "0x", { paused: false }],
  ])("terms() without %s (revert data %s) keeps the rest", (read, revert, change) => {
    expect(interpret(adapter.terms(split, question), { [read]: revert })).toEqual({ ...terms, ...change });
  });

  test.each<[string, Partial<VaultFlags>]>([
    ["nothing", {}],
    ["paused", { paused: false }],
    ["minDeposit", { minDeposit: null }],
  ])("flags() without %s keeps the rest", (read, change) => {
    const flags = interpret(adapter.flags(split), { [read]: "0x" });
    expect(flags).toEqual({ paused: pausable, minDeposit: 1_000n, ...change });
  });

  test("flags() is not paused when paused() is false", () => {
    const off = { paused: { ok: true as const, value: false }, minDeposit: failed() };
    expect(adapter.flags(split).interpret(off).paused).toBe(false);
  });

  test("encode() deposits for the receiver, whoever calls", () => {
    for (const caller of [null, USER] as const) {
      const { data, ...call } = adapter.encode(split, { ...request, caller });
      expect(call).toEqual({
        target: roles.entryPoint,
        spender: roles.spender,
        shareToken: roles.shareToken,
        amountOffset: 4,
        amountScale: 1n,
        sharesTo: "receiver",
        async: false,
        minShares: "router",
      });
      const signature = parseAbi(["function deposit(uint256 assets, address receiver) returns (uint256)"]);
      expect(decodeFunctionData({ abi: signature, data }).args).toEqual([100_000_000n, USER]);
    }
  });

  test("encode() places the amount at amountOffset", () => {
    fc.assert(
      fc.property(fc.bigInt(1n, 2n ** 256n - 1n), (amount) => {
        const { data, amountOffset } = adapter.encode(split, { ...request, amount });
        const start = 2 + 2 * amountOffset;
        expect(BigInt(`0x${data.slice(start, start + 64)}`)).toBe(amount);
      }),
    );
  });
});

describe("share price", () => {
  const priceOf = (decimals: { asset: number; share: number }, assets: bigint) => {
    const own = {
      ...vault,
      asset: { ...vault.asset, decimals: decimals.asset },
      shareDecimals: decimals.share,
    };
    const { reads, interpret: read } = erc4626.state(own, NOW);
    const results = Object.keys(reads).map((name) => [
      name,
      name === "price" ? { ok: true, value: assets } : failed(),
    ]);
    return read(Object.fromEntries(results)).sharePrice;
  };

  test.each<[string, { asset: number; share: number }, bigint, bigint | null]>([
    ["6 and 18 decimals", { asset: 6, share: 18 }, 1_000_001n, 1_000_001_000_000_000_000n],
    ["18 and 18 decimals", { asset: 18, share: 18 }, 10n ** 18n + 1n, 10n ** 18n + 1n],
    ["8 and 8 decimals", { asset: 8, share: 8 }, 105_000_000n, 1_050_000_000_000_000_000n],
    ["no decimals, of a million shares", { asset: 0, share: 0 }, 3_000_001n, 3_000_001n * 10n ** 12n],
    ["24 decimals, rounded down", { asset: 24, share: 24 }, 1_999_999n, 1n],
    ["more than fits", { asset: 6, share: 18 }, 2n ** 256n - 1n, null],
  ])("is whole assets per whole share times 10^18 (%s)", (_what, decimals, assets, price) => {
    expect(priceOf(decimals, assets)).toBe(price);
  });
});

test.each([
  [0, 10n ** 24n],
  [2, 10n ** 22n],
  [6, 10n ** 18n],
  [18, 10n ** 18n],
])("terms() samples the price of an asset with %s decimals by %s shares", (decimals, shares) => {
  const { reads, interpret: read } = erc4626.terms(
    { ...vault, asset: { ...vault.asset, decimals } },
    question,
  );
  const asked = decodeFunctionData({ abi, data: reads["price"]?.data ?? "0x" });
  expect(asked.args).toEqual([shares]);
  const answers = Object.keys(reads).map((name) => [name, { ok: true, value: 7_000_000n }]);
  expect(read(Object.fromEntries(answers)).price).toEqual({ assets: 7_000_000n, shares });
});
