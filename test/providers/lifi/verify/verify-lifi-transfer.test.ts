import { zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import { answerOf } from "../../../support/lifi/answers.ts";
import type { SwapTree } from "../../../support/lifi/calls.ts";
import { refusedField, verifyAnswer } from "../../../support/lifi/harness.ts";
import { scenarioOf, scenarios } from "../../../support/lifi/scenarios.ts";

describe("verifyLifiTransfer() accepts the expected quote", () => {
  test.each(scenarios.map((scenario) => [scenario.name, scenario] as const))("%s", (_, scenario) => {
    const answer = answerOf(scenario);
    expect(refusedField(() => verifyAnswer(scenario.request, answer))).toBe("accepted");
  });
});

test.each([
  ["execute", false],
  ["execute, swapped", true],
] as const)("verifyLifiTransfer() does not count the destination call as a swap: %s", (name, swaps) => {
  const scenario = scenarioOf(name);
  const { swaps: calls } = scenario.tree as { swaps: SwapTree[] };
  Object.assign(calls.at(-1) ?? {}, { receivingAssetId: zeroAddress });
  expect(verifyAnswer(scenario.request, answerOf(scenario)).swaps).toBe(swaps);
});
