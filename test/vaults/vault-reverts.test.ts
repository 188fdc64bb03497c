import fc from "fast-check";
import { type Abi, encodeErrorResult, type Hex, parseAbi, toFunctionSelector, toHex } from "viem";
import { describe, expect, test } from "vitest";
import { type ErrorCode, errorTable } from "../../src/errors.ts";
import { explainCommonRevert, familyErrors, unwrapRevert } from "../../src/vaults/vault-reverts.ts";

const OTHER = "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359";
/** Errors by their declaration in the families' sources, with the refusal they stand for. */
const refusals: readonly [string, readonly unknown[], ErrorCode][] = [
  [
    "ERC4626ExceededMaxDeposit(address receiver, uint256 assets, uint256 max)",
    [OTHER, 2n, 1n],
    "above_maximum",
  ],
  ["AllCapsReached()", [], "above_maximum"],
  ["ERC20ExceededCap(uint256 increasedSupply, uint256 cap)", [2n, 1n], "above_maximum"],
  ["E_SupplyCapExceeded()", [], "above_maximum"],
  ["AbsoluteCapExceeded()", [], "above_maximum"],
  ["RelativeCapExceeded()", [], "above_maximum"],
  ["EnforcedPause()", [], "vault_paused"],
  ["Paused()", [], "vault_paused"],
  ["DepositsPaused()", [], "vault_paused"],
  ["DepositCapReached()", [], "above_maximum"],
  ["DepositLimitExceeded()", [], "above_maximum"],
  ["ZeroShares()", [], "zero_shares"],
  ["NotWhitelisted()", [], "not_allowed"],
  // Lista's vaults that serve listed accounts.
  ["NotWhiteList()", [], "not_allowed"],
  ["Blacklisted()", [], "not_allowed"],
  ["Blacklisted(address account)", [OTHER], "not_allowed"],
  // Restricted accounts of sUSDe.
  ["OperationNotAllowed()", [], "not_allowed"],
  // Maple's permissions and pauses.
  ["Error(string reason)", ["PM:CC:NOT_ALLOWED"], "not_allowed"],
  ["Error(string reason)", ["PM:CC:PAUSED"], "vault_paused"],
  ["Error(string reason)", ["PM:CC:PROTOCOL_PAUSED"], "vault_paused"],
  ["Error(string reason)", ["P:NOT_ACTIVE"], "vault_paused"],
  ["Error(string reason)", ["P:DEPOSIT_GT_LIQ_CAP"], "above_maximum"],
  ["E_OperationDisabled()", [], "vault_paused"],
  ["E_ZeroShares()", [], "zero_shares"],
  ["CannotSendAssets()", [], "not_allowed"],
  ["CannotReceiveShares()", [], "not_allowed"],
  ["AccessManagedUnauthorized(address caller)", [OTHER], "not_allowed"],
];
const reverts = (signature: string, args: readonly unknown[]): Hex => {
  const abi: Abi = parseAbi([`error ${signature}`] as readonly string[]);
  return encodeErrorResult({ abi, errorName: signature.split("(")[0] ?? "", args });
};
const says = (reason: string): Hex => reverts("Error(string reason)", [reason]);

describe("explainCommonRevert() with a custom error", () => {
  test.each(refusals)("%s", (signature, args, code) => {
    const name = signature.split("(")[0];
    const text = name === "Error" ? args[0] : name;
    expect(explainCommonRevert(reverts(signature, args))).toEqual({ code, text });
  });

  test("returns a code of the error table", () => {
    for (const [, , code] of refusals) expect(errorTable[code].status).toBeLessThan(500);
  });

  test("returns the selector of an unknown error", () => {
    expect(explainCommonRevert(reverts("SomethingElse(uint256 x)", [1n]))).toEqual({
      code: null,
      text: toFunctionSelector("SomethingElse(uint256)"),
    });
  });

  test("returns the selector and no code for truncated arguments", () => {
    const whole = reverts("ERC20ExceededCap(uint256 increasedSupply, uint256 cap)", [2n, 1n]);
    expect(explainCommonRevert(whole.slice(0, 70) as Hex)).toEqual({ code: null, text: whole.slice(0, 10) });
  });
});

