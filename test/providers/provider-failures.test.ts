import { describe, expect, test } from "vitest";
import { type AppError, failure, failureFrom } from "../../src/errors.ts";
import { mostUsefulFailure, noRouteReasons } from "../../src/providers/provider-failures.ts";

const noRoute = (...codes: string[]): AppError =>
  failure("no_route", "none", { reasons: codes.map((code) => ({ code, detail: `because ${code}` })) });
const timeout = failure("upstream_timeout", "too slow");
const down = failure("upstream_unavailable", "down");
const rejected = failureFrom("upstream_rejected", "refused", new Error("li.fi: bridge.receiver"));
const limited = failure("rate_limited", "later", { retry_after: 60 });
const full = failure("above_maximum", "full", { max_deposit: "1" });
const paused = failure("vault_paused", "closed", { reason: "" });

describe("mostUsefulFailure()", () => {
  test.each<[string, AppError[], string]>([
    ["returns the vault's own failure first", [timeout, noRoute("amount_too_low"), full], "above_maximum"],
    [
      "returns the failure of the vault's asset, which is tried after its other tokens",
      [paused, timeout, full],
      "above_maximum",
    ],
    ["prefers a reason that another amount removes", [timeout, noRoute("amount_too_low")], "no_route"],
    [
      "prefers a temporary failure to a route without quote",
      [noRoute("no_quote"), timeout],
      "upstream_timeout",
    ],
    ["prefers a rejected response to a timeout", [timeout, rejected], "upstream_rejected"],
    ["prefers a timeout to an unavailable provider", [down, timeout], "upstream_timeout"],
    [
      "returns no_route when every provider declines",
      [noRoute("no_quote"), noRoute("same_chain")],
      "no_route",
    ],
    ["returns no_route without any provider", [], "no_route"],
  ])("%s", (_name, failures, code) => {
    expect(mostUsefulFailure(failures).code).toBe(code);
  });

  test("reports a provider's rate limit as upstream_unavailable", () => {
    expect(mostUsefulFailure([limited])).toMatchObject({ code: "upstream_unavailable", members: {} });
  });

  test("puts the actionable reason first and lists every other reason once", () => {
    const failures = [noRoute("same_chain"), timeout, noRoute("same_chain", "amount_too_low"), timeout];
    expect(mostUsefulFailure(failures)).toMatchObject({
      message: "because amount_too_low",
      members: {
        reasons: [
          { code: "amount_too_low", detail: "because amount_too_low" },
          { code: "same_chain", detail: "because same_chain" },
          { code: "upstream_timeout", detail: "too slow" },
        ],
      },
    });
  });

  test("puts general limits of a provider last", () => {
    expect(mostUsefulFailure([noRoute("same_chain"), noRoute("token_unknown")]).message).toBe(
      "because token_unknown",
    );
  });
});

test("noRouteReasons() contains codes and our own texts, never the upstream's", () => {
  expect(noRouteReasons([rejected])).toEqual([{ code: "upstream_rejected", detail: "refused" }]);
});
