import { expect, test } from "vitest";
import type { DepositRow } from "../../../src/db/queries/deposit-queries.ts";
import { isClaimed, nextState } from "../../../src/tracking/deposits/deposit-state-machine.ts";
import { previewTransitions } from "../../../src/tracking/deposits/deposit-transitions.ts";
import { testContext } from "../../support/context.ts";
import { OTHER, USER, VAULT } from "../../support/deposits/fixtures.ts";
import {
  ASKED,
  assets,
  cancelledClaim,
  claimOf,
  decide,
  EMPTY,
  hashOf,
  lagoonCancellation,
  row,
  type Sent,
  SILO,
  shares,
  words,
} from "../../support/deposits/settlement.ts";

/** Requests of which a part gave shares: the rest waits, or was cancelled and paid back. */
const byUser = { from: USER, to: VAULT } as const;
const PART = (ASKED * 4n) / 10n;
const own: DepositRow = { ...row, requestId: "0" };
const claim = (value: bigint, paid = PART): Sent => ({
  ...byUser,
  logs: [shares(value, VAULT), claimOf(USER, value, paid)],
});
const back = (value: bigint): Sent => ({ ...byUser, logs: [assets(SILO, value), cancelledClaim(0n)] });
const partly = {
  shows: "vault_partly_claimed",
  shares: "5",
  claimTxHash: hashOf(0),
  refundTxHash: hashOf(1),
};
const check = (sent: readonly Sent[], more: { of?: DepositRow; others?: readonly DepositRow[] } = {}) =>
  decide({ ...EMPTY, of: own, sent, ...more });

test("a request that gave shares in part and whose rest was paid back shows both", async () => {
  expect(await check([claim(5n), back(ASKED - PART)])).toMatchObject(partly);
  // The user may claim after the cancellation.
  expect(await check([back(ASKED - PART), claim(5n)])).toMatchObject({
    ...{ ...partly, claimTxHash: hashOf(1), refundTxHash: hashOf(0) },
  });
  const event = { kind: "chain", shows: "vault_partly_claimed", confirmed: true } as const;
  expect(nextState("claimable", event)).toBe("partial");
  expect(isClaimed({ state: "partial", claimTxHash: hashOf(0), shares: "5" })).toBe(true);
});

test("a part that gave no shares is told as such", async () => {
  expect(await check([claim(0n), back(ASKED - PART)])).toMatchObject({ ...partly, shares: "0" });
});

test("at Lagoon, too, whose cancellations pay at once", async () => {
  const cancelled = { ...byUser, logs: [assets(SILO, ASKED - PART), lagoonCancellation(USER)] };
  expect(await check([claim(5n), cancelled], { of: row })).toMatchObject(partly);
});

test.each<[string, readonly Sent[], readonly DepositRow[]]>([
  ["for more than it asked", [claim(5n), back(ASKED - PART / 2n)], []],
  ["that another account sent", [claim(5n), { logs: [assets(OTHER, ASKED - PART)] }], []],
  [
    "of which another request may have a part",
    [claim(5n), back(ASKED - PART)],
    [{ ...own, trackingId: `trk_${"5".repeat(32)}`, state: "refunded", refundTxHash: hashOf(1) }],
  ],
])("a payment %s is not its rest", async (_what, sent, others) => {
  expect(await check(sent, { others })).toMatchObject({ shows: "vault_claimed", claimTxHash: hashOf(0) });
});

test("a request stays open until all of its rest was paid back, also in several payments", async () => {
  const rest = ASKED - PART;
  expect(await check([claim(5n), back(1n)])).toBeNull();
  expect(await check([claim(5n), back(rest - ASKED / 1_000n - 1n)])).toBeNull();
  expect(await check([back(rest / 2n), claim(5n)])).toBeNull();
  expect(await check([claim(5n), back(rest / 2n), back(rest / 2n)])).toMatchObject({
    ...{ ...partly, refundTxHash: hashOf(2) },
  });
  // A vault may round what it pays back.
  expect(await check([claim(5n), back(rest - ASKED / 1_000n)])).toMatchObject(partly);
  // Nor is it enough that the rest of a claim of nothing is small.
  expect(await check([claim(0n), back(1n)])).toBeNull();
});

test("a request whose settled part was claimed waits again", async () => {
  const zero = ["claimableDepositRequest", "maxMint"];
  const waits = { stored: EMPTY.stored, view: words(ASKED - PART), zero, sent: [claim(5n)] };
  const claimable: DepositRow = { ...own, state: "claimable" };
  expect(await decide({ ...waits, of: claimable })).toMatchObject({ shows: "vault_pending" });
  // Something to claim is offered, whatever waits beside it.
  expect(await decide({ ...waits, zero: [], of: claimable })).toMatchObject({ shows: "vault_settled" });
  const event = { kind: "chain", shows: "vault_pending", confirmed: true } as const;
  expect(nextState("claimable", event)).toBe("requested");
  for (const state of ["submitted", "requested", "completed"] as const)
    expect(nextState(state, event)).toBe(state);
});

test("a vault that reports a request in two states by turns does not fill its history", () => {
  const as = (shows: "vault_pending" | "vault_settled") =>
    [{ event: { kind: "chain", shows, confirmed: true }, change: {}, write: "on_change" }] as const;
  let current: DepositRow = { ...own, state: "requested", history: [{ state: "requested", at: "" }] };
  for (let turn = 0; turn < 20; turn += 1)
    for (const shows of ["vault_settled", "vault_pending"] as const)
      current = previewTransitions(testContext({}), { row: current, transitions: as(shows) });
  expect(current.history.length).toBeLessThan(6);
});
