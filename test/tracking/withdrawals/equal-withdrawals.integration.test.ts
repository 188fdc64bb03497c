import type { Hex } from "viem";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startTestDeployment, type TestDeployment } from "../../../scripts/stack/test-deployment.ts";
import { addReportedHint, selectHints } from "../../../src/db/queries/deposit-hint-queries.ts";
import {
  selectTracked,
  updateWithdrawal,
  type WithdrawalRow,
} from "../../../src/db/queries/deposit-queries.ts";
import { exchangeSource, passHint, selectSourceHolder } from "../../../src/db/queries/equal-order-queries.ts";
import { deposits } from "../../../src/db/tables/deposit-tables.ts";
import { depositEvidence } from "../../../src/db/tables/deposit-tracking-tables.ts";
import { findSharedSource } from "../../../src/tracking/track-equal-orders.ts";
import { OTHER } from "../../support/deposits/fixtures.ts";
import { withdrawalRow } from "../../support/withdrawals/withdrawal-row.ts";

const HASH: Hex = `0x${"11".repeat(32)}`;
const OTHER_HASH: Hex = `0x${"33".repeat(32)}`;
/** Hash of the user's transaction in block 110. */
const EARLIER: Hex = `0x${"44".repeat(32)}`;
const own: WithdrawalRow = { ...withdrawalRow, sourceTo: withdrawalRow.vaultAddress, builtBlock: 100 };
const { trackingId, fromChainId: chainId, createdAt: now } = own;
/** The same redemption, built by somebody else and bound to the user's transaction. */
const bound: WithdrawalRow = {
  ...own,
  ...{ trackingId: `trk_${"2".repeat(32)}`, ref: HASH, state: "completed", sourceTxHash: HASH },
  sourceProven: true,
};

let causeway: TestDeployment;
beforeAll(async () => {
  causeway = await startTestDeployment();
});
afterAll(() => causeway?.close());
beforeEach(() => causeway.db.delete(deposits));

/** Stores the withdrawal and the bound one, whose transaction is in block `blockNumber`. */
async function found(change: Partial<WithdrawalRow>, { blockNumber = 101, report = true } = {}) {
  const ctx = causeway.context();
  const other = { ...bound, ...change };
  await causeway.db.insert(deposits).values([own, other]);
  const evidence = { trackingId: other.trackingId, chainId, txHash: HASH };
  await causeway.db.insert(depositEvidence).values({ ...evidence, blockNumber, blockHash: "0xb1" });
  if (report) await addReportedHint(ctx.db, { trackingId, chainId, txHash: HASH, now });
  const { answering, sameAs } = await findSharedSource(ctx, own);
  return { answers: answering.trackingId, sameAs };
}

test("a reported withdrawal answers as an equal one, which continues alike", async () => {
  expect(await found({})).toEqual({ answers: bound.trackingId, sameAs: bound.trackingId });
});

test("a withdrawal for which nothing was reported keeps its own state", async () => {
  expect(await found({}, { report: false })).toEqual({ answers: trackingId, sameAs: bound.trackingId });
});

test.each([
  ["on another chain", { toChainId: own.toChainId + 1 }],
  ["in another token", { moveToken: OTHER.toLowerCase() }],
  ["in two steps", { twoStep: true }],
] as const)("a withdrawal does not answer as one that pays %s", async (_, change) => {
  expect(await found(change)).toEqual({ answers: trackingId, sameAs: bound.trackingId });
});

test.each([
  ["of another user", { userAddress: OTHER.toLowerCase() }],
  ["at another contract", { sourceTo: OTHER.toLowerCase() }],
  ["with other calldata", { sourceDataHash: HASH }],
] as const)("a withdrawal %s is not equal", async (_, change) => {
  expect(await found(change)).toEqual({ answers: trackingId, sameAs: null });
});

test("a reported withdrawal answers as an equal one whose transaction reverted", async () => {
  expect(await found({ state: "failed" })).toEqual({
    ...{ answers: bound.trackingId, sameAs: bound.trackingId },
  });
});

test("a transaction that is not newer than the build is nothing of a withdrawal", async () => {
  expect(await found({}, { blockNumber: 100 })).toEqual({ answers: trackingId, sameAs: null });
});

test("a withdrawal of all shares is equal to one of as many, which has the same call", async () => {
  expect(await found({ fromAmount: "0" })).toEqual({ answers: bound.trackingId, sameAs: bound.trackingId });
});

test("a transaction reported for a withdrawal of all shares is not taken by an equal one of as many", async () => {
  const { db } = causeway.context();
  const all: WithdrawalRow = { ...own, fromAmount: "0" };
  const stranger: WithdrawalRow = { ...own, trackingId: `trk_${"3".repeat(32)}`, ref: HASH };
  await causeway.db.insert(deposits).values([all, stranger]);
  await addReportedHint(db, { trackingId: all.trackingId, chainId, txHash: HASH, now });
  const holder = await selectSourceHolder(db, { row: stranger, hash: HASH, blockNumber: 101n });
  expect(holder).toEqual({ trackingId: all.trackingId, proven: false });
});

