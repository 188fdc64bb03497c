import { encodeEventTopics, parseAbi } from "viem";
import { describe, expect, test } from "vitest";
import type { DepositRow } from "../../../src/db/queries/deposit-queries.ts";
import type { StoredVault } from "../../../src/vaults/vault.ts";
import { OTHER, USER, VAULT } from "../../support/deposits/fixtures.ts";
import { log } from "../../support/deposits/logs.ts";
import {
  APPROVED,
  ASKED,
  approvalOf,
  assets,
  checks,
  claimOf,
  decide,
  EMPTY,
  hashOf,
  lagoon,
  lagoonCancellation,
  mellow,
  mellowCancellation,
  mellowClaim,
  REJECTED,
  row,
  type Sent,
  SILO,
  shares,
  standardCancellation,
  words,
} from "../../support/deposits/settlement.ts";

const laterAbi = parseAbi([
  "event ApproveRequest(uint256 indexed requestId, uint256 newOutRate, bool isSafe, bool isAvgRate)",
]);

describe("settlementTransitions() of a rejected request", () => {
  test.each<[string, Sent]>([
    ["of an exchange that a solver sent", { logs: [shares(10n ** 20n, OTHER)] }],
    ["of one wei from a stranger", { logs: [shares(1n, OTHER)] }],
    ["of an instant deposit", { from: USER, to: VAULT, logs: [shares(10n ** 20n)] }],
  ])("does not take the shares %s", async (_what, sent) => {
    expect(await decide({ ...REJECTED, sent: [sent] })).toMatchObject({ shows: "vault_rejected" });
  });

  test("leaves the shares of another request to that one", async () => {
    const sent = [{ to: VAULT, logs: [shares(5n), approvalOf(8n)] }];
    const other: DepositRow = { ...row, trackingId: `trk_${"2".repeat(32)}`, requestId: "8" };
    const failed: DepositRow = { ...row, state: "failed" };
    expect(await decide({ ...REJECTED, sent, of: failed, others: [other] })).toMatchObject({
      shows: "vault_rejected",
    });
    // Nor does an approved one take them.
    expect(await decide({ ...APPROVED, sent, others: [other] })).toBeNull();
    expect(await decide({ ...APPROVED, sent, of: other, others: [failed] })).toMatchObject({
      ...{ shows: "vault_claimed", shares: "5", claimTxHash: hashOf(0) },
    });
  });

  test("is refunded by anyone who pays its whole amount", async () => {
    expect(await decide({ ...REJECTED, sent: [{ logs: [assets(OTHER)] }] })).toMatchObject({
      ...{ shows: "refund", refundTxHash: hashOf(0), receivedAmount: String(ASKED) },
    });
    const ownCall = { from: USER, logs: [assets(OTHER)] };
    expect(await decide({ ...REJECTED, sent: [ownCall] })).toMatchObject({ shows: "vault_rejected" });
  });
});

