import { type Address, padHex, zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import { depositAction } from "../../../../src/actions/deposit-action.ts";
import { midas } from "../../../../src/vaults/families/midas/midas-adapter.ts";
import { midasAdmission } from "../../../../src/vaults/families/midas/midas-admission.ts";
import type { Vault } from "../../../../src/vaults/vault.ts";
import { NOW, OTHER, USER, vault } from "../../../support/deposits/fixtures.ts";
import { answer } from "../../../support/vaults/answer.ts";

const own: Vault = { ...vault, adapter: "midas", params: { deposit: "instant", recipient: "argument" } };
const ROLES: Address = "0x4444444444444444444444444444444444444444";
/** A vault whose greenlist is on and whose lists name nobody. */
const lists = {
  ...{ greenlist: true, role: padHex("0x01", { size: 32 }), access: ROLES, sanctions: OTHER },
  ...{ admitted: true, barred: false, sanctioned: false },
};
const refusalOf = (change: Readonly<Record<string, unknown>>, caller: Address | null = null, at = own) =>
  answer(midasAdmission(at, { caller, receiver: USER }), { ...lists, ...change });

describe("the receiver of a deposit", () => {
  test.each<[string, Readonly<Record<string, unknown>>, string | null]>([
    ["is admitted by all lists", {}, null],
    ["lacks the role of the greenlist", { admitted: false }, "not_allowed"],
    ["needs no role while the greenlist is off", { admitted: false, greenlist: false }, null],
    ["is blacklisted", { barred: true }, "not_allowed"],
    ["is sanctioned", { sanctioned: true }, "not_allowed"],
    ["is not looked up without a list of sanctions", { sanctioned: true, sanctions: zeroAddress }, null],
    ["is not refused for lists that cannot be read", { admitted: undefined, barred: undefined }, null],
    ["is not refused by a vault without roles", { admitted: false, access: undefined }, null],
  ])("%s", (_name, change, refusal) => {
    expect(refusalOf(change)).toBe(refusal);
  });

  test("counts for the greenlist only where the vault sees it", () => {
    const unnamed: Vault = { ...own, params: { deposit: "instant", recipient: "caller" } };
    expect(refusalOf({ admitted: false, sanctioned: true }, null, unnamed)).toBeNull();
    expect(refusalOf({ admitted: false }, USER, unnamed)).toBe("not_allowed");
    // The shares cannot be transferred to it either.
    expect(refusalOf({ barred: true }, null, unnamed)).toBe("not_allowed");
  });
});

test("actions refuse the deposit of an account that the vault would not admit", () => {
  const request = { token: own.asset, amount: 5n, caller: null, receiver: USER, now: NOW };
  const listed = { tokens: [own.asset.address], config: [OTHER, 0n, 0n, true], mToken: own.shareToken };
  const terms = answer(midas.terms(own, request), { ...lists, ...listed, feedOf: own.pricer, barred: true });
  expect(depositAction(own, { deposit: { ...terms, amount: 5n }, deposits: [] }).code).toBe("not_allowed");
});
