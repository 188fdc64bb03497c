import { expect, test } from "vitest";
import { lagoonExits } from "../../../../src/vaults/families/lagoon/lagoon-exits.ts";
import { NOW, USER, vault } from "../../../support/deposits/fixtures.ts";
import { answer } from "../../../support/vaults/answer.ts";

const own = { ...vault, adapter: "lagoon" };

test.each<[number, bigint | null]>([
  [0, 1_000n],
  [100, 990n],
  [10_000, 0n],
  [10_001, null],
  [65_535, null],
])("an exit fee of %i basis points leaves %s of 1000", (exitRate, left) => {
  const request = { token: own.asset, shares: 5n, owner: USER, caller: USER, receiver: USER, now: NOW };
  const query = lagoonExits.terms(own, { ...request, mode: "request" });
  expect(answer(query, { value: 1_000n, rates: [0, 0, 0, exitRate, 0] }).previewAssets).toBe(left);
});
