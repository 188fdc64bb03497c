import { expect, test } from "vitest";
import { findDepositDifferences } from "../../../src/providers/across/verify-deposit.ts";
import { built, kinds } from "../../support/across/built.ts";
import { runAcrossMutations } from "../../support/across/mutations.ts";

test("one or two changed fields never pass as what was asked for, 2,400 times", { timeout: 60_000 }, () => {
  const run = runAcrossMutations({ seed: 20_261, count: 2_400 });
  expect(run.violations).toEqual([]);
  expect(run.tried).toBe(2_400);
  // It would prove nothing if the changes did not bite, or if everything were refused.
  expect(run.refused).toBeGreaterThan(1_500);
  expect(run.harmless).toBeGreaterThan(100);
});

test("nothing that was not changed is refused", () => {
  for (const [, change, integratorId] of kinds) {
    const { transaction, expected } = built(change, integratorId);
    expect(findDepositDifferences(transaction, expected)).toEqual([]);
  }
});
