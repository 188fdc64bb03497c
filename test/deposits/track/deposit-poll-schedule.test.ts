import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nextCheck } from "../../../src/deposits/track/deposit-poll-schedule.ts";
import { depositStates } from "../../../src/schemas/deposit-schema.ts";
import { NOW } from "../../support/deposits/fixtures.ts";

const DAY_S = 86_400;
const createdAt = new Date(NOW);
/** Seconds until the next look; null: there is none. */
function pause(row: Partial<Parameters<typeof nextCheck>[0]>, ageSeconds = 60): number | null {
  const now = NOW + ageSeconds * 1_000;
  const at = nextCheck({ state: "bridging", checks: 0, shares: null, createdAt, ...row }, now);
  return at === null ? null : (at.getTime() - now) / 1_000;
}

test.each([
  [0, 15],
  [1, 30],
  [4, 240],
  [8, 3_600],
  [1_000_000, 3_600],
])("nextCheck() backoff in transit: after %i checks the next is in %i s", (checks, seconds) => {
  expect(pause({ checks })).toBe(seconds);
});

test.each(["submitted", "bridging"] as const)("nextCheck() never stops while %s", (state) => {
  expect(pause({ state, checks: 5_000 }, 10_000 * DAY_S)).toBe(3_600);
});

describe("nextCheck() of other deposits", () => {
  test.each([
    ["built", 3],
    ["expired", 3],
    ["abandoned", 3],
    ["failed", 3],
    ["partial", 3],
    ["awaiting_deposit", 30],
    ["requested", 30],
    ["claimable", 30],
  ] as const)("checks %s for %i days", (state, days) => {
    expect(pause({ state })).toBe(60);
    expect(pause({ state, checks: 2 })).toBe(240);
    expect(pause({ state, checks: 400 }, days * DAY_S)).toBe(21_600);
    expect(pause({ state }, days * DAY_S + 1)).toBeNull();
  });
});

test("nextCheck() returns null for a final state", () => {
  for (const state of ["completed", "refunded"] as const) expect(pause({ state })).toBeNull();
  expect(pause({ state: "partial", shares: "1" })).toBeNull();
});

test("nextCheck() is always later, within six hours", () => {
  const row = fc.record({
    state: fc.constantFrom(...depositStates),
    checks: fc.nat(),
    shares: fc.constantFrom(null, "5"),
  });
  fc.assert(
    fc.property(row, fc.nat({ max: 400 * DAY_S }), (one, age) => {
      const seconds = pause(one, age);
      if (seconds === null) return;
      expect(seconds).toBeGreaterThanOrEqual(15);
      expect(seconds).toBeLessThanOrEqual(21_600);
    }),
  );
});
