import { encodeAbiParameters, type Hex, parseAbiParameters, stringToHex } from "viem";
import { describe, expect, test } from "vitest";
import type { Query, ReadResult } from "../../src/chains/chain-reads.ts";
import { deriverOf, findAdapter } from "../../src/vaults/families/vault-families.ts";
import {
  type Derivation,
  sanitizeLabel,
  subjectOfRow,
  unreviewedSubject,
} from "../../src/vaults/vault-deriver.ts";

const VAULT = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
const USDC = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
const WETH = "0x4200000000000000000000000000000000000006";
const word = (value: bigint): Hex => encodeAbiParameters(parseAbiParameters("uint256"), [value]);
const text = (value: string): Hex => encodeAbiParameters(parseAbiParameters("string"), [value]);
const honest: Readonly<Record<string, Hex>> = {
  "answers/asset": encodeAbiParameters(parseAbiParameters("address"), [USDC]),
  name: text("A vault"),
  "share/decimals": word(18n),
  "asset/decimals": word(6n),
  supply: word(5n),
  "share/balance": word(0n),
  "share/allowance": word(0n),
  total: word(5n),
  price: word(1n),
  preview: word(1n),
  symbol: text("USDC"),
};

/** Answers each read by its name or the last part of it. A read without an answer reverts. */
function answer(query: Query<Derivation>, answers: Readonly<Record<string, Hex>>): Derivation {
  const results = Object.fromEntries(
    Object.entries(query.reads).map(([name, read]): [string, ReadResult<unknown>] => {
      const data = answers[name] ?? answers[name.replace(/^.*\//, "")];
      try {
        return [
          name,
          data === undefined ? { ok: false, revert: "0x" } : { ok: true, value: read.decode(data) },
        ];
      } catch {
        return [name, { ok: false, revert: null }];
      }
    }),
  );
  const next = query.next?.(results) ?? null;
  return next === null ? query.interpret(results) : answer(next, answers);
}

const derive = (change: Readonly<Record<string, Hex | undefined>> = {}) => {
  const answers = Object.entries({ ...honest, ...change }).filter(([, data]) => data !== undefined);
  const query = deriverOf("erc4626")?.derive(unreviewedSubject({ chainId: 1, address: VAULT }));
  if (query === undefined) throw new Error("no deriver");
  return answer(query, Object.fromEntries(answers) as Record<string, Hex>);
};

describe("ERC-4626 derivation", () => {
  test("makes the vault its own entry point, spender, share token and pricer", () => {
    const asset = { address: USDC, symbol: "USDC", decimals: 6 };
    expect(derive()).toEqual({
      ok: true,
      vault: {
        name: "A vault",
        asset,
        acceptedAssets: [asset],
        shareDecimals: 18,
        shareToken: VAULT,
        entryPoint: VAULT,
        spender: VAULT,
        pricer: VAULT,
        caller: "router",
        params: {},
      },
    });
  });

  test("reads a bytes32 symbol of an old token", () => {
    const symbol = stringToHex("MKR", { size: 32 });
    expect(derive({ symbol, oldSymbol: symbol })).toMatchObject({ vault: { asset: { symbol: "MKR" } } });
    const nothing = stringToHex("", { size: 32 });
    expect(derive({ symbol: nothing, oldSymbol: nothing })).toMatchObject({ ok: false });
  });

  test.each(["answers/asset", "total", "price"])("refuses a contract without %s", (name) => {
    const none = { ok: false, reason: "the contract is not an ERC-4626 vault" };
    expect(derive({ [name]: undefined })).toEqual(none);
    expect(derive({ [name]: "0x" })).toEqual(none);
  });

  test("refuses a vault without a preview of deposits, as one that may take requests only", () => {
    const reason = expect.stringMatching(/^previewDeposit\(\) does not answer: .* by request \(ERC-7540\)/);
    expect(derive({ preview: undefined })).toEqual({ ok: false, reason });
    expect(derive({ preview: "0x" })).toEqual({ ok: false, reason });
  });

  test.each([
    { symbol: undefined },
    { symbol: text("") },
    { symbol: text("\u0000\u0007") },
    { symbol: "0x12" as const },
  ])("refuses an asset without a usable symbol (%j)", (change) => {
    expect(derive(change)).toEqual({
      ok: false,
      reason: "the vault's asset reports no symbol or decimals",
    });
  });

  test.each(["share/balance", "share/allowance"])(
    "refuses a share token without balances (no %s)",
    (name) => {
      expect(derive({ [name]: undefined })).toEqual({
        ok: false,
        reason: "the share token has no balances, and the vault names no other share token",
      });
    },
  );

  test("accepts a vault without a name", () => {
    expect(derive({ name: undefined })).toMatchObject({ ok: true, vault: { name: "" } });
  });
});

test("findAdapter() returns null for unknown names and object properties", () => {
  for (const name of ["", "constructor", "__proto__", "ERC4626"]) expect(findAdapter(name)).toBe(null);
});

test.each([
  ["USD₮0", 32, "USD₮0"],
  [" a\u0000b\u202Ec ", 32, "abc"],
  ["\ud83d\ude00\ud83d\ude00", 1, "\ud83d\ude00"],
  ["x".repeat(50), 32, "x".repeat(32)],
  [null, 32, ""],
])("sanitizeLabel() turns %j, cut to %i characters, into %j", (given, length, label) => {
  expect(sanitizeLabel(given, length)).toBe(label);
});

describe("subjectOfRow()", () => {
  const row = {
    ...{ chainId: 8453, address: VAULT.toLowerCase(), entryPoint: VAULT.toLowerCase(), params: {} },
    acceptedAssets: [],
  };

  test("names the entry's tokens", () => {
    const acceptedAssets = [{ address: WETH.toLowerCase(), symbol: "WETH", decimals: 18 }];
    const subject = subjectOfRow({ ...row, assetAddress: USDC.toLowerCase(), acceptedAssets });
    expect(subject).toMatchObject({ asset: USDC, tokens: [USDC, WETH] });
    // A claim may name further tokens without the asset.
    const unnamed = subjectOfRow({ ...row, assetAddress: `0x${"0".repeat(40)}`, acceptedAssets });
    expect(unnamed).toMatchObject({ asset: null, tokens: [WETH] });
  });

  test("names no token for a claim by address alone, so that the family finds its own", () => {
    const subject = subjectOfRow({ ...row, assetAddress: `0x${"0".repeat(40)}` });
    expect(subject.tokens).toEqual([]);
  });
});
