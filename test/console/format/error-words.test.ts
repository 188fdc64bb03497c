import { describe, expect, test } from "vitest";
import { CausewayError } from "../../../src/client/causeway-client-error.ts";
import { explainError } from "../../../src/console/format/error-words.ts";
import { errorCodes } from "../../../src/errors.ts";

describe("explainError()", () => {
  test.each(errorCodes)("explains %s without showing a code", (code) => {
    const error = new CausewayError(code, "the API's own sentence", { status: 400, requestId: "id-1" });
    const { title, advice, reference } = explainError(error);
    expect(title).toMatch(/^[A-Z]/);
    expect(advice).toMatch(/[.!?]$/);
    expect(`${title} ${advice}`).not.toMatch(/_/);
    expect(reference).toBe("id-1");
  });

  test("says what is wrong with an input", () => {
    const issues = [{ loc: ["body", "from_amount"], msg: "must be above zero", type: "too_small" }];
    const error = new CausewayError("invalid_input", "body.from_amount: must be above zero", { issues });
    expect(explainError(error).advice).toBe("Must be above zero.");
  });

  test("does not show what an unforeseen error says", () => {
    expect(explainError(new TypeError("x is undefined")).advice).not.toContain("undefined");
  });
});
