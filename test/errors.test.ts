import { describe, expect, test } from "vitest";
import * as z from "zod";
import {
  AppError,
  type ErrorCode,
  type ErrorMembers,
  errorCodes,
  errorTable,
  failure,
  failureFrom,
} from "../src/errors.ts";
import { ProblemBody } from "../src/schemas/error-schema.ts";

/** The public error codes by status: removing or moving one breaks clients. */
const PUBLISHED: Readonly<Record<number, string>> = {
  404: "route_not_found, vault_not_found, deposit_not_found, signal_not_found, application_not_found, partner_not_found, webhook_not_found, key_not_found, withdrawal_not_found",
  405: "method_not_allowed",
  413: "body_too_large",
  400: `chain_unsupported, token_unsupported, no_route, zero_shares, price_unsafe, would_revert, not_allowed, share_locked,
    below_minimum, above_maximum, price_stale, no_liquidity, cooldown, exits_paused, nothing_to_withdraw,
    authorization_unsupported, request_pending, mode_unsupported`,
  401: "credentials_required, credentials_invalid, session_expired, nonce_invalid, signature_invalid",
  403: `application_required, application_pending, application_rejected, application_revoked, vault_not_enrolled,
    partner_mismatch, key_forbidden`,
  409: "partner_exists, application_exists, vault_paused, idempotency_conflict, quote_expired, deposit_state, withdrawal_state, limit_reached",
  410: "cursor_expired",
  429: "rate_limited",
  502: "upstream_unavailable, upstream_rejected",
  503: "store_unavailable, simulation_unavailable, overloaded",
  504: "upstream_timeout",
  500: "internal",
};
const published = Object.entries(PUBLISHED).flatMap(([status, codes]) =>
  codes.split(",").map((code) => [code.trim(), Number(status)] as const),
);

describe("errorTable", () => {
  test.each(published)("has %s with status %i", (code, status) => {
    expect(errorTable[code as ErrorCode]).toMatchObject({ status });
  });

  test("has no other code", () => {
    expect([...errorCodes].sort()).toEqual(published.map(([code]) => code).sort());
  });

  test("has a distinct title for every code", () => {
    const titles = Object.values(errorTable).map(({ title }) => title);
    expect(new Set(titles).size).toBe(titles.length);
    for (const title of titles) expect(title).toMatch(/^[A-Z][^.]{4,60}$/);
  });

  test("marks 429 and 5xx as retryable and 401, 403, 404, 405 and 413 as not retryable", () => {
    for (const [code, { status, retryable }] of Object.entries(errorTable)) {
      if ([401, 403, 404, 405, 413].includes(status)) expect([code, retryable]).toEqual([code, false]);
      if (status === 429 || status >= 500) expect([code, retryable]).toEqual([code, true]);
    }
  });
});

describe("failure()", () => {
  /** An example of the additional members of each code. */
  const examples: ErrorMembers = {
    vault_paused: { reason: "by its curator" },
    no_route: { reasons: [{ code: "swap_unavailable", detail: "no swap is set up" }] },
    would_revert: { revert: "ZERO_SHARES" },
    below_minimum: { min_deposit: "100" },
    above_maximum: { max_deposit: null },
    price_unsafe: { subject: "route" },
    price_stale: { subject: "vault" },
    no_liquidity: { available: "1" },
    cooldown: { until: null },
    rate_limited: { retry_after: 5 },
  };

  test("adds the members of the code to the error", () => {
    expect(failure("below_minimum", "too little", examples.below_minimum)).toMatchObject({
      name: "AppError",
      code: "below_minimum",
      message: "too little",
      members: { min_deposit: "100" },
    });
    expect(failure("vault_not_found", "gone")).toMatchObject({ code: "vault_not_found", members: {} });
  });

  test("has only members that the OpenAPI document declares", () => {
    const standard = ["type", "title", "status", "detail", "code", "request_id"];
    const declared = ProblemBody.options.map(({ shape }) => ({
      codes: shape.code instanceof z.ZodEnum ? shape.code.options : [...shape.code.values],
      own: Object.keys(shape).filter((name) => !standard.includes(name)),
    }));
    expect(declared.flatMap(({ codes }) => codes).sort()).toEqual(Object.keys(errorTable).sort());
    for (const { codes, own } of declared)
      for (const code of codes)
        expect([code, own]).toEqual([code, Object.keys(examples[code as keyof typeof examples] ?? {})]);
  });

  test("requires the members of the code and accepts no others", () => {
    // @ts-expect-error the reason is required
    failure("vault_paused", "paused");
    // @ts-expect-error an amount is a string
    failure("below_minimum", "too little", { min_deposit: 100 });
    // @ts-expect-error this member belongs to another code
    failure("above_maximum", "too much", { min_deposit: "100" });
    // @ts-expect-error this code has no members
    failure("vault_not_found", "gone", { reason: "moved" });
    // @ts-expect-error no such code
    failure("vault_lost", "gone");
    // @ts-expect-error a code with members cannot be made without them
    failureFrom("no_route", "none", new Error("cause"));
    expect(failure("vault_not_found", "gone")).toBeInstanceOf(AppError);
  });
});

describe("failureFrom()", () => {
  test("keeps the cause for the log and out of message and members", () => {
    const cause = new Error("postgres://secret");
    const error = failureFrom("store_unavailable", "the database did not answer", cause);
    expect(error.cause).toBe(cause);
    expect(JSON.stringify([error.message, error.members, error.code])).not.toContain("secret");
  });

  test("is the only way to a cause: failure() has none", () => {
    expect("cause" in failure("internal", "no cause")).toBe(false);
  });
});