describe("settlementTransitions() of a request that is gone", () => {
  const approval = { to: VAULT, logs: [shares(5n), approvalOf(7n)] };
  const claim = { from: USER, to: VAULT, logs: [shares(5n, VAULT), claimOf(USER, 5n)] };

  test.each([
    ["Midas", { ...APPROVED, settled: approval }],
    ["Lagoon", { ...EMPTY, settled: claim }],
  ])("%s: takes the shares of its own event only", async (_name, { settled, ...world }) => {
    const dust = { logs: [shares(1n, OTHER)] };
    const instant = { from: USER, to: VAULT, logs: [shares(9n)] };
    expect(await decide({ ...world, sent: [dust, instant, settled] })).toMatchObject({
      ...{ shows: "vault_claimed", shares: "5", claimTxHash: hashOf(2) },
    });
    expect(await decide({ ...world, sent: [dust, instant] })).toBeNull();
  });

  test("has the shares of all claims that together are for its assets", async () => {
    const part = (paid: bigint, value: bigint): Sent => {
      const logs = [shares(value, VAULT), claimOf(USER, value, paid)];
      return { from: USER, to: VAULT, logs };
    };
    const dust = { logs: [shares(1n, OTHER)] };
    const parts = [part(ASKED / 4n, 2n), dust, part((ASKED * 3n) / 4n, 6n)];
    expect(await decide({ ...EMPTY, sent: [...parts, claim] })).toMatchObject({
      ...{ shows: "vault_claimed", shares: "8", claimTxHash: hashOf(2) },
    });
    // What a rounding leaves is no further part.
    expect(await decide({ ...EMPTY, sent: [part(ASKED - 1n, 5n), dust] })).toMatchObject({ shares: "5" });
    // Another request may have been claimed with it.
    expect(await decide({ ...EMPTY, sent: [part(ASKED / 4n, 2n), claim] })).toMatchObject({ shares: null });
  });

  test("does not take the shares of a claim that a stranger gave away", async () => {
    const given = { to: VAULT, logs: [shares(1n, VAULT), claimOf(OTHER, 1n)] };
    expect(await decide({ ...EMPTY, sent: [given] })).toBeNull();
    expect(await decide({ ...EMPTY, sent: [given, claim] })).toMatchObject({ claimTxHash: hashOf(1) });
  });

  test.each([
    ["Midas", { ...APPROVED, settled: approval }],
    ["Lagoon", { ...EMPTY, settled: claim }],
  ])("%s: is not refunded by a payment of the same amount", async (_name, { settled, ...world }) => {
    const payment = { logs: [assets(OTHER)] };
    expect(await decide({ ...world, sent: [payment, settled] })).toMatchObject({ shows: "vault_claimed" });
    expect(await decide({ ...world, sent: [payment] })).toBeNull();
  });

  test("is refunded when its vault pays, unless shares arrived", async () => {
    const paid = { logs: [assets(VAULT)] };
    const refunded = { shows: "refund", refundTxHash: hashOf(0) };
    expect(await decide({ ...EMPTY, sent: [paid] })).toMatchObject(refunded);
    expect(await decide({ ...EMPTY, sent: [paid, claim] })).toMatchObject({ shows: "vault_claimed" });
  });

  test.each<[string, StoredVault, DepositRow, Sent]>([
    ["Lagoon", lagoon, row, { from: USER, logs: [assets(SILO), lagoonCancellation(USER)] }],
    ["ERC-7887", lagoon, row, { from: USER, logs: [assets(SILO), standardCancellation()] }],
    [
      "Mellow",
      mellow,
      { ...row, requestId: null },
      { from: USER, logs: [assets(VAULT), mellowCancellation] },
    ],
  ])("%s: a cancellation refunds it, whatever a later request brings", async (_what, stored, of, sent) => {
    const refunded = { shows: "refund", refundTxHash: hashOf(0) };
    const world = { view: words(0n, 0n), stored, of };
    const next = { from: USER, to: VAULT, logs: [shares(5n, VAULT), claimOf(USER, 5n), mellowClaim] };
    expect(await decide({ ...world, sent: [sent] })).toMatchObject(refunded);
    expect(await decide({ ...world, sent: [sent, next] })).toMatchObject(refunded);
    expect(await decide({ ...world, sent: [next] })).toMatchObject({ shows: "vault_claimed" });
  });

  test("is not refunded by the cancellation of another one", async () => {
    const cancelled = { from: USER, logs: [assets(SILO), lagoonCancellation(USER)] };
    expect(await decide({ ...EMPTY, of: { ...row, requestId: "6" }, sent: [cancelled] })).toBeNull();
  });

  test("is approved by the event with two flags, too", async () => {
    const flags = log(
      VAULT,
      encodeEventTopics({ abi: laterAbi, eventName: "ApproveRequest", args: { requestId: 7n } }),
      words(1n, 1n, 0n),
    );
    expect(await decide({ ...APPROVED, sent: [{ to: VAULT, logs: [shares(5n), flags] }] })).toMatchObject({
      ...{ shows: "vault_claimed", shares: "5" },
    });
  });

  test("is not refunded with another account's request, or by a part", async () => {
    const theirs = { logs: [assets(SILO), lagoonCancellation(OTHER)] };
    const part = { logs: [assets(VAULT, ASKED - 1n)] };
    expect(await decide({ ...EMPTY, sent: [theirs, part] })).toBeNull();
  });

  test("reads a limited number of transactions at a time, however many a stranger sends", async () => {
    const dust = Array.from({ length: 100 }, () => ({ logs: [shares(1n, OTHER)] }));
    const seen = [];
    for await (const one of checks({ ...APPROVED, sent: [...dust, approval] })) {
      seen.push(one);
      if (one.end !== null || seen.length === 4) break;
    }
    expect(seen.map(({ reads }) => reads)).toEqual([41, 41, 22]);
    expect(seen.at(-1)?.end).toMatchObject({ shows: "vault_claimed", claimTxHash: hashOf(100) });
  });

  test("takes no payment for a refund while shares may be among the transactions that are left", async () => {
    const dust = Array.from({ length: 50 }, () => ({ logs: [shares(1n, OTHER)] }));
    const paid = { logs: [assets(VAULT)] };
    const ends = async (sent: readonly Sent[]) => {
      const seen = checks({ ...EMPTY, sent });
      return [(await seen.next()).value?.end, (await seen.next()).value?.end];
    };
    const claimed = { shows: "vault_claimed", claimTxHash: hashOf(51) };
    expect(await ends([paid, ...dust, claim])).toEqual([null, expect.objectContaining(claimed)]);
    const refunded = { shows: "refund", refundTxHash: hashOf(0) };
    expect(await ends([paid, ...dust])).toEqual([null, expect.objectContaining(refunded)]);
  });

  test("fails a rejected request only once all transactions are judged", async () => {
    const dust = Array.from({ length: 50 }, () => ({ logs: [shares(1n, OTHER)] }));
    const refunds = checks({ ...REJECTED, sent: [...dust, { logs: [assets(OTHER)] }] });
    expect((await refunds.next()).value?.end).toBeNull();
    expect((await refunds.next()).value?.end).toMatchObject({ shows: "refund" });
  });
});
