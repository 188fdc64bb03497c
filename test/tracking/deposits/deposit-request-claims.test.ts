import type { Log } from "viem";
import { describe, expect, test } from "vitest";
import type { DepositRow } from "../../../src/db/queries/deposit-queries.ts";
import { USER, VAULT } from "../../support/deposits/fixtures.ts";
import {
  APPROVED,
  ASKED,
  approvalOf,
  assets,
  cancelledClaim,
  claimOf,
  decide,
  EMPTY,
  hashOf,
  row,
  type Sent,
  SILO,
  shares,
} from "../../support/deposits/settlement.ts";

/** Two requests for the same amount at a vault that holds them under one id, the second made by transaction 0. */
const first: DepositRow = { ...row, requestId: "0" };
const second: DepositRow = { ...first, trackingId: `trk_${"5".repeat(32)}`, depositTxHash: hashOf(0) };
const byUser = { from: USER, to: VAULT } as const;
const claim = (value: bigint, paid = ASKED): Sent => ({
  ...byUser,
  logs: [shares(value, VAULT), claimOf(USER, value, paid)],
});
const refund: Sent = { ...byUser, logs: [assets(SILO), cancelledClaim(0n)] };
const nothing: Sent = { logs: [] };
const check = (of: DepositRow, others: readonly DepositRow[], sent: readonly Sent[]) =>
  decide({ ...EMPTY, of, others, sent: [nothing, ...sent] });
const claimedAt = (place: number) => ({ shows: "vault_claimed", claimTxHash: hashOf(place) });
const refundedAt = (place: number) => ({ shows: "refund", refundTxHash: hashOf(place) });

describe("of two equal requests, of which one was claimed and one cancelled", () => {
  const claimed = { ...first, state: "completed", claimTxHash: hashOf(1) } as const;
  const refunded = { ...first, state: "refunded", refundTxHash: hashOf(1) } as const;

  test("the earlier one has what came first", async () => {
    expect(await check(first, [second], [claim(5n), refund])).toMatchObject(claimedAt(1));
    expect(await check(first, [second], [refund, claim(5n)])).toMatchObject(refundedAt(1));
  });

  test("the earlier one has what came first, whatever was reported or announced", async () => {
    const [of, others, sent] = [first, [second], [nothing, claim(5n), refund]];
    expect(await decide({ ...EMPTY, of, others, sent, hinted: [2] })).toMatchObject(claimedAt(1));
  });

  test("the later one has the other, once the earlier one has ended", async () => {
    expect(await check(second, [first], [claim(5n), refund])).toBeNull();
    expect(await check(second, [claimed], [claim(5n), refund])).toMatchObject(refundedAt(2));
    expect(await check(second, [refunded], [refund, claim(5n)])).toMatchObject({
      ...claimedAt(2),
      shares: "5",
    });
  });
});

test("of two equal requests in one transaction, each has an end of its own", async () => {
  const batched = { ...second, depositTxHash: first.depositTxHash };
  const claimed = { ...first, state: "completed", claimTxHash: hashOf(1) } as const;
  const refunded = { ...first, state: "refunded", refundTxHash: hashOf(1) } as const;
  expect(await check(batched, [first], [claim(5n), refund])).toBeNull();
  expect(await check(batched, [claimed], [claim(5n), refund])).toMatchObject(refundedAt(2));
  expect(await check(batched, [refunded], [refund, claim(5n)])).toMatchObject({
    ...claimedAt(2),
    shares: "5",
  });
  const both = [claim(9n, 2n * ASKED)];
  expect(await check(batched, [first], both)).toMatchObject({ ...claimedAt(1), shares: null });
});

describe("claims of parts of two requests", () => {
  const later: DepositRow = { ...second, fromAmount: String(ASKED / 2n) };
  const sent = [claim(3n, (ASKED * 6n) / 10n), claim(5n, (ASKED * 9n) / 10n)];

  test("pay the earlier one first, and the later one with what is left", async () => {
    expect(await check(first, [later], sent)).toMatchObject({ ...claimedAt(2), shares: null });
    expect(await check(later, [first], sent)).toBeNull();
    const ended = { ...first, state: "completed", claimTxHash: hashOf(2) } as const;
    expect(await check(later, [ended], sent)).toMatchObject({ ...claimedAt(2), shares: null });
  });

  test("end the later one also if others had all of them, when nothing is open", async () => {
    const ended = { ...first, state: "completed", claimTxHash: hashOf(1) } as const;
    expect(await check(later, [ended], [claim(5n)])).toMatchObject({ ...claimedAt(1), shares: null });
    // What rounding adds to a claim is no part of the later one.
    const rounded = [claim(5n, ASKED + 1n), claim(2n, ASKED / 2n)];
    expect(await check(later, [ended], rounded)).toMatchObject({ ...claimedAt(2), shares: "2" });
  });
});

test("one claim of both requests ends each of them without waiting for the other", async () => {
  const both = [claim(9n, 2n * ASKED)];
  for (const [of, other] of [
    [first, second],
    [second, first],
  ] as const)
    expect(await check(of, [other], both)).toMatchObject({ ...claimedAt(1), shares: null });
  const ended = { ...first, state: "completed", claimTxHash: hashOf(1) } as const;
  expect(await check(second, [ended], both)).toMatchObject({ ...claimedAt(1), shares: null });
});

describe("requests of Midas that one transaction approved", () => {
  const other: DepositRow = { ...row, trackingId: `trk_${"6".repeat(32)}`, requestId: "8" };
  const numbered = (...logs: readonly Log[]): Sent => ({
    ...{ to: VAULT, logs: logs.map((one, logIndex) => ({ ...one, logIndex })) },
  });
  const approved = (of: DepositRow, others: readonly DepositRow[], sent: Sent) =>
    decide({ ...APPROVED, of, others, sent: [sent] });
  const both = numbered(shares(5n), approvalOf(7n), shares(9n), approvalOf(8n));

  test("have the shares that were minted before each approval", async () => {
    expect(await approved(row, [other], both)).toMatchObject({ ...claimedAt(0), shares: "5" });
    expect(await approved(other, [row], both)).toMatchObject({ ...claimedAt(0), shares: "9" });
    const ended = { ...row, state: "completed", claimTxHash: hashOf(0), shares: "5" } as const;
    expect(await approved(other, [ended], both)).toMatchObject({ ...claimedAt(0), shares: "9" });
  });

  test("have unknown shares if more were minted between two approvals", async () => {
    const more = numbered(shares(5n), approvalOf(7n), shares(9n), shares(1n), approvalOf(8n));
    expect(await approved(other, [row], more)).toMatchObject({ ...claimedAt(0), shares: null });
    // Those that were not minted are no shares of a request.
    const gift = numbered(shares(5n), approvalOf(7n), shares(1n, SILO), shares(9n), approvalOf(8n));
    expect(await approved(other, [row], gift)).toMatchObject({ ...claimedAt(0), shares: "9" });
  });
});
