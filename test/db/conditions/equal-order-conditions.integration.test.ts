import type { Hex } from "viem";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startTestDeployment, type TestDeployment } from "../../../scripts/stack/test-deployment.ts";
import { addReportedHint, dropHints, selectHints } from "../../../src/db/queries/deposit-hint-queries.ts";
import {
  selectWithdrawalsByUser,
  updateDeposit,
  updateWithdrawal,
  type WithdrawalRow,
} from "../../../src/db/queries/deposit-queries.ts";
import { selectSourceHolder } from "../../../src/db/queries/equal-order-queries.ts";
import { selectPartnerTransactions } from "../../../src/db/queries/partner-deposit-queries.ts";
import { selectOtherRedemptions } from "../../../src/db/queries/withdrawal-queries.ts";
import { deposits } from "../../../src/db/tables/deposit-tables.ts";
import { OTHER, row } from "../../support/deposits/fixtures.ts";
import { withdrawalRow } from "../../support/withdrawals/withdrawal-row.ts";

const HASH: Hex = `0x${"11".repeat(32)}`;
let causeway: TestDeployment;
beforeAll(async () => {
  causeway = await startTestDeployment();
});
afterAll(() => causeway?.close());
beforeEach(() => causeway.db.delete(deposits));

const idOf = (digit: string): string => `trk_${digit.repeat(32)}`;
const proven = { sourceTxHash: HASH, sourceProven: true } as const;

test("a bundle with the same call of two accounts is the source of a deposit of each, and proves both", async () => {
  const { db } = causeway.context();
  const others = { ...row, trackingId: idOf("2"), ref: HASH, userAddress: OTHER.toLowerCase() };
  await causeway.db.insert(deposits).values([row, others]);
  const change = { ...proven, depositTxHash: HASH, depositProven: true, state: "completed" } as const;
  for (const { trackingId } of [row, others])
    expect(await updateDeposit(db, { trackingId, from: "built", change })).toMatchObject(change);
});

const stranger: WithdrawalRow = { ...withdrawalRow, ...proven, trackingId: idOf("3"), ref: HASH };
const elsewhere: WithdrawalRow = {
  ...stranger,
  ...{ moveToken: OTHER.toLowerCase(), twoStep: true, state: "awaiting_transfer" },
};
const { trackingId, fromChainId: chainId, createdAt: now } = withdrawalRow;

/** Binds the user's withdrawal to a redemption that a stranger's row with the same call has. */
async function bind(bound: WithdrawalRow, { reported }: { reported: boolean }) {
  const { db } = causeway.context();
  await causeway.db.insert(deposits).values([withdrawalRow, bound]);
  if (reported) await addReportedHint(db, { trackingId, chainId, txHash: HASH, now });
  const holder = await selectSourceHolder(db, { row: withdrawalRow, hash: HASH, blockNumber: 101n });
  const change = { ...proven, state: "completed" } as const;
  // Tracking proves a row only if it holds the transaction.
  const isHolder = holder?.trackingId === trackingId;
  const updated = isHolder ? await updateWithdrawal(db, { trackingId, from: "built", change }) : null;
  const filter = { states: null, now, vault: null, from: null, to: null };
  const { userAddress: user } = withdrawalRow;
  const listed = await selectWithdrawalsByUser(db, { user, limit: 9, before: null, filter });
  return {
    holder: holder?.trackingId,
    bound: updated !== null,
    listed: listed.map((one) => one.trackingId),
  };
}

test("a redemption that was reported for a withdrawal is its own beside a stranger's for another token", async () => {
  const later = { ...elsewhere, createdAt: new Date(now.getTime() + 1_000) };
  const listed = [elsewhere.trackingId, trackingId];
  expect(await bind(later, { reported: true })).toEqual({ holder: trackingId, bound: true, listed });
  const { db } = causeway.context();
  expect(await selectOtherRedemptions(db, { ...withdrawalRow, ...proven }, { anyId: true })).toEqual([]);
});

test.each<[string, Partial<WithdrawalRow>, string]>([
  ["the one whose second step was sent", { depositProven: true, depositTxHash: HASH }, elsewhere.trackingId],
  ["one whose second step was not the first of its batch", { depositTxHash: HASH }, elsewhere.trackingId],
  ["a completed one, even if it was built later", { createdAt: new Date(now.getTime() - 1_000) }, trackingId],
])("of rows that share a redemption, a partner's figures count %s", async (_what, change, counted) => {
  await bind({ ...elsewhere, ...change }, { reported: true });
  const partner = OTHER.toLowerCase();
  await causeway.db.update(deposits).set({ partnerAddress: partner });
  const page = { address: partner, since: null, limit: 9, before: null, direction: null };
  const rows = await selectPartnerTransactions(causeway.context().db, page);
  expect(rows.map((one) => one.trackingId)).toEqual([counted]);
});

