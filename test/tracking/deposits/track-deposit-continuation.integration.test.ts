import type { Hex } from "viem";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startTestDeployment, type TestDeployment } from "../../../scripts/stack/test-deployment.ts";
import { selectEvidence } from "../../../src/db/queries/deposit-evidence-queries.ts";
import { type DepositRow, selectDeposit } from "../../../src/db/queries/deposit-queries.ts";
import { deposits } from "../../../src/db/tables/deposit-tables.ts";
import { depositEvidence } from "../../../src/db/tables/deposit-tracking-tables.ts";
import { claimTransition } from "../../../src/tracking/deposits/deposit-request-claims.ts";
import {
  applyTransitions,
  completedTransition,
  restateDeposit,
} from "../../../src/tracking/deposits/deposit-transitions.ts";
import { trackDeposit } from "../../../src/tracking/deposits/track-deposit.ts";
import { continuationTransitions } from "../../../src/tracking/deposits/track-deposit-continuation.ts";
import { provingTransactions } from "../../../src/tracking/deposits/track-deposit-evidence.ts";
import { NOW, row } from "../../support/deposits/fixtures.ts";

let causeway: TestDeployment;
beforeAll(async () => {
  causeway = await startTestDeployment();
});
afterAll(() => causeway?.close());
beforeEach(async () => {
  await causeway.db.delete(depositEvidence);
  await causeway.db.delete(deposits);
});

const hashOf = (digit: string): Hex => `0x${digit.repeat(64)}`;
const [DELIVERY, SECOND] = [hashOf("a"), hashOf("b")];
const parent: DepositRow = {
  ...{ ...row, provider: "across", twoStep: true, state: "awaiting_deposit" },
  ...{ deliveredAmount: "1000", destinationTxHash: DELIVERY, checks: 9 },
  nextCheckAt: new Date(NOW + 6 * 3_600_000),
};
const child: DepositRow = {
  ...{ ...row, trackingId: `trk_${"c".repeat(32)}`, ref: hashOf("c"), parentTrackingId: parent.trackingId },
  ...{ state: "submitted", sourceTxHash: SECOND, sourceProven: true },
};
const unread = async () => ({ transaction: null, receipt: null, confirmations: 0 });
const context = () => ({ ...causeway.context(), now: () => NOW });
const due = { nextCheckAt: new Date(NOW), checks: 0 };

/** Stores the parent as completed by the child, with the evidence of both of its transactions. */
async function storeCompleted(): Promise<DepositRow> {
  const completed = { ...child, state: "completed", shares: "7" } as const;
  const taken = { state: "completed", shares: "7", depositTxHash: SECOND } as const;
  await causeway.db.insert(deposits).values([{ ...parent, ...taken }, completed]);
  const block = {
    chainId: row.vaultChainId,
    blockNumber: 1,
    blockHash: hashOf("f"),
    trackingId: row.trackingId,
  };
  const blocks = [DELIVERY, SECOND].map((txHash) => ({ ...block, txHash, checked: true }));
  await causeway.db.insert(depositEvidence).values(blocks);
  return completed;
}

test("a continuation makes its parent due in the same request in which it is completed", async () => {
  await causeway.db.insert(deposits).values([parent, child]);
  const ctx = context();
  let requests = 0;
  const run: typeof ctx.db.run = (statement) => {
    requests += 1;
    return ctx.db.run(statement);
  };
  const transitions = [
    completedTransition({ row: child, confirmed: true }, { shares: 7n, amountIn: 1_000n }),
  ];
  const input = { row: child, transitions, readTransaction: unread };
  const after = await applyTransitions({ ...ctx, db: { run } }, input);
  expect(after.state).toBe("completed");
  expect(requests).toBe(1);
  expect(await selectDeposit(ctx.db, parent.trackingId)).toMatchObject({ ...due, state: "awaiting_deposit" });
});

test("a continuation whose shares a reorg has changed makes its parent state what it took over again", async () => {
  const completed = await storeCompleted();
  const ctx = context();
  await restateDeposit(ctx, { row: completed, shown: { state: "completed", shares: "8" } });
  expect(await selectDeposit(ctx.db, parent.trackingId)).toMatchObject(due);
  const evidence = await selectEvidence(ctx.db, [parent.trackingId]);
  const lost = evidence.filter(({ blockHash }) => blockHash === "").map(({ txHash }) => txHash);
  expect(lost).toEqual([SECOND]);
});

test("a deposit without continuation leaves other deposits alone when it is stated again", async () => {
  const completed = await storeCompleted();
  const ctx = context();
  const alone = { ...completed, parentTrackingId: null };
  await causeway.db.update(deposits).set({ parentTrackingId: null });
  await restateDeposit(ctx, { row: alone, shown: { state: "completed", shares: "8" } });
  expect(await selectDeposit(ctx.db, parent.trackingId)).toMatchObject({ checks: parent.checks });
  const evidence = await selectEvidence(ctx.db, [parent.trackingId]);
  expect(evidence.map(({ blockHash }) => blockHash)).not.toContain("");
});

