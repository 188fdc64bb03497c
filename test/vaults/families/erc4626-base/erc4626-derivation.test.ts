import { toFunctionSelector } from "viem";
import { describe, expect, test } from "vitest";
import { erc4626Family } from "../../../../src/vaults/families/erc4626-family.ts";
import { unreviewedSubject } from "../../../../src/vaults/vault-deriver.ts";
import { OTHER, USDC } from "../../../support/deposits/fixtures.ts";
import { answer, Revert, reasonData } from "../../../support/vaults/answer.ts";

const views = {
  ...{ "answers/asset": USDC, "answers/total": 5n, "answers/price": 1n, "answers/preview": 1n },
  ...{ "asset/symbol": "USDC", "asset/decimals": 6, "share/decimals": 18, "share/supply": 5n },
  ...{ "share/balance": 0n, "share/allowance": 0n },
};
const derived = (table: Record<string, unknown>) =>
  answer(erc4626Family.deriver.derive(unreviewedSubject({ chainId: 1, address: OTHER })), {
    ...views,
    ...table,
  });
const PAUSED = toFunctionSelector("Cellar__Paused()");

describe("a vault that does not say what it holds", () => {
  test.each([
    ["a reason", "answers/total", reasonData("PriceNotUpdated"), "totalAssets() reverts: PriceNotUpdated"],
    ["an unknown error", "answers/total", PAUSED, `totalAssets() reverts: ${PAUSED}`],
    [
      "a known error",
      "answers/total",
      toFunctionSelector("EnforcedPause()"),
      "totalAssets() reverts: EnforcedPause",
    ],
    [
      "a mark of direction",
      "answers/price",
      reasonData("no\u202e price"),
      "convertToAssets() reverts: no price",
    ],
    ["no text", "answers/price", reasonData(""), "convertToAssets() reverts without a reason"],
    [
      "a long text",
      "answers/price",
      reasonData("x".repeat(999)),
      `convertToAssets() reverts: ${"x".repeat(200)}`,
    ],
  ] as const)("is closed if its view reverts with %s", (_what, view, data, reason) => {
    expect(derived({ [view]: new Revert(data) })).toEqual({ ok: false, closed: true, reason });
  });

  test.each([
    ["lacks totalAssets()", { "answers/total": new Revert("0x") }],
    ["lacks convertToAssets()", { "answers/price": new Revert("0x") }],
    ["does not answer", { "answers/total": undefined }],
    ["has no asset", { "answers/asset": undefined, "answers/total": new Revert(PAUSED) }],
  ])("is none if the contract %s", (_what, table) => {
    expect(derived(table)).toEqual({ ok: false, reason: "the contract is not an ERC-4626 vault" });
  });
});