test("of rows that have a call each of one batch, a partner's figures count all", async () => {
  const partner = { partnerAddress: OTHER.toLowerCase() };
  const own = { ...withdrawalRow, ...proven, ...partner, state: "completed" } as const;
  await causeway.db.insert(deposits).values([own, { ...stranger, ...partner, state: "completed" }]);
  const page = { address: partner.partnerAddress, since: null, limit: 9, before: null, direction: null };
  const rows = await selectPartnerTransactions(causeway.context().db, page);
  expect(rows.map((one) => one.trackingId).sort()).toEqual([trackingId, stranger.trackingId].sort());
});

test("of rows with a call each, a partner's figures count all, whatever goes on otherwise", async () => {
  const partner = { partnerAddress: OTHER.toLowerCase() };
  const builtAt = (seconds: number) => ({ createdAt: new Date(now.getTime() + seconds * 1_000) });
  const own = { ...withdrawalRow, ...proven, ...partner, state: "completed" } as const;
  const second = { ...stranger, ...partner, ...builtAt(2), state: "completed" } as const;
  const otherwise = { ...elsewhere, ...partner, ...builtAt(1), trackingId: idOf("4"), ref: "0x4" } as const;
  await causeway.db.insert(deposits).values([own, second, { ...otherwise, state: "completed" }]);
  const page = { address: partner.partnerAddress, since: null, limit: 9, before: null, direction: null };
  const rows = await selectPartnerTransactions(causeway.context().db, page);
  expect(rows.map((one) => one.trackingId).sort()).toEqual([trackingId, second.trackingId].sort());
});

test("a second request that another transaction made is another redemption", async () => {
  const own = { ...withdrawalRow, ...proven, sourceTxHash: `0x${"22".repeat(32)}` as const };
  await causeway.db.insert(deposits).values([own, { ...elsewhere, state: "requested" }]);
  const found = await selectOtherRedemptions(causeway.context().db, own, { anyId: true });
  expect(found.map((one) => one.trackingId)).toEqual([elsewhere.trackingId]);
});

const checked: WithdrawalRow = { ...withdrawalRow, ...proven, sourceTxHash: `0x${"22".repeat(32)}` };

/** Strangers' rows of the user's request, which all pay another token, in the order in which they were built. */
const strangers = Array.from({ length: 60 }, (_, number): WithdrawalRow => {
  const id = `f${number.toString(16).padStart(3, "0")}`;
  const names = { trackingId: `trk_${id.repeat(8)}`, ref: `0x${id.repeat(16)}` };
  const created = new Date(now.getTime() + (number + 1) * 1_000);
  return { ...elsewhere, ...names, state: "requested", moveToken: `0x${number}`, createdAt: created };
});

test("however many rows strangers build for a request, it is one of the user's others", async () => {
  const { db } = causeway.context();
  // Ids of requests become known one after another.
  const own: WithdrawalRow = { ...withdrawalRow, ...proven, state: "requested", requestId: "5" };
  const third: WithdrawalRow = {
    ...{ ...own, trackingId: idOf("4"), ref: `0x${"44".repeat(32)}` },
    ...{ sourceTxHash: `0x${"33".repeat(32)}`, createdAt: new Date(now.getTime() - 1_000) },
  };
  await causeway.db.insert(deposits).values([own, third, ...strangers]);
  const row = { ...checked, trackingId: idOf("5") };
  const read = async () =>
    (await selectOtherRedemptions(db, row, { anyId: true })).map((one) => one.trackingId);
  expect(await read()).toEqual([own.trackingId, third.trackingId]);
  // What is known of its end counts, whichever of its rows was read last.
  const [first] = strangers;
  const ended = { from: "requested", change: { state: "awaiting_transfer", claimTxHash: "0xc" } } as const;
  expect(await updateWithdrawal(db, { trackingId: first?.trackingId ?? "", ...ended })).not.toBeNull();
  expect(await read()).toEqual([third.trackingId, first?.trackingId]);
});

test("a redemption counts once if it was not reported, or if the other withdrawal continues alike", async () => {
  const others = { holder: stranger.trackingId, bound: false, listed: [stranger.trackingId] };
  expect(await bind(elsewhere, { reported: false })).toEqual(others);
  await causeway.db.delete(deposits);
  expect(await bind({ ...stranger, state: "completed" }, { reported: true })).toEqual(others);
});

test("a dropped hint is read again once it is reported again", async () => {
  const { db } = causeway.context();
  await causeway.db.insert(deposits).values(withdrawalRow);
  const report = () => addReportedHint(db, { trackingId, chainId, txHash: HASH, now });
  await report();
  await dropHints(db, { trackingId, txHashes: [HASH], carrying: [HASH], now });
  expect(await selectHints(db, [trackingId])).toEqual([]);
  await report();
  expect(await selectHints(db, [trackingId])).toMatchObject([{ txHash: HASH, origin: "both" }]);
});
