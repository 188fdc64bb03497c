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

describe("the failure that is told", () => {
  test.each<[string, AppError[], string]>([
    ["what the vault says comes first", [timeout, noRoute("amount_too_low"), full], "above_maximum"],
    ["of its tokens, its own asset, which comes last", [paused, timeout, full], "above_maximum"],
    ["then what another amount would change", [timeout, noRoute("amount_too_low")], "no_route"],
    ["then what may pass", [noRoute("no_quote"), timeout], "upstream_timeout"],
    ["a lie before silence", [timeout, rejected], "upstream_rejected"],
    ["silence before a refusal", [down, timeout], "upstream_timeout"],
    ["nothing but refusals", [noRoute("no_quote"), noRoute("same_chain")], "no_route"],
    ["nobody at all", [], "no_route"],
  ])("%s", (_name, failures, code) => {
    expect(mostUsefulFailure(failures).code).toBe(code);
  });

  test("a provider's limit is not the caller's", () => {
    expect(mostUsefulFailure([limited])).toMatchObject({ code: "upstream_unavailable", members: {} });
  });

  test("the useful reason is the detail and comes first, the rest follow once each", () => {
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

  test("what a provider never does is told last", () => {
    expect(mostUsefulFailure([noRoute("same_chain"), noRoute("token_unknown")]).message).toBe(
      "because token_unknown",
    );
  });
});

test("reasons name codes and our own words, never an upstream's", () => {
  expect(noRouteReasons([rejected])).toEqual([{ code: "upstream_rejected", detail: "refused" }]);
});
