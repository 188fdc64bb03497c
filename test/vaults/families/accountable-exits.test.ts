import { encodeErrorResult, parseAbi, zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import { accountable } from "../../../src/vaults/families/accountable-family.ts";
import { explainExitRevert } from "../../../src/vaults/families/vault-families.ts";
import { NOW, OTHER, USER, vault } from "../../support/deposits/fixtures.ts";
import { answer, UNMADE } from "../../support/vaults/answer.ts";

const own = { ...vault, adapter: "accountable" };
const request = { mode: "request", token: own.asset, shares: 5n, owner: USER, now: NOW } as const;

function termsWith(table: Readonly<Record<string, unknown>>) {
  const query = accountable.exits?.terms(own, { ...request, caller: USER, receiver: USER });
  if (query === undefined) throw new Error("the family has no exits");
  return answer(query, { minimum: 1n, level: 0, listed: true, strategy: OTHER, ...table });
}

describe("the pause of a redemption", () => {
  test("is the strategy's, which the vault asks", () => {
    expect(termsWith({ paused: true })).toMatchObject({ paused: true, minShares: 1n });
    expect(termsWith({ paused: false })).toMatchObject({ paused: false, minShares: 1n });
  });

  test.each([[{ paused: UNMADE }], [{ strategy: undefined }], [{ strategy: zeroAddress, paused: true }]])(
    "is not claimed where it cannot be read: %o",
    (table) => {
      expect(termsWith(table)).toMatchObject({ paused: false, refusal: null, minShares: 1n });
    },
  );

  test("is not read from the vault itself", () => {
    const query = accountable.exits?.terms(own, { ...request, caller: USER, receiver: USER });
    expect(Object.keys(query?.reads ?? {}).some((name) => name.endsWith("paused"))).toBe(false);
  });
});

test("too few shares for the loan's minimum are below the minimum", () => {
  const [item] = parseAbi(["error InsufficientShares()"]);
  const revert = encodeErrorResult({ abi: [item], errorName: "InsufficientShares" });
  expect(explainExitRevert(own, revert)).toMatchObject({ code: "below_minimum" });
});
