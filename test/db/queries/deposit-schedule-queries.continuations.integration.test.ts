import type { Hex } from "viem";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startTestDeployment, type TestDeployment } from "../../../scripts/stack/test-deployment.ts";
import type { DepositRow } from "../../../src/db/queries/deposit-queries.ts";
import { selectContinuation } from "../../../src/db/queries/deposit-schedule-queries.ts";
import { deposits } from "../../../src/db/tables/deposit-tables.ts";
import { depositEvidence } from "../../../src/db/tables/deposit-tracking-tables.ts";
import { depositRouterAddress } from "../../../src/router/router-address.ts";
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
  sourceTo: row.vaultAddress,
  ...{ sourceTxHash: hashOf("b"), sourceProven: true, shares: "1" },
};

/** Stores the parent and one continuation with the blocks of their transactions, and reads a continuation. */
async function found(
  change: Partial<DepositRow>,
  blocks = { delivered: 10, paid: 10 },
): Promise<string | null> {
  await causeway.db.insert(deposits).values([parent, { ...child, ...change }]);
  const at = { chainId: row.vaultChainId, blockHash: hashOf("f") };
  await causeway.db.insert(depositEvidence).values([
    { ...at, trackingId: parent.trackingId, txHash: hashOf("a"), blockNumber: blocks.delivered },
    { ...at, trackingId: child.trackingId, txHash: hashOf("b"), blockNumber: blocks.paid },
  ]);
  const router = depositRouterAddress.toLowerCase();
  return (await selectContinuation(causeway.context().db, { parent, router }))?.trackingId ?? null;
}

test.each<[string, Partial<DepositRow>]>([
  ["the guaranteed amount", {}],
  ["what was delivered", { fromAmount: "1000" }],
  ["more in an order of the Router", { fromAmount: "1001", sourceTo: depositRouterAddress.toLowerCase() }],
  ["what a request took", { state: "requested" }],
  ["what a vault kept for no shares", { state: "failed", shares: "0" }],
])("selectContinuation() finds a deposit that pays %s", async (_what, change) => {
  expect(await found(change)).toBe(child.trackingId);
});

test.each<[string, Partial<DepositRow>]>([
  ["less", { fromAmount: "899" }],
  ["more in a call that names no order", { fromAmount: "1001" }],
  ["for another user", { userAddress: token }],
  ["into another vault", { vaultAddress: token }],
  ["in another token", { fromToken: row.fromToken }],
  ["from another chain", { fromChainId: row.vaultChainId + 1 }],
  ["for another parent", { parentTrackingId: `trk_${"d".repeat(32)}` }],
  ["in a transaction that reverted", { state: "failed", shares: null }],
  ["nothing yet", { state: "built", sourceProven: false, sourceTxHash: null }],
])("selectContinuation() leaves out a deposit that pays %s", async (_what, change) => {
  expect(await found(change)).toBeNull();
});

test("selectContinuation() leaves out a deposit that was made before the delivery", async () => {
  expect(await found({}, { delivered: 10, paid: 9 })).toBeNull();
});
