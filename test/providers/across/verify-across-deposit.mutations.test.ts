import { expect, test } from "vitest";
import { findDepositDifferences } from "../../../src/providers/across/verify-across-deposit.ts";
import { built, kinds } from "../../support/across/built.ts";
import { runAcrossMutations } from "../../support/across/mutations.ts";

/** More mutations under `npm run stress`. */
const COUNT = Number(process.env["MUTATIONS"] ?? "2400");
const SEED = Number(process.env["MUTATION_SEED"] ?? "20261");

test(`findDepositDifferences() finds one or two changed fields, ${COUNT} times, seed ${SEED}`, {
  timeout: 3_600_000,
}, () => {
  const run = runAcrossMutations({ seed: SEED, count: COUNT });
  expect(run.violations).toEqual([]);
  expect(run.tried).toBe(COUNT);
  // It would prove nothing if the changes did not bite, or if everything were refused.
  expect(run.refused).toBeGreaterThan(COUNT * 0.6);
  expect(run.harmless).toBeGreaterThan(COUNT * 0.04);
});

test("findDepositDifferences() accepts every unchanged deposit", () => {
  for (const [, change, integratorId] of kinds) {
    const { transaction, expected } = built(change, integratorId);
    expect(findDepositDifferences(transaction, expected)).toEqual([]);
  }
});
