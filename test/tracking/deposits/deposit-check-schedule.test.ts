import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { depositStates } from "../../../src/schemas/deposit-schema.ts";
import { nextCheck } from "../../../src/tracking/deposits/deposit-check-schedule.ts";
import { NOW } from "../../support/deposits/fixtures.ts";

const DAY_S = 86_400;
const createdAt = new Date(NOW);
type Looked = Partial<Parameters<typeof nextCheck>[0] & Parameters<typeof nextCheck>[1]>;
/** Seconds until the next check; null: there is none. */
function pause(of: Looked, ageSeconds = 60): number | null {
  const now = NOW + ageSeconds * 1_000;
  const row = {
    direction: "deposit" as const,
    state: "bridging" as const,
    checks: 0,
    ...{ shares: null, requestId: null, claimTxHash: null },
    ...{ createdAt, history: [] },
    ...of,
  };
  const at = nextCheck(row, { now, hinted: false, fresh: false, evidence: "open", ...of });
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

test.each(["built", "expired", "abandoned"] as const)(
  "nextCheck() looks for what is %s only by hints",
  (state) => {
    expect(pause({ state })).toBeNull();
    expect(pause({ state, hinted: true })).toBe(5);
    expect(pause({ state, hinted: true, checks: 400 }, 400 * DAY_S)).toBe(3_600);
  },
);

describe("nextCheck() of deposits that wait for somebody", () => {
  test.each([
    ["failed", 30, { requestId: "1" }],
    ["partial", 3, {}],
    ["awaiting_deposit", 30, {}],
    ["requested", 30, {}],
    ["claimable", 30, {}],
  ] as const)("checks %s for %i days", (state, days, more) => {
    const of = { state, evidence: "final", ...more } as const;
    expect(pause(of)).toBe(60);
    expect(pause({ ...of, checks: 2 })).toBe(240);
    // The transaction that it waits for was seen, and has too few confirmations.
    expect(pause({ ...of, hinted: true, fresh: true, checks: 1 })).toBe(10);
    expect(pause({ ...of, checks: 400 }, days * DAY_S)).toBe(21_600);
    expect(pause(of, days * DAY_S + 1)).toBeNull();
    // The days count from the state, which a vault or a bridge may reach late.
    const at = new Date(NOW + 20 * DAY_S * 1_000).toISOString();
    const late = { ...of, history: [{ state, at }] };
    expect(pause(late, (20 + days) * DAY_S)).toBe(60);
    expect(pause(late, (20 + days) * DAY_S + 1)).toBeNull();
  });
});

test("nextCheck() does not look for a refund of a request that ended with a claim of no shares", () => {
  const rejected = { state: "failed", requestId: "1", evidence: "final" } as const;
  expect(pause({ ...rejected, shares: "0", claimTxHash: "0x1" })).toBeNull();
  expect(pause({ ...rejected, shares: "0" })).toBe(60);
});

test("nextCheck() checks a request for 30 days, although its vault reports it as claimable by turns", () => {
  const onDay = (state: "requested" | "claimable" | "submitted", day: number) => ({
    ...{ state, at: new Date(NOW + day * DAY_S * 1_000).toISOString() },
  });
  const history = [
    onDay("submitted", 0),
    onDay("requested", 1),
    onDay("claimable", 2),
    onDay("requested", 30),
  ];
  const of = { state: "requested", evidence: "final", history } as const;
  expect(pause(of, 31 * DAY_S)).toBe(60);
  expect(pause(of, 31 * DAY_S + 1)).toBeNull();
  // A later request counts for itself.
  const again = { ...of, history: [...history, onDay("submitted", 40), onDay("requested", 41)] };
  expect(pause(again, 71 * DAY_S)).toBe(60);
});

test.each(["completed", "refunded", "failed"] as const)(
  "nextCheck() of what is %s ends with final evidence",
  (state) => {
    expect(pause({ state, evidence: "incomplete" })).toBe(5);
    expect(pause({ state, evidence: "open" })).toBe(600);
    expect(pause({ state, evidence: "final" })).toBeNull();
  },
);

test.each([
  "awaiting_deposit",
  "awaiting_transfer",
  "requested",
  "claimable",
  "cooling",
  "failed",
  "partial",
  "completed",
  "refunded",
  "cancelled",
  "rejected",
] as const)("nextCheck() ends a month after what is %s, although no node has what proves it", (state) => {
  const of = { state, evidence: "incomplete", checks: 33 } as const;
  expect(pause(of, 30 * DAY_S)).not.toBeNull();
  expect(pause(of, 30 * DAY_S + 1)).toBeNull();
  // It may be an outage, as long as something has made it due lately.
  expect(pause({ ...of, checks: 32 }, 90 * DAY_S)).toBe(3_600);
  expect(pause({ ...of, hinted: true }, 90 * DAY_S)).toBe(3_600);
});

test("nextCheck() is always later, within six hours", () => {
  const row = fc.record({
    state: fc.constantFrom(...depositStates),
    checks: fc.nat(),
    shares: fc.constantFrom(null, "5"),
    hinted: fc.boolean(),
    evidence: fc.constantFrom("incomplete" as const, "open" as const, "final" as const),
  });
  fc.assert(
    fc.property(row, fc.nat({ max: 400 * DAY_S }), (one, age) => {
      const seconds = pause(one, age);
      if (seconds === null) return;
      expect(seconds).toBeGreaterThanOrEqual(5);
      expect(seconds).toBeLessThanOrEqual(21_600);
    }),
  );
});
