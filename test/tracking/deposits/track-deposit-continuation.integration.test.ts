import type { Hex } from "viem";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startTestDeployment, type TestDeployment } from "../../../scripts/stack/test-deployment.ts";
import { selectEvidence } from "../../../src/db/queries/deposit-evidence-queries.ts";
import { type DepositRow, selectDeposit } from "../../../src/db/queries/deposit-queries.ts";
import { deposits } from "../../../src/db/tables/deposit-tables.ts";
import { depositEvidence } from "../../../src/db/tables/deposit-tracking-tables.ts";
import {
  applyTransitions,
  completedTransition,
  restateDeposit,
} from "../../../src/tracking/deposits/deposit-transitions.ts";
import { continuationTransitions } from "../../../src/tracking/deposits/track-deposit-continuation.ts";
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
