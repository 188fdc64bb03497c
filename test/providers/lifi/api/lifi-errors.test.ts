import { describe, expect, test } from "vitest";
import { failureFromLifiResponse, reasonOfToolCode } from "../../../../src/providers/lifi/api/lifi-errors.ts";

/** Code and reasons of the failure for a refusal. */
function meaning(status: number, body: unknown): string {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const failure = failureFromLifiResponse({ status, headers: new Headers(), text, now: 0 });
  expect(failure.message).not.toContain("secret");
  const reasons = failure.members["reasons"] as { code: string; detail: string }[] | undefined;
  for (const reason of reasons ?? []) expect(reason.detail).not.toContain("secret");
  return [failure.code, ...(reasons ?? []).map((reason) => reason.code)].join(" ");
}

describe("failureFromLifiResponse() with a LI.FI error code", () => {
  test.each([
    [1000, 500, "upstream_unavailable"],
    [1001, 400, "no_route transaction_not_built"],
    [1001, 422, "no_route transaction_not_built"],
    [1002, 404, "no_route no_quote"],
    [1003, 404, "no_route token_unknown"],
    [1004, 400, "no_route not_processable"],
    [1005, 429, "rate_limited"],
    [1005, 400, "rate_limited"],
    [1006, 500, "upstream_unavailable"],
    [1007, 409, "no_route slippage_exceeded"],
    [1008, 424, "upstream_unavailable"],
    [1009, 504, "upstream_timeout"],
    [1010, 401, "upstream_unavailable"],
    [1011, 400, "no_route request_refused"],
    [1012, 500, "upstream_unavailable"],
    [1013, 400, "no_route request_refused"],
  ] as const)("maps %i with status %i to %s", (code, status, expected) => {
    expect(meaning(status, { code, message: "secret words" })).toBe(expected);
  });
});

describe("failureFromLifiResponse() without a known code", () => {
  test.each([
    [400, { message: "secret" }, "no_route request_refused"],
    [401, {}, "upstream_unavailable"],
    [403, "<html>", "upstream_unavailable"],
    [404, { message: "secret", code: 9_999 }, "no_route no_quote"],
    [404, { code: "1002" }, "no_route no_quote"],
    [408, "", "upstream_timeout"],
    [409, "", "no_route slippage_exceeded"],
    [418, null, "upstream_unavailable"],
    [422, [], "no_route request_refused"],
    [424, "", "upstream_unavailable"],
    [429, { code: 1002 }, "rate_limited"],
    [500, "", "upstream_unavailable"],
    [502, "<html>secret</html>", "upstream_unavailable"],
    [503, "{", "upstream_unavailable"],
    [504, "", "upstream_timeout"],
  ] as const)("maps status %i with %j to %s", (status, body, expected) => {
    expect(meaning(status, body)).toBe(expected);
  });
});

describe("the tool errors of failureFromLifiResponse()", () => {
  const tool = (code: string) => ({ errorType: "NO_QUOTE", code, tool: "x", message: "secret", action: {} });

  test("are read from a list", () => {
    const errors = [tool("AMOUNT_TOO_LOW"), tool("FEES_HGHER_THAN_AMOUNT"), tool("AMOUNT_TOO_LOW")];
    expect(meaning(404, { code: 1002, errors })).toBe("no_route amount_too_low fees_exceed_amount");
  });

  test("are read from the failed paths, not from the filtered ones", () => {
    const failed = [
      { overallPath: "a", subpaths: { b: [tool("INSUFFICIENT_LIQUIDITY")], c: [tool("RPC_ERROR")] } },
    ];
    const errors = { filteredOut: [{ overallPath: "a", reason: "secret" }], failed };
    expect(meaning(404, { code: 1002, errors })).toBe("no_route insufficient_liquidity tool_unavailable");
  });

  test.each([
    [null],
    ["secret"],
    [42],
    [[{ code: 5 }]],
    [{ failed: "secret" }],
    [[]],
    [{ failed: [], filteredOut: [] }],
  ])("are empty for %j", (errors) => {
    expect(meaning(404, { code: 1002, errors })).toBe("no_route no_quote");
  });

  test.each([
    ["NO_POSSIBLE_ROUTE", "no_quote"],
    ["INSUFFICIENT_LIQUIDITY", "insufficient_liquidity"],
    ["TOOL_TIMEOUT", "tool_unavailable"],
    ["UNKNOWN_ERROR", "tool_unavailable"],
    ["RPC_ERROR", "tool_unavailable"],
    ["RATE_LIMIT_EXCEEDED", "tool_unavailable"],
    ["AMOUNT_TOO_LOW", "amount_too_low"],
    ["AMOUNT_TOO_HIGH", "amount_too_high"],
    ["FEES_HIGHER_THAN_AMOUNT", "fees_exceed_amount"],
    ["FEES_HGHER_THAN_AMOUNT", "fees_exceed_amount"],
    ["DIFFERENT_RECIPIENT_NOT_SUPPORTED", "recipient_unsupported"],
    ["TOOL_SPECIFIC_ERROR", "no_quote"],
    ["CANNOT_GUARANTEE_MIN_AMOUNT", "minimum_not_guaranteed"],
    ["SOMETHING_NEW", "no_quote"],
    ["constructor", "no_quote"],
  ])("map %s to %s", (code, reason) => {
    expect(reasonOfToolCode(code)).toBe(reason);
  });
});
