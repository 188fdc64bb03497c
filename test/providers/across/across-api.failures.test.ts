import { describe, expect, test } from "vitest";
import { type BoundedResponse, OutsideError } from "../../../src/lib/bounded-fetch.ts";
import {
  failureFromAcrossRequest,
  failureFromAcrossResponse,
  isDepositUnknown,
} from "../../../src/providers/across/across-api.ts";
import { reasonsOf } from "../../support/across/stage.ts";

const NOW = Date.parse("2026-06-01T12:00:00Z");
const SECRET = "https://user:key@upstream.example/secret";

function answer(status: number, body: unknown, headers: Record<string, string> = {}): BoundedResponse {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { status, headers: new Headers(headers), text };
}

const across = (status: number, code: string, more: Record<string, unknown> = {}) =>
  answer(status, { type: "AcrossApiError", code, status, message: SECRET, ...more });

/** Every documented error body of the API with the failure it maps to. */
const table: [name: string, response: BoundedResponse, code: string, reasons: string[]][] = [
  ["amount too low", across(400, "AMOUNT_TOO_LOW"), "no_route", ["amount_too_low"]],
  ["amount too high", across(400, "AMOUNT_TOO_HIGH"), "no_route", ["amount_too_high"]],
  ["route not enabled", across(400, "ROUTE_NOT_ENABLED"), "no_route", ["route_not_enabled"]],
  [
    "invalid parameter",
    across(400, "INVALID_PARAM", { param: "recipient" }),
    "no_route",
    ["route_not_enabled"],
  ],
  [
    "simulation failed",
    across(400, "SIMULATION_ERROR", { transaction: {} }),
    "no_route",
    ["destination_call_failed"],
  ],
  ["an unknown code", across(400, "SOMETHING_ELSE"), "upstream_unavailable", []],
  ["the name of an object's own member", across(400, "constructor"), "upstream_unavailable", []],
  [
    "token not found",
    answer(404, { type: "AcrossApiError", message: SECRET }),
    "no_route",
    ["route_not_enabled"],
  ],
  ["missing parameter", across(400, "MISSING_PARAM"), "upstream_unavailable", []],
  ["invalid method", across(400, "INVALID_METHOD"), "upstream_unavailable", []],
  ["unknown code", across(400, "SOMETHING_NEW"), "upstream_unavailable", []],
  [
    "indexer's refusal",
    answer(400, { error: "ValidationError", message: SECRET }),
    "upstream_unavailable",
    [],
  ],
  ["unauthorised", answer(401, { message: SECRET }), "upstream_unavailable", []],
  ["forbidden page", answer(403, `<html>${SECRET}</html>`), "upstream_unavailable", []],
  ["a page's 404", answer(404, `<html>${SECRET}</html>`), "upstream_unavailable", []],
  ["a redirect", answer(302, "", { location: SECRET }), "upstream_unavailable", []],
  ["internal error", across(500, "INTERNAL_SERVER_ERROR"), "upstream_unavailable", []],
  ["unexpected error", across(500, "UNEXPECTED_ERROR"), "upstream_unavailable", []],
  ["rpc error", across(502, "UPSTREAM_RPC_ERROR"), "upstream_unavailable", []],
  ["http error", across(502, "UPSTREAM_HTTP_ERROR"), "upstream_unavailable", []],
  ["gateway page", answer(502, `<html>${SECRET}</html>`), "upstream_unavailable", []],
  ["bare gateway message", answer(503, { message: SECRET }), "upstream_unavailable", []],
  ["gateway timeout", across(504, "UPSTREAM_GATEWAY_TIMEOUT"), "upstream_timeout", []],
  ["an empty 500", answer(500, ""), "upstream_unavailable", []],
  ["a declining 500", across(500, "AMOUNT_TOO_LOW"), "upstream_unavailable", []],
];

test.each(table)("failureFromAcrossResponse() maps an API error: %s", (_, response, code, reasons) => {
  const failure = failureFromAcrossResponse(response, NOW);
  expect([failure.code, reasonsOf(failure)]).toEqual([code, reasons]);
  expect(JSON.stringify([failure.message, failure.members])).not.toContain("upstream.example");
});

describe("failureFromAcrossResponse() of a rate limit", () => {
  test.each([
    [undefined, 60],
    ["", 60],
    ["soon", 60],
    ["7", 7],
    ["0", 1],
    ["1000000000", 3_600],
    ["Mon, 01 Jun 2026 12:00:30 GMT", 30],
    ["Mon, 01 Jun 2026 11:00:00 GMT", 1],
    ["Fri, 01 Jan 2100 00:00:00 GMT", 3_600],
  ])("reads Retry-After %j as %i seconds", (header, seconds) => {
    const headers = header === undefined ? undefined : { "retry-after": header };
    const failure = failureFromAcrossResponse(answer(429, "", headers), NOW);
    expect([failure.code, failure.members]).toEqual(["rate_limited", { retry_after: seconds }]);
  });
});

test("failureFromAcrossRequest() returns upstream_timeout only for a timeout", () => {
  expect(failureFromAcrossRequest(new OutsideError("timeout", "")).code).toBe("upstream_timeout");
  for (const kind of ["network", "too_large", "status", "malformed"] as const)
    expect(failureFromAcrossRequest(new OutsideError(kind, "")).code).toBe("upstream_unavailable");
  expect(failureFromAcrossRequest(new TypeError("x")).code).toBe("upstream_unavailable");
});

test("isDepositUnknown() is true only for the indexer's own 404", () => {
  expect(isDepositUnknown(answer(404, { error: "DepositNotFoundException", message: "" }))).toBe(true);
  expect(isDepositUnknown(answer(404, { error: "Other", message: "" }))).toBe(false);
  expect(isDepositUnknown(answer(404, "<html></html>"))).toBe(false);
  expect(isDepositUnknown(answer(500, { error: "DepositNotFoundException", message: "" }))).toBe(false);
});
