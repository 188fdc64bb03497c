import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestDeployment, type TestDeployment } from "../../../scripts/stack/test-deployment.ts";
import { replaceEvidence, selectEvidence } from "../../../src/db/queries/deposit-evidence-queries.ts";
import { updateDeposit } from "../../../src/db/queries/deposit-queries.ts";
import { deposits } from "../../../src/db/tables/deposit-tables.ts";
import { row } from "../../support/deposits/fixtures.ts";

let causeway: TestDeployment;
beforeAll(async () => {
  causeway = await startTestDeployment();
});
afterAll(() => causeway?.close());

test("a parent loses the evidence of the transaction that its continuation had, and of the one that it gets", async () => {
  const [before, after, other] = ["1", "2", "3"].map((digit) => `0x${digit.repeat(64)}` as const);
  if (before === undefined || after === undefined || other === undefined) throw new Error("no hashes");
  const parent = { ...row, state: "completed" as const };
  const child = {
    ...parent,
    ...{ trackingId: `trk_${"c".repeat(32)}`, ref: `0x${"c".repeat(64)}`, parentTrackingId: row.trackingId },
    ...{ depositTxHash: before, depositProven: true },
  };
  await causeway.db.insert(deposits).values([parent, child]);
  const { db } = causeway.context();
  const at = { chainId: row.vaultChainId, blockNumber: 5, blockHash: `0x${"b".repeat(64)}` } as const;
  const blocks = [before, after, other].map((txHash) => ({ ...at, txHash }));
  await replaceEvidence(db, { trackingId: row.trackingId, blocks });
  const updated = await updateDeposit(db, {
    ...{ trackingId: child.trackingId, from: "completed", change: { depositTxHash: after } },
    parentDueAt: new Date(),
  });
  expect(updated).toMatchObject({ depositTxHash: after });
  const left = (await selectEvidence(db, [row.trackingId])).filter(({ blockHash }) => blockHash !== "");
  expect(left.map(({ txHash }) => txHash)).toEqual([other]);
});
