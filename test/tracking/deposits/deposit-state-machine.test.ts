import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type DepositState, depositStates } from "../../../src/schemas/deposit-schema.ts";
import { transferStatuses } from "../../../src/schemas/step-schema.ts";
import {
  currentState,
  isOpen,
  nextState,
  type OnchainEvent,
  type StateEvent,
  statusOf,
} from "../../../src/tracking/deposits/deposit-state-machine.ts";

const ENDS: readonly DepositState[] = ["completed", "partial", "refunded"];
/** States in which nobody has seen the money move. */
const UNSENT: readonly DepositState[] = ["built", "expired", "abandoned"];
/** Where what a chain shows takes a deposit that is not as far yet; null: nowhere. */
const REACHES: Readonly<Record<OnchainEvent, DepositState | null>> = {
  source_reverted: "failed",
  source_succeeded: "bridging",
  token_awaits_deposit: "awaiting_deposit",
  deposit_reverted: null,
  vault_requested: "requested",
  vault_settled: "claimable",
  vault_rejected: null,
  vault_pending: null,
  vault_claimed: "completed",
  vault_partly_claimed: "partial",
  vault_unminted: null,
  shares: "completed",
  token_only: "partial",
  refund: "refunded",
};
const everyShown = Object.keys(REACHES) as OnchainEvent[];
/** States that a deposit passes, in order; all ends are equally far. */
const LIFE: readonly DepositState[] = [
  "submitted",
  "failed",
  "bridging",
  "awaiting_deposit",
  "requested",
  "claimable",
];
const place = (state: DepositState): number =>
  UNSENT.includes(state) ? -1 : ENDS.includes(state) ? LIFE.length : LIFE.indexOf(state);

const phases = [
  "unknown",
  "source_pending",
  "bridging",
  "delivered",
  "refunding",
  "refunded",
  "failed",
] as const;
const everyEvidence: readonly StateEvent[] = [
  { kind: "source_pending" },
  { kind: "abandoned" },
  ...phases.map((phase) => ({ kind: "provider", phase }) as const),
  ...everyShown.flatMap((shows) =>
    [true, false].map((confirmed) => ({ kind: "chain", shows, confirmed }) as const),
  ),
];
const describeEvidence = (evidence: StateEvent): string => Object.values(evidence).join(" ");

/** The rules of the state machine, stated a second time as conditions on its result. */
function expected(state: DepositState, evidence: StateEvent): DepositState {
  if (evidence.kind === "provider" || ENDS.includes(state)) return state;
  if (evidence.kind === "abandoned") return state === "built" || state === "expired" ? "abandoned" : state;
  const unproven = evidence.kind === "source_pending" || !evidence.confirmed;
  const isRejection = evidence.kind === "chain" && evidence.shows === "vault_rejected";
  const isUnminted = evidence.kind === "chain" && evidence.shows === "vault_unminted";
  const isOpen = state === "requested" || state === "claimable" || state === "awaiting_deposit";
  if (isUnminted) return evidence.confirmed && isOpen ? "failed" : state;
  const isPending = evidence.kind === "chain" && evidence.shows === "vault_pending";
  if (isPending) return evidence.confirmed && state === "claimable" ? "requested" : state;
  // The one way back for good: what was asked for will not be, and what was paid in is owed.
  if (isRejection) return evidence.confirmed && state === "requested" ? "failed" : state;
  const to = unproven ? "submitted" : REACHES[evidence.shows];
  return to !== null && place(to) > place(state) ? to : state;
}

