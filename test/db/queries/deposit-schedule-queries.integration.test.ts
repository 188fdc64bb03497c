import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestDeployment, type TestDeployment } from "../../../scripts/stack/test-deployment.ts";
import { leaseDueDeposits } from "../../../src/db/queries/deposit-schedule-queries.ts";
import { deposits } from "../../../src/db/tables/deposit-tables.ts";
import { row } from "../../support/deposits/fixtures.ts";

const LIMIT = 4;
let causeway: TestDeployment;

beforeAll(async () => {
  causeway = await startTestDeployment({});
});
afterAll(() => causeway?.close());

test("leaseDueDeposits() leases each due deposit once, and no more than asked for at a time", async () => {
  const now = new Date("2030-01-01T00:00:00Z");
  const due = Array.from({ length: 10 }, (_, number) => ({
    ...row,
    trackingId: `trk_due_${number}`,
    ref: `0xdue${number}`,
    sourceDataHash: `0xdue${number}`,
    nextCheckAt: new Date(now.getTime() - number),
  }));
  await causeway.db.insert(deposits).values(due);
  const lease = { now, leaseUntil: new Date(now.getTime() + 30_000), limit: LIMIT };
  const db = causeway.context().db;
  const [first, second, third] = [
    await leaseDueDeposits(db, lease),
    await leaseDueDeposits(db, lease),
    await leaseDueDeposits(db, lease),
  ];
  expect([first.length, second.length, third.length]).toEqual([LIMIT, LIMIT, 2]);
  expect(new Set([...first, ...second, ...third]).size).toBe(10);
  // Those that have been due longest come first.
  expect(first.toSorted()).toEqual(["trk_due_6", "trk_due_7", "trk_due_8", "trk_due_9"]);
});