/** Rows of one call that go on in two ways: in the vault's token, or in another one, as strangers may build them. */
const builtAt = (seconds: number, change: Partial<WithdrawalRow> = {}): WithdrawalRow => {
  const id = `${seconds.toString(16).padStart(2, "0")}`.repeat(16);
  const createdAt = new Date(now.getTime() + seconds * 1_000);
  return { ...own, trackingId: `trk_${id}`, ref: `0x${id.repeat(2)}`, createdAt, ...change };
};
const otherwise = { moveToken: OTHER.toLowerCase(), twoStep: true } as const;
const provenBy = { sourceTxHash: HASH, sourceProven: true } as const;
const hintOf = (row: WithdrawalRow, seconds: number) => {
  const at = new Date(now.getTime() + seconds * 1_000);
  return { trackingId: row.trackingId, chainId, txHash: HASH, now: at };
};
/** Returns the row that each of the rows leaves the transaction to; null for itself. */
async function leftTo(...rows: WithdrawalRow[]) {
  const holders = rows.map(async (row) => {
    const holder = await selectSourceHolder(causeway.context().db, { row, hash: HASH, blockNumber: 101n });
    const at = rows.findIndex((one) => one.trackingId === holder?.trackingId);
    return rows[at] === row ? null : at;
  });
  return Promise.all(holders);
}

test("a transaction is that of the withdrawal built last, whoever built its call before to go on otherwise", async () => {
  const rows = [builtAt(1, otherwise), builtAt(2), builtAt(3, { ...otherwise, toChainId: 10 }), builtAt(4)];
  await causeway.db.insert(deposits).values(rows);
  // Of those that continue alike, each may have it.
  expect(await leftTo(...rows)).toEqual([3, null, 3, null]);
});

test("a transaction that a stranger reports for a row that goes on otherwise is the user's too", async () => {
  const rows = [builtAt(1, { ...otherwise, ...provenBy, state: "awaiting_transfer" }), builtAt(2)];
  const [stranger = own, user = own] = rows;
  await causeway.db.insert(deposits).values(rows);
  const { db } = causeway.context();
  await addReportedHint(db, hintOf(stranger, 10));
  expect(await leftTo(...rows)).toEqual([null, null]);
  const change = { ...provenBy, state: "completed" } as const;
  const bound = await updateWithdrawal(db, { trackingId: user.trackingId, from: "built", change });
  expect(bound).toMatchObject(change);
  // Nothing speaks for one that was built before.
  const before = builtAt(0, { ...otherwise, toChainId: 10 });
  await causeway.db.insert(deposits).values(before);
  expect(await leftTo(before, ...rows)).toEqual([2, null, null]);
});

test("a row that goes on otherwise, was built once the transaction was heard of and is reported for it, keeps nobody from it", async () => {
  const rows = [builtAt(1), builtAt(20, { ...otherwise, ...provenBy, builtBlock: 110 })];
  const [user = own, stranger = own] = rows;
  await causeway.db.insert(deposits).values(rows);
  const { db } = causeway.context();
  await addReportedHint(db, hintOf(stranger, 20));
  expect(await leftTo(...rows)).toEqual([null, null]);
  const change = { ...provenBy, state: "completed" } as const;
  const bound = await updateWithdrawal(db, { trackingId: user.trackingId, from: "built", change });
  expect(bound).toMatchObject(change);
});

test("no row that was built once the transaction was heard of, or was abandoned, takes it from an earlier one", async () => {
  const rows = [builtAt(1), builtAt(2, { ...otherwise, state: "abandoned" }), builtAt(20, otherwise)];
  const [user = own] = rows;
  await causeway.db.insert(deposits).values(rows);
  await passHint(causeway.context().db, hintOf(user, 10));
  expect(await leftTo(...rows)).toEqual([null, 0, 0]);
});

test("a row that a stranger has abandoned loses its transaction to no other, once it is reported for it", async () => {
  const abandoned = { state: "abandoned", partnerAddress: OTHER.toLowerCase() } as const;
  const rows = [builtAt(1, abandoned), builtAt(2), builtAt(3, { partnerAddress: `0x${"b2".repeat(20)}` })];
  const [user = own] = rows;
  await causeway.db.insert(deposits).values(rows);
  const { db } = causeway.context();
  await passHint(db, hintOf(user, 10));
  // Nothing says yet that the user has sent it.
  expect(await leftTo(...rows)).toEqual([2, 2, null]);
  await addReportedHint(db, hintOf(user, 11));
  expect(await leftTo(...rows)).toEqual([null, 0, 0]);
});