describe("explainCommonRevert() with a reason", () => {
  test.each<[string, ErrorCode | null]>([
    ["ZERO_SHARES", "zero_shares"],
    ["Cannot mint zero", "zero_shares"],
    ["Pausable: paused", "vault_paused"],
    ["Pausable: fn paused", "vault_paused"],
    ["paused", "vault_paused"],
    ["Paused", "vault_paused"],
    ["Deposits are paused", "vault_paused"],
    ["Vault: deposits paused", "vault_paused"],
    ["The vault is currently paused.", "vault_paused"],
    ["Vault: not paused", null],
    ["Withdrawals are paused", null],
    ["Vault: deposit cap exceeded", "above_maximum"],
    ["Cap reached", "above_maximum"],
    ["rate limit exceeded", null],
    ["Sender not whitelisted", "not_allowed"],
    ["asset is not whitelisted", null],
    ["Blacklistable: account is blacklisted", "not_allowed"],
    ["exceed deposit limit", "above_maximum"],
    ["exceeds deposit limit", "above_maximum"],
    ["ERC4626: deposit more than max", "above_maximum"],
    ["DV: mToken amount is less than minimum", "below_minimum"],
    ["Deposit too small", "below_minimum"],
    ["ZERO_SHARES_AND_MORE", null],
    ["oracle paused by somebody", null],
    ["TRANSFER_FROM_FAILED", null],
    ["", null],
  ])("maps %j to %s", (reason, code) => {
    expect(explainCommonRevert(says(reason))).toEqual({ code, text: reason });
  });

  test("removes control characters from the reason", () => {
    expect(explainCommonRevert(says("a\u0000b\u202ec\nd")).text).toBe("abcd");
  });

  test("cuts the reason at 200 characters", () => {
    expect(explainCommonRevert(says("x".repeat(5_000))).text).toBe("x".repeat(200));
  });
});

test.each<[Hex, string]>([
  [reverts("Panic(uint256 code)", [0x11n]), "Panic(17)"],
  [reverts("Panic(uint256 code)", [0x12n]), "Panic(18)"],
])("explainCommonRevert() names a panic by its number", (data, text) => {
  expect(explainCommonRevert(data)).toEqual({ code: null, text });
});

test.each<Hex>(["0x", "0x00", "0x08c379"])("explainCommonRevert() returns nothing for %s", (data) => {
  expect(explainCommonRevert(data)).toEqual({ code: null, text: null });
});

test("explainCommonRevert() never throws and never returns more than 200 characters", () => {
  const selectors = fc.constantFrom("0x08c379a0", "0x4e487b71", "0x", reverts("EnforcedPause()", []));
  fc.assert(
    fc.property(selectors, fc.uint8Array({ maxLength: 300 }), (selector, rest) => {
      const { text } = explainCommonRevert(`${selector}${toHex(rest).slice(2)}` as Hex);
      expect((text ?? "").length).toBeLessThanOrEqual(200);
    }),
  );
});

test("familyErrors() distinguishes errors of one name by their arguments", () => {
  const explain = familyErrors({
    errors: {
      "error Refused(uint256 shares)": "withdrawal_state",
      "error Refused(uint256 shares, uint256 balance)": "no_liquidity",
      "error Refused(address account)": null,
    },
  });
  expect(explain(reverts("Refused(uint256 shares)", [1n]))).toEqual({
    ...{ code: "withdrawal_state", text: "Refused" },
  });
  expect(explain(reverts("Refused(uint256 shares, uint256 balance)", [1n, 2n]))?.code).toBe("no_liquidity");
  expect(explain(reverts("Refused(address account)", [OTHER]))).toEqual({ code: null, text: "Refused" });
  expect(explain(reverts("Refused()", []))).toBeNull();
});

describe("unwrapRevert()", () => {
  const wrapped = (reason: Hex, details: Hex = "0x"): Hex =>
    reverts("WrappedError(address target, bytes4 selector, bytes reason, bytes details)", [
      ...[OTHER, "0xa9059cbb", reason, details],
    ]);
  const refused = reverts("NotWhitelisted()", []);

  test("returns the reason inside a wrapper, or in several", () => {
    expect(unwrapRevert(wrapped(refused, "0x12345678"))).toBe(refused);
    expect(unwrapRevert(wrapped(wrapped(refused)))).toBe(refused);
  });

  test("returns the details of a wrapper without a reason", () => {
    expect(unwrapRevert(wrapped("0x", refused))).toBe(refused);
  });

  test.each<Hex>([
    "0x",
    "0x12",
    refused,
    says("paused"),
    reverts("Panic(uint256 code)", [17n]),
    wrapped("0x"),
    wrapped("0x123456"),
    // Cut off.
    wrapped(refused).slice(0, 200) as Hex,
  ])("returns what is no wrapper with a reason as it is: %s", (data) => {
    expect(unwrapRevert(data)).toBe(data);
  });

  test("ends at a wrapper that is nested without end", () => {
    const nested = Array.from({ length: 6 }).reduce<Hex>((inner) => wrapped(inner), refused);
    expect(unwrapRevert(nested)).toBe(wrapped(wrapped(refused)));
  });
});
