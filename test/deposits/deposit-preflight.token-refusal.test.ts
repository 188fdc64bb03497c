import { describe, expect, test } from "vitest";
import { isTokenRefusal } from "../../src/deposits/deposit-preflight.ts";
import { AppError, type ErrorCode } from "../../src/errors.ts";

describe("isTokenRefusal()", () => {
  test.each<[ErrorCode, boolean]>([
    ["vault_paused", true],
    ["token_unsupported", true],
    ["below_minimum", true],
    ["above_maximum", true],
    ["price_stale", true],
    ["price_unsafe", true],
    ["zero_shares", true],
    ["not_allowed", false],
    ["share_locked", false],
    ["would_revert", false],
    ["upstream_unavailable", false],
  ])("returns for %s: %s", (code, may) => {
    expect(isTokenRefusal(new AppError(code, ""))).toBe(may);
  });
});
