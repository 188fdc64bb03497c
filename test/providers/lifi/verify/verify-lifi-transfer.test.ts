import { describe, expect, test } from "vitest";
import { answerOf } from "../../../support/lifi/answers.ts";
import { refusedField, verifyAnswer } from "../../../support/lifi/harness.ts";
import { scenarios } from "../../../support/lifi/scenarios.ts";

describe("verifyLifiTransfer() accepts the expected quote", () => {
  test.each(scenarios.map((scenario) => [scenario.name, scenario] as const))("%s", (_, scenario) => {
    const answer = answerOf(scenario);
    expect(refusedField(() => verifyAnswer(scenario.request, answer))).toBe("accepted");
  });
});
