import { expect, test } from "vitest";
import { answerOf } from "../../../support/lifi/answers.ts";
import { verifyAnswer } from "../../../support/lifi/harness.ts";
import { runMutations } from "../../../support/lifi/mutations.ts";
import { scenarios } from "../../../support/lifi/scenarios.ts";

/** More mutations under `npm run stress`. */
const COUNT = Number(process.env["MUTATIONS"] ?? "2400");
const SEED = Number(process.env["MUTATION_SEED"] ?? "20261");

test(`verifyLifiTransfer() refuses changes of money or authority, ${COUNT} times, seed ${SEED}`, {
  timeout: 3_600_000,
}, () => {
  const run = runMutations({ seed: SEED, count: COUNT });
  expect(run.violations).toEqual([]);
  expect(run.tried).toBe(COUNT);
  // The test would prove nothing if the changes did not bite, or if everything were refused.
  expect(run.refused).toBeGreaterThan(COUNT * 0.6);
  expect(run.harmless).toBeGreaterThan(COUNT * 0.08);
});

test.each(scenarios)("verifyLifiTransfer() accepts the unchanged quote of $name", (scenario) => {
  expect(() => verifyAnswer(scenario.request, answerOf(scenario))).not.toThrow();
});