test("a deposit takes no shares from a continuation whose block was replaced until that is derived again", async () => {
  const completed = await storeCompleted();
  const ctx = context();
  const recorded = {
    chainId: row.vaultChainId,
    blockNumber: 1,
    txHash: SECOND,
    trackingId: child.trackingId,
  };
  await causeway.db.insert(depositEvidence).values({ ...recorded, blockHash: hashOf("f") });
  const takeFrom = (blockHash: Hex) => {
    const receipt = { blockNumber: 1n, blockHash, succeeded: true, gasUsed: 0n, logs: [] };
    const readTransaction = async () => ({ transaction: null, receipt, confirmations: 9 });
    return continuationTransitions(ctx, { row: parent, readTransaction, by: { ...completed, shares: "6" } });
  };
  await expect(takeFrom(hashOf("e"))).rejects.toMatchObject({ code: "upstream_unavailable" });
  await causeway.db.update(depositEvidence).set({ blockHash: "" });
  await expect(takeFrom(hashOf("f"))).rejects.toMatchObject({ code: "upstream_unavailable" });
  await causeway.db.update(depositEvidence).set({ blockHash: hashOf("f") });
  // The stored row counts, which may be newer than the one that was read before.
  expect(await takeFrom(hashOf("f"))).toMatchObject([{ change: { shares: "7", depositTxHash: SECOND } }]);
});

const [CLAIM, REFUND] = [hashOf("1"), hashOf("2")];
const taken = { depositTxHash: SECOND, claimTxHash: CLAIM, requestId: "0" } as const;
const mined = async () => ({
  transaction: null,
  receipt: { blockNumber: 1n, blockHash: hashOf("f"), succeeded: true, gasUsed: 0n, logs: [] },
  confirmations: 9,
});

/** Stores a deposit and its second step, and lets the deposit take over what that shows. */
async function takeOver(of: Partial<DepositRow>, by: Partial<DepositRow>): Promise<DepositRow> {
  const ctx = context();
  const [own, second] = [
    { ...parent, ...of },
    { ...child, ...taken, ...by },
  ];
  await causeway.db.insert(deposits).values([own, second]);
  const transitions = await continuationTransitions(ctx, { row: own, readTransaction: mined, by: second });
  return applyTransitions(ctx, { row: own, transitions, readTransaction: mined });
}

test.each(["awaiting_deposit", "partial"] as const)(
  "a deposit that is %s shows what the vault paid back of its second step",
  async (state) => {
    const partly = { state: "partial", shares: "5", refundTxHash: REFUND } as const;
    const after = await takeOver({ state, fromChainId: row.vaultChainId + 1 }, partly);
    expect(after).toMatchObject({ ...partly, claimTxHash: CLAIM, depositTxHash: SECOND });
    // The vault paid it, not the bridge.
    expect(provingTransactions(after)).toContainEqual({ chainId: row.vaultChainId, txHash: REFUND });
  },
);

test("a deposit fails whose second step gave no shares", async () => {
  const after = await takeOver({}, { state: "failed", shares: "0", substatus: "UNKNOWN_ERROR" });
  expect(after).toMatchObject({ state: "failed", shares: "0", claimTxHash: CLAIM, depositTxHash: SECOND });
  // Whatever the vault shows of later requests is not its own.
  const tracked = await trackDeposit(context(), { row: after, readTransaction: unread, hints: [] });
  expect(tracked).toMatchObject({ row: { state: "failed" }, unreadable: null });
  // Its own state ended when the token arrived instead of shares.
  await causeway.db.delete(deposits);
  const partial = await takeOver({ state: "partial" }, { state: "failed", shares: "0" });
  expect(partial).toMatchObject({ state: "partial", shares: "0", refundTxHash: null });
});

test("a second step that gave no shares makes its parent due, also when it is stated again", async () => {
  const requested = { ...child, ...taken, claimTxHash: null, state: "requested" } as const;
  await causeway.db.insert(deposits).values([parent, requested]);
  const ctx = context();
  const claim = { shares: 0n, assets: 1_000n, hash: CLAIM, blockNumber: 1n, own: true };
  const failed = await applyTransitions(ctx, {
    ...{ row: requested, readTransaction: unread },
    transitions: [claimTransition(requested, [claim])],
  });
  expect(failed).toMatchObject({ state: "failed", shares: "0" });
  expect(await selectDeposit(ctx.db, parent.trackingId)).toMatchObject(due);
  const later = { ...parent, state: "failed", shares: "0" } as const;
  await causeway.db.delete(deposits);
  await causeway.db.insert(deposits).values([later, failed]);
  await restateDeposit(ctx, { row: failed, shown: { state: "requested", shares: null } });
  expect(await selectDeposit(ctx.db, parent.trackingId)).toMatchObject(due);
});
