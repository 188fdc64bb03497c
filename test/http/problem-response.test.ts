import { describe, expect, test } from "vitest";
import * as z from "zod";
import { AppError, errorCodes, errorTable, failure, failureFrom } from "../../src/errors.ts";
import { ProblemBody } from "../../src/schemas/error-schema.ts";
import { appOf } from "../support/http/app.ts";
import { routeDoing } from "../support/http/routes.ts";

/** Returns the response to a request whose handler throws an error. */
function throwing(error: unknown): Promise<Response> {
  const route = routeDoing(() => {
    throw error;
  });
  return appOf([route]).send("/work", { headers: { "x-request-id": "mine" } });
}

describe("problem document", () => {
  test.each(errorCodes)("of %s has status and title of the error table", async (code) => {
    const response = await throwing(new AppError(code, "in words"));
    expect(response.headers.get("content-type")).toBe("application/problem+json");
    expect(response.headers.get("cache-control")).toBe("private, no-store");
    expect([response.status, await response.json()]).toEqual([
      errorTable[code].status,
      {
        type: `/docs/errors#${code}`,
        title: errorTable[code].title,
        status: errorTable[code].status,
        detail: "in words",
        code,
        request_id: "mine",
      },
    ]);
  });

  test.each(errorCodes)(
    "of %s says when to repeat the request if its cause passes by itself",
    async (code) => {
      const { headers, status } = await throwing(new AppError(code, "in words"));
      const passes: Record<number, string> = { 429: "60", 503: "5", 504: "5" };
      expect(headers.get("retry-after")).toBe(passes[status] ?? null);
    },
  );

  test.each(errorCodes)("of %s names the scheme of credentials if it is a 401", async (code) => {
    const { headers, status } = await throwing(new AppError(code, "in words"));
    expect(headers.get("www-authenticate")).toBe(status === 401 ? 'Bearer realm="causeway"' : null);
  });

  test.each([
    [failure("vault_paused", "paused", { reason: "by its curator" }), { reason: "by its curator" }],
    [
      failure("no_route", "none", { reasons: [{ code: "swap_unavailable", detail: "no swap" }] }),
      { reasons: [{ code: "swap_unavailable", detail: "no swap" }] },
    ],
    [failure("would_revert", "no", { revert: null }), { revert: null }],
    [failure("would_revert", "no", { revert: "ZERO_SHARES" }), { revert: "ZERO_SHARES" }],
    [failure("below_minimum", "no", { min_deposit: "5" }), { min_deposit: "5" }],
    [failure("above_maximum", "no", { max_deposit: "0" }), { max_deposit: "0" }],
    [failure("rate_limited", "no", { retry_after: 7 }), { retry_after: 7 }],
  ])("has the additional members of its code: %s", async (error, members) => {
    const body = await (await throwing(error)).json();
    expect(body).toMatchObject({ code: error.code, request_id: "mine", ...members });
    expect(ProblemBody.parse(body)).toEqual(body);
    expect(Object.keys(body as object)).toHaveLength(6 + Object.keys(members).length);
  });

  test("of rate_limited has a Retry-After header", async () => {
    const response = await throwing(failure("rate_limited", "slow down", { retry_after: 7 }));
    expect([response.status, response.headers.get("retry-after")]).toEqual([429, "7"]);
    expect((await throwing(failure("vault_not_found", "gone"))).headers.has("retry-after")).toBe(false);
  });

  test("does not contain the cause", async () => {
    const cause = new Error("https://node.example/k3y");
    const text = await (
      await throwing(failureFrom("upstream_unavailable", "no node answered", cause))
    ).text();
    expect(text).not.toMatch(/k3y|node\.example|stack|cause/);
  });
});

describe("an unexpected error", () => {
  const named = new Error("postgres://secret");
  named.name = "AppError";
  test.each<[string, unknown]>([
    ["an error", new Error("postgres://secret")],
    ["an error that only has our name", named],
    ["an error with a cause", new TypeError("secret", { cause: new Error("postgres://secret") })],
    [
      "an error with members",
      Object.assign(new Error("postgres://secret"), {
        code: "vault_not_found",
        status: 404,
        members: { x: "secret" },
      }),
    ],
    ["a zod error", z.string().safeParse(5).error],
  ])("(%s) is answered with 500 internal and the request id, without its message", async (_what, thrown) => {
    const response = await throwing(thrown);
    const text = await response.text();
    expect(text).not.toMatch(/secret|postgres|expected string|at .*\.ts/);
    expect([response.status, JSON.parse(text)]).toEqual([
      500,
      {
        type: "/docs/errors#internal",
        title: "Internal error",
        status: 500,
        detail: "an unexpected error occurred",
        code: "internal",
        request_id: "mine",
      },
    ]);
  });
});
