import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestDeployment, type TestDeployment } from "../../../scripts/stack/test-deployment.ts";
import { addFindings, selectHints } from "../../../src/db/queries/deposit-hint-queries.ts";
import { deposits } from "../../../src/db/tables/deposit-tables.ts";
import { row } from "../../support/deposits/fixtures.ts";

const TOKEN = `0x${"77".repeat(20)}`;
const HASH = `0x${"5e".repeat(32)}`;
let causeway: TestDeployment;
beforeAll(async () => {
  causeway = await startTestDeployment();
});
afterAll(() => causeway?.close());

test("addFindings() keeps the second step of a partial deposit if a round found only payments", async () => {
  const { db } = causeway.context();
  await causeway.db.insert(deposits).values({
    ...{ ...row, state: "partial", shares: null, sourceProven: true, twoStep: true },
    ...{ moveToken: TOKEN, deliveredAmount: "100", moveMin: "90" },
  });
  const payment = { user: row.userAddress, token: TOKEN, to: row.vaultAddress, amount: "100", txHash: HASH };
  const nothing = { references: [], sources: [], unread: [], moves: [], touched: [] };
  const round = { ...nothing, chainId: row.vaultChainId, now: row.createdAt };
  await addFindings(db, { ...round, payments: [{ ...payment, amount: "99" }] });
  expect(await selectHints(db, [row.trackingId])).toEqual([]);
  await addFindings(db, { ...round, payments: [payment] });
  expect(await selectHints(db, [row.trackingId])).toMatchObject([{ txHash: HASH, origin: "logs" }]);
});
