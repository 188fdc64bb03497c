import { describe, expect, it } from "vitest";
import { answerOf } from "../../../support/lifi/answers.ts";
import { refusedField, verifyAnswer } from "../../../support/lifi/harness.ts";
import { scenarios } from "../../../support/lifi/scenarios.ts";

describe("a complete answer is accepted as it is", () => {
  it.each(scenarios.map((scenario) => [scenario.name, scenario] as const))("%s", (_, scenario) => {
    const answer = answerOf(scenario);
    expect(refusedField(() => verifyAnswer(scenario.request, answer))).toBe("accepted");
  });
});
