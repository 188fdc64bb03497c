import type { Hex } from "viem";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startTestDeployment, type TestDeployment } from "../../../scripts/stack/test-deployment.ts";
import type { DepositRow } from "../../../src/db/queries/deposit-queries.ts";
import { selectContinuations } from "../../../src/db/queries/deposit-schedule-queries.ts";
import { deposits } from "../../../src/db/tables/deposit-tables.ts";
import { depositEvidence } from "../../../src/db/tables/deposit-tracking-tables.ts";
import { OTHER, row } from "../../support/deposits/fixtures.ts";

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
const token = OTHER.toLowerCase();
const parent: DepositRow = {
  ...row,
  ...{ fromChainId: row.vaultChainId + 1, provider: "across", twoStep: true, state: "awaiting_deposit" },
  ...{ moveToken: token, moveMin: "900", deliveredAmount: "1000", destinationTxHash: hashOf("a") },
};
const child: DepositRow = {
  ...row,
  ...{ trackingId: `trk_${"c".repeat(32)}`, ref: hashOf("c"), parentTrackingId: parent.trackingId },
  ...{ fromChainId: row.vaultChainId, fromToken: token, fromAmount: "900", state: "completed" },
  ...{ sourceTxHash: hashOf("b"), sourceProven: true, shares: "1" },
};

/** Stores the parent and one continuation with the blocks of their transactions, and reads the continuations. */
async function found(change: Partial<DepositRow>, blocks = { delivered: 10, paid: 10 }): Promise<string[]> {
  await causeway.db.insert(deposits).values([parent, { ...child, ...change }]);
  const at = { chainId: row.vaultChainId, blockHash: hashOf("f") };
  await causeway.db.insert(depositEvidence).values([
    { ...at, trackingId: parent.trackingId, txHash: hashOf("a"), blockNumber: blocks.delivered },
    { ...at, trackingId: child.trackingId, txHash: hashOf("b"), blockNumber: blocks.paid },
  ]);
  const rows = await selectContinuations(causeway.context().db, parent);
  return rows.map(({ trackingId }) => trackingId);
}

test.each<[string, Partial<DepositRow>]>([
  ["the guaranteed amount", {}],
  ["more", { fromAmount: "1001" }],
  ["what a request took", { state: "requested" }],
  ["nothing yet", { state: "built", sourceProven: false, sourceTxHash: null }],
])("selectContinuations() finds a deposit that pays %s", async (_what, change) => {
  expect(await found(change)).toEqual([child.trackingId]);
});

test.each<[string, Partial<DepositRow>]>([
  ["less", { fromAmount: "899" }],
  ["for another user", { userAddress: token }],
  ["into another vault", { vaultAddress: token }],
  ["in another token", { fromToken: row.fromToken }],
  ["from another chain", { fromChainId: row.vaultChainId + 1 }],
  ["for another parent", { parentTrackingId: `trk_${"d".repeat(32)}` }],
  ["in a transaction that reverted", { state: "failed" }],
])("selectContinuations() leaves out a deposit that pays %s", async (_what, change) => {
  expect(await found(change)).toEqual([]);
});

test("selectContinuations() leaves out a deposit that was made before the delivery", async () => {
  expect(await found({}, { delivered: 10, paid: 9 })).toEqual([]);
});
