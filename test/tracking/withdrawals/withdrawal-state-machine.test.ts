import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type WithdrawalState, withdrawalStates } from "../../../src/schemas/withdrawal-schema.ts";
import {
  currentWithdrawalState,
  isOpenRequest,
  isOpenWithdrawal,
  isUnseenWithdrawal,
  nextWithdrawalState,
  type OnchainWithdrawalEvent,
  statusOfWithdrawal,
  type WithdrawalEvent,
} from "../../../src/tracking/withdrawals/withdrawal-state-machine.ts";

const ENDS: readonly WithdrawalState[] = ["completed", "partial", "refunded", "cancelled", "rejected"];
/** States in which nobody has seen a transaction. */
const UNSENT: readonly WithdrawalState[] = ["built", "expired", "abandoned"];
/** Where what a chain shows takes a withdrawal, whatever its state was before. */
const REACHES: Readonly<Record<OnchainWithdrawalEvent, WithdrawalState>> = {
  source_reverted: "failed",
  nothing_paid: "failed",
  request_made: "requested",
  cooldown_started: "cooling",
  assets_paid: "awaiting_transfer",
  transfer_sent: "bridging",
  token_paid: "completed",
  partly_paid: "partial",
  refund: "refunded",
  request_pending: "requested",
  cooldown_pending: "cooling",
  request_claimable: "claimable",
  request_expired: "failed",
  request_unpaid: "failed",
  request_rejected: "rejected",
  request_cancelled: "cancelled",
};
const everySight = Object.keys(REACHES) as OnchainWithdrawalEvent[];
/** What a vault says about a request that is open. */
const ofRequests = everySight.filter((shows) => /^(request|cooldown)_(?!made|started)/.test(shows));
const LIFE: readonly (readonly WithdrawalState[])[] = [
  ["submitted"],
  ["failed"],
  ["requested", "cooling"],
  ["claimable"],
  ["awaiting_transfer"],
  ["bridging"],
];
const place = (state: WithdrawalState): number =>
  UNSENT.includes(state)
    ? -1
    : ENDS.includes(state)
      ? LIFE.length
      : LIFE.findIndex((level) => level.includes(state));
const phases = ["unknown", "bridging", "delivered", "refunded", "failed"] as const;
const everyEvent: readonly WithdrawalEvent[] = [
  { kind: "source_pending" },
  { kind: "abandoned" },
  ...phases.map((phase) => ({ kind: "provider", phase }) as const),
  ...everySight.flatMap((shows) =>
    [true, false].map((confirmed) => ({ kind: "chain", shows, confirmed }) as const),
  ),
];

/** The rules of the state machine, stated a second time as conditions on its result. */
function expected(state: WithdrawalState, event: WithdrawalEvent): WithdrawalState {
  if (event.kind === "provider" || ENDS.includes(state)) return state;
  if (event.kind === "abandoned") return state === "built" || state === "expired" ? "abandoned" : state;
  if (event.kind === "source_pending") return UNSENT.includes(state) ? "submitted" : state;
  const open = ["requested", "cooling", "claimable"].includes(state);
  if (ofRequests.includes(event.shows)) return open && event.confirmed ? REACHES[event.shows] : state;
  const to = event.confirmed ? REACHES[event.shows] : "submitted";
  return place(to) > place(state) ? to : state;
}
const named = (event: WithdrawalEvent): string => Object.values(event).join(" ");
const anyState = fc.constantFrom(...withdrawalStates);
const anyEvent = fc.constantFrom(...everyEvent);

describe("nextWithdrawalState()", () => {
  test.each(
    withdrawalStates.flatMap((state) => everyEvent.map((event) => [state, named(event), event] as const)),
  )("from %s, after %s", (state, _, event) => {
    expect(nextWithdrawalState(state, event)).toBe(expected(state, event));
  });

  test("never leaves an end, and goes back only with an open request", () => {
    fc.assert(
      fc.property(anyState, fc.array(anyEvent, { maxLength: 30 }), (from, events) => {
        let state = from;
        for (const event of events) {
          const next = nextWithdrawalState(state, event);
          if (!isOpenWithdrawal(state)) expect(next).toBe(state);
          if (place(next) < place(state)) expect(isOpenRequest(state)).toBe(true);
          // Evidence or time alone: a statement of a provider moves nothing.
          if (event.kind === "provider") expect(next).toBe(state);
          state = next;
        }
      }),
    );
  });

  test("comes to nothing but submitted without a confirmed block", () => {
    fc.assert(
      fc.property(anyState, anyEvent, (state, event) => {
        if (event.kind !== "chain" || event.confirmed) return;
        expect([state, "submitted"]).toContain(nextWithdrawalState(state, event));
      }),
    );
  });
});

test("currentWithdrawalState() expires only what was never sent", () => {
  const expiresAt = new Date(1_000);
  for (const state of withdrawalStates) {
    expect(currentWithdrawalState({ state, expiresAt }, 999)).toBe(state);
    expect(currentWithdrawalState({ state, expiresAt }, 1_000)).toBe(state === "built" ? "expired" : state);
  }
});

test("isUnseenWithdrawal() is true until a chain shows a transaction", () => {
  expect(withdrawalStates.filter(isUnseenWithdrawal)).toEqual(UNSENT);
});

test("statusOfWithdrawal() shows the table of the contract", () => {
  expect(
    Object.fromEntries(
      withdrawalStates.map((state) => [state, Object.values(statusOfWithdrawal(state, null)).join(" ")]),
    ),
  ).toMatchInlineSnapshot(`
    {
      "abandoned": "NOT_FOUND ",
      "awaiting_transfer": "PENDING WAIT_TRANSFER_TRANSACTION",
      "bridging": "PENDING WAIT_DESTINATION_TRANSACTION",
      "built": "NOT_FOUND ",
      "cancelled": "DONE CANCELLED",
      "claimable": "PENDING WAIT_CLAIM_TRANSACTION",
      "completed": "DONE COMPLETED",
      "cooling": "PENDING WAIT_COOLDOWN",
      "expired": "NOT_FOUND ",
      "failed": "FAILED UNKNOWN_ERROR",
      "partial": "DONE PARTIAL",
      "refunded": "DONE REFUNDED",
      "rejected": "FAILED REJECTED",
      "requested": "PENDING WAIT_VAULT_SETTLEMENT",
      "submitted": "PENDING WAIT_SOURCE_CONFIRMATIONS",
    }
  `);
  expect(statusOfWithdrawal("failed", "EXPIRED").substatus).toBe("EXPIRED");
  expect(statusOfWithdrawal("completed", "EXPIRED").substatus).toBe("COMPLETED");
});
