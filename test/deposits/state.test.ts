import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { advances, currentState, isOpen, statusOf } from "../../src/deposits/state.ts";
import { type DepositState, depositStates, transferStatuses } from "../../src/schemas/status.ts";

const aState = fc.constantFrom(...depositStates);
const FINAL: readonly DepositState[] = ["completed", "partial", "refunded"];
/** States that chain evidence gives, in the order of a deposit's life. */
const LIFE: readonly DepositState[] = [
  "submitted",
  "bridging",
  "awaiting_deposit",
  "requested",
  "claimable",
  "failed",
  "completed",
  "partial",
  "refunded",
];
const ENDS = ["completed", "partial", "refunded"];

/** Where each state may go, and nowhere else. SPEC section 2, transfer status. */
const TRANSITIONS: Readonly<Record<DepositState, readonly string[]>> = {
  built: ["expired", "abandoned", ...LIFE],
  expired: ["abandoned", ...LIFE],
  abandoned: LIFE,
  submitted: ["bridging", "awaiting_deposit", "requested", "claimable", "failed", ...ENDS],
  bridging: ["awaiting_deposit", "requested", "claimable", "failed", ...ENDS],
  awaiting_deposit: ["requested", "claimable", "failed", ...ENDS],
  requested: ["claimable", "failed", ...ENDS],
  claimable: ["failed", ...ENDS],
  failed: ENDS,
  completed: [],
  partial: [],
  refunded: [],
};

describe("advances", () => {
  test.each(depositStates.flatMap((from) => depositStates.map((to) => [from, to] as const)))(
    "%s → %s",
    (from, to) => {
      expect(advances(from, to)).toBe(TRANSITIONS[from].includes(to));
    },
  );

  test("never lets a sequence of observations go back, stay, or leave an end", () => {
    fc.assert(
      fc.property(fc.array(aState, { maxLength: 40 }), (observed) => {
        const path: DepositState[] = ["built"];
        for (const to of observed) if (advances(path.at(-1) ?? "built", to)) path.push(to);
        expect(new Set(path).size).toBe(path.length);
        // Built, expired and abandoned come first; chain evidence follows in the order of life.
        const seen = path.filter((state) => LIFE.includes(state));
        expect(path.slice(path.length - seen.length)).toEqual(seen);
        const places = seen.map((state) => Math.min(LIFE.indexOf(state), LIFE.indexOf("completed")));
        expect([...places].sort((a, b) => a - b)).toEqual(places);
        const end = path.findIndex((state) => FINAL.includes(state));
        expect(end === -1 || end === path.length - 1).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  test("ends every deposit alike that saw the same end, whatever else it saw before", () => {
    fc.assert(
      fc.property(fc.array(aState), fc.constantFrom(...FINAL), fc.array(aState), (before, end, after) => {
        fc.pre(!before.some((state) => FINAL.includes(state)));
        let state: DepositState = "built";
        for (const to of [...before, end, ...after]) if (advances(state, to)) state = to;
        expect(state).toBe(end);
      }),
    );
  });

  test("brings every deposit to one of few rests, from which only evidence moves it", () => {
    for (const state of depositStates) expect(advances(state, "built")).toBe(false);
    for (const hidden of ["expired", "abandoned"] as const) {
      for (const evidence of LIFE) expect(advances(hidden, evidence)).toBe(true);
      for (const moving of LIFE) expect(advances(moving, hidden)).toBe(false);
    }
  });
});

test.each(depositStates)("%s is open unless nothing can follow", (state) => {
  expect(isOpen(state)).toBe(TRANSITIONS[state].length > 0);
});

describe("currentState", () => {
  const expiresAt = new Date(1_000);

  test.each([
    [999, "built"],
    [1_000, "expired"],
    [1_001, "expired"],
  ])("of what was only built is at %i: %s", (now, state) => {
    expect(currentState({ state: "built", expiresAt }, now)).toBe(state);
  });

  test("of everything else is what it is, at any time", () => {
    for (const state of depositStates.filter((other) => other !== "built")) {
      expect(currentState({ state, expiresAt }, 0)).toBe(state);
      expect(currentState({ state, expiresAt }, 10_000)).toBe(state);
    }
  });
});

describe("statusOf", () => {
  /** The table of SPEC section 2. */
  test.each<[DepositState, string, string | null]>([
    ["built", "NOT_FOUND", null],
    ["expired", "NOT_FOUND", null],
    ["abandoned", "NOT_FOUND", null],
    ["submitted", "PENDING", "WAIT_SOURCE_CONFIRMATIONS"],
    ["bridging", "PENDING", "WAIT_DESTINATION_TRANSACTION"],
    ["awaiting_deposit", "PENDING", "WAIT_DEPOSIT_TRANSACTION"],
    ["requested", "PENDING", "WAIT_VAULT_SETTLEMENT"],
    ["claimable", "PENDING", "WAIT_CLAIM_TRANSACTION"],
    ["completed", "DONE", "COMPLETED"],
    ["partial", "DONE", "PARTIAL"],
    ["refunded", "DONE", "REFUNDED"],
    ["failed", "FAILED", "UNKNOWN_ERROR"],
  ])("%s is %s, %s", (state, status, substatus) => {
    expect(statusOf(state, null)).toEqual({ status, substatus });
    expect(transferStatuses).toContain(status);
  });

  test("takes a reason for failures, and the bridge's own word for bridging", () => {
    expect(statusOf("failed", "OUT_OF_GAS")).toEqual({ status: "FAILED", substatus: "OUT_OF_GAS" });
    expect(statusOf("bridging", "REFUND_IN_PROGRESS")).toEqual({
      status: "PENDING",
      substatus: "REFUND_IN_PROGRESS",
    });
  });

  test("lets nobody's word replace what a state means, nor any status", () => {
    const others = depositStates.filter((state) => state !== "failed" && state !== "bridging");
    fc.assert(
      fc.property(fc.constantFrom(...others), fc.string(), (state, word) => {
        expect(statusOf(state, word)).toEqual(statusOf(state, null));
      }),
    );
    fc.assert(
      fc.property(aState, fc.string(), (state, word) => {
        expect(statusOf(state, word).status).toBe(statusOf(state, null).status);
      }),
    );
  });
});
