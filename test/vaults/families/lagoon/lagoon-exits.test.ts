import { expect, test } from "vitest";
import { lagoonExits } from "../../../../src/vaults/families/lagoon/lagoon-exits.ts";
import { lagoonFamily } from "../../../../src/vaults/families/lagoon/lagoon-family.ts";
import { NOW, USER, vault } from "../../../support/deposits/fixtures.ts";
import { answer, UNMADE } from "../../../support/vaults/answer.ts";

const own = { ...vault, adapter: "lagoon" };

const request = { token: own.asset, shares: 5n, owner: USER, caller: USER, receiver: USER, now: NOW };
const previewed = (rates?: unknown) =>
  answer(lagoonExits.terms(own, { ...request, mode: "request" }), { value: 1_000n, rates }).previewAssets;

test("an unread exit fee is not none, which only an older version has", () => {
  expect(previewed(UNMADE)).toBeNull();
  expect(previewed()).toBe(1_000n);
});

test("an unread entry fee is not none, which only an older version has", () => {
  const input = { token: own.asset, amount: 5n, caller: USER, receiver: USER, now: NOW };
  const shares = (fees?: unknown) =>
    answer(lagoonFamily.adapter.terms(own, input), { shares: 1_000n, fees }).previewShares;
  expect([shares([0, 0, 100, 0, 0]), shares(), shares(UNMADE)]).toEqual([990n, 1_000n, null]);
});

test.each<[number, bigint | null]>([
  [0, 1_000n],
  [100, 990n],
  [10_000, 0n],
  [10_001, null],
  [65_535, null],
])("an exit fee of %i basis points leaves %s of 1000", (exitRate, left) => {
  expect(previewed([0, 0, 0, exitRate, 0])).toBe(left);
});