describe("nextState()", () => {
  test.each(
    depositStates.flatMap((state) =>
      everyEvidence.map((evidence) => [state, describeEvidence(evidence), evidence] as const),
    ),
  )("from %s: %s", (state, _text, evidence) => {
    expect(nextState(state, evidence)).toBe(expected(state, evidence));
  });

  test("only advances, keeps final states and needs confirmed events", () => {
    const someEvidence = fc.array(fc.constantFrom(...everyEvidence), { maxLength: 40 });
    fc.assert(
      fc.property(fc.constantFrom(...depositStates), someEvidence, (start, learnt) => {
        let state = start;
        for (const evidence of learnt) {
          const after = nextState(state, evidence);
          const rejected =
            (state === "requested" && after === "failed") ||
            (state === "awaiting_deposit" && after === "failed") ||
            (state === "claimable" && (after === "failed" || after === "requested"));
          expect(rejected || place(after) >= place(state)).toBe(true);
          if (ENDS.includes(state)) expect(after).toBe(state);
          if (place(after) > LIFE.indexOf("submitted") && after !== state)
            expect(evidence).toMatchObject({ kind: "chain", confirmed: true });
          expect(nextState(after, evidence)).toBe(after);
          state = after;
        }
      }),
      { numRuns: 12_000 },
    );
  });

  test("reaches the same final state in any order of events", () => {
    const ending: readonly OnchainEvent[] = [
      "shares",
      "vault_claimed",
      "vault_partly_claimed",
      "token_only",
      "refund",
    ];
    const others = everyEvidence.filter(
      (evidence) => evidence.kind !== "chain" || !evidence.confirmed || !ending.includes(evidence.shows),
    );
    const noise = fc.array(fc.constantFrom(...others), { maxLength: 20 });
    fc.assert(
      fc.property(noise, fc.constantFrom(...ending), noise, (before, shows, after) => {
        const learnt: StateEvent[] = [...before, { kind: "chain", shows, confirmed: true }, ...after];
        expect(learnt.reduce(nextState, "built" as DepositState)).toBe(REACHES[shows]);
      }),
      { numRuns: 2_000 },
    );
  });

  test("allows a refund or a new source transaction after a failure", () => {
    expect(nextState("failed", { kind: "chain", shows: "refund", confirmed: true })).toBe("refunded");
    expect(nextState("failed", { kind: "chain", shows: "source_succeeded", confirmed: true })).toBe(
      "bridging",
    );
    expect(nextState("failed", { kind: "chain", shows: "shares", confirmed: true })).toBe("completed");
    expect(nextState("failed", { kind: "source_pending" })).toBe("failed");
  });

  test.each(["expired", "abandoned"] as const)("reopens %s on any chain event", (hidden) => {
    for (const shows of everyShown.filter((one) => REACHES[one] !== null)) {
      expect(nextState(hidden, { kind: "chain", shows, confirmed: true })).toBe(REACHES[shows]);
      expect(nextState(hidden, { kind: "chain", shows, confirmed: false })).toBe("submitted");
    }
    expect(nextState(hidden, { kind: "source_pending" })).toBe("submitted");
  });

  test("completes only after confirmations", () => {
    for (const state of depositStates.filter((one) => one !== "completed"))
      for (const shows of everyShown)
        expect(nextState(state, { kind: "chain", shows, confirmed: false })).not.toBe("completed");
  });
});

test.each(depositStates)("isOpen() of %s is false only for a final state", (state) => {
  expect(isOpen(state)).toBe(!ENDS.includes(state));
});

describe("currentState()", () => {
  const expiresAt = new Date(1_000);

  test.each([
    [999, "built"],
    [1_000, "expired"],
    [1_001, "expired"],
  ])("of an unsent deposit at %i is %s", (now, state) => {
    expect(currentState({ state: "built", expiresAt }, now)).toBe(state);
  });

  test("returns the stored state of a sent deposit at any time", () => {
    for (const state of depositStates.filter((other) => other !== "built")) {
      expect(currentState({ state, expiresAt }, 0)).toBe(state);
      expect(currentState({ state, expiresAt }, 10_000)).toBe(state);
    }
  });
});

describe("statusOf()", () => {
  /** The status and substatus that the API shows for each state. */
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
  ])("returns for %s: %s, %s", (state, status, substatus) => {
    expect(statusOf(state, null)).toEqual({ status, substatus });
    expect(transferStatuses).toContain(status);
  });

  test("shows a failure's reason and a bridge's substatus", () => {
    expect(statusOf("failed", "OUT_OF_GAS")).toEqual({ status: "FAILED", substatus: "OUT_OF_GAS" });
    expect(statusOf("bridging", "REFUND_IN_PROGRESS")).toEqual({
      status: "PENDING",
      substatus: "REFUND_IN_PROGRESS",
    });
  });

  test("ignores a substatus in every other state", () => {
    const others = depositStates.filter((state) => state !== "failed" && state !== "bridging");
    fc.assert(
      fc.property(fc.constantFrom(...others), fc.string(), (state, word) => {
        expect(statusOf(state, word)).toEqual(statusOf(state, null));
      }),
    );
    fc.assert(
      fc.property(fc.constantFrom(...depositStates), fc.string(), (state, word) => {
        expect(statusOf(state, word).status).toBe(statusOf(state, null).status);
      }),
    );
  });
});