test("rows of a partner leave the transaction to the one built last, and none waits for another", async () => {
  const partner = { partnerAddress: OTHER.toLowerCase() };
  const rows = [builtAt(1, partner), builtAt(2, otherwise), builtAt(3)];
  const [first = own] = rows;
  await causeway.db.insert(deposits).values(rows);
  await passHint(causeway.context().db, hintOf(first, 10));
  expect(await leftTo(...rows)).toEqual([null, 2, 0]);
});

test("of a transaction that makes their call twice, two withdrawals have one each, a partner's first", async () => {
  const partner = { partnerAddress: OTHER.toLowerCase() };
  const rows = [builtAt(1), builtAt(2, partner), builtAt(3)];
  const [first = own, second = own, third = own] = rows;
  await causeway.db.insert(deposits).values(rows);
  const { db } = causeway.context();
  await passHint(db, hintOf(first, 10));
  const holderFor = async (row: WithdrawalRow) => {
    const holder = await selectSourceHolder(db, { row, hash: HASH, blockNumber: 101n, calls: 2 });
    return [rows.findIndex(({ trackingId: id }) => id === holder?.trackingId), holder?.proven];
  };
  const bind = (row: WithdrawalRow, besides: readonly string[]) => {
    const change = { ...provenBy, state: "completed" } as const;
    return updateWithdrawal(db, {
      ...{ trackingId: row.trackingId, from: "built", change },
      compared: { row, besides },
    });
  };
  expect(await holderFor(first)).toEqual([1, false]);
  expect(await holderFor(second)).toEqual([1, false]);
  expect(await bind(second, [])).not.toBeNull();
  expect(await holderFor(first)).toEqual([0, false]);
  // It has another call only if it was compared with the first.
  expect(await bind(first, [])).toBeNull();
  expect(await bind(first, [second.trackingId])).not.toBeNull();
  for (const row of [first, second]) expect((await holderFor(row))[1]).toBe(true);
  expect(await holderFor(third)).toEqual([expect.any(Number), true]);
});

/** Stores `own`, built at block 200, and an equal withdrawal built at block 100 with a transaction in block 250. */
async function exchanged(change: Partial<WithdrawalRow>, { laterBlock = 250 } = {}) {
  const { db } = causeway.context();
  const row: WithdrawalRow = { ...own, builtBlock: 200, ...change };
  await causeway.db.insert(deposits).values([row, bound]);
  const evidence = { trackingId: bound.trackingId, chainId, txHash: HASH };
  await causeway.db
    .insert(depositEvidence)
    .values({ ...evidence, blockNumber: laterBlock, blockHash: "0xb1" });
  const did = await exchangeSource(db, { row, hash: EARLIER, blockNumber: 110n, now });
  const after = await selectTracked(db, bound.trackingId);
  const [hint] = await selectHints(db, [trackingId]);
  return { did, source: after?.sourceTxHash, proven: after?.sourceProven, hint: hint?.txHash };
}

test("a withdrawal gives its later transaction to an equal one for an earlier that only it can have", async () => {
  expect(await exchanged({})).toEqual({ did: HASH, source: EARLIER, proven: false, hint: HASH });
});

test.each([
  ["with a transaction of its own", { sourceTxHash: OTHER_HASH, sourceProven: true }, {}],
  ["of another token", { fromToken: OTHER.toLowerCase() }, {}],
  ["that was built after the later transaction", {}, { laterBlock: 199 }],
] as const)("a withdrawal %s is given none", async (_, change, blocks) => {
  expect(await exchanged(change, blocks)).toMatchObject({ did: null, source: HASH, proven: true });
});

/** The user's redemption whose vault took the shares and paid nothing. */
const unpaid: WithdrawalRow = {
  ...own,
  ...{ state: "failed", substatus: "UNKNOWN_ERROR", shares: own.fromAmount },
  ...{ sourceTxHash: `0x${"22".repeat(32)}`, sourceProven: true },
};

test("a redemption that paid nothing keeps its transaction, whatever is reported for it", async () => {
  const { db } = causeway.context();
  const next: WithdrawalRow = { ...own, trackingId: `trk_${"4".repeat(32)}`, ref: HASH };
  await causeway.db.insert(deposits).values([unpaid, next]);
  await addReportedHint(db, { trackingId: unpaid.trackingId, chainId, txHash: HASH, now });
  const holder = await selectSourceHolder(db, { row: next, hash: HASH, blockNumber: 101n });
  expect(holder).toEqual({ trackingId: next.trackingId, proven: false });
});

test("a redemption that paid nothing does not answer as an equal one that was paid", async () => {
  const ctx = causeway.context();
  await causeway.db.insert(deposits).values([unpaid, bound]);
  const evidence = { trackingId: bound.trackingId, chainId, txHash: HASH };
  await causeway.db.insert(depositEvidence).values({ ...evidence, blockNumber: 101, blockHash: "0xb1" });
  await addReportedHint(ctx.db, { trackingId, chainId, txHash: HASH, now });
  expect(await findSharedSource(ctx, unpaid)).toEqual({ answering: unpaid, sameAs: null });
});
