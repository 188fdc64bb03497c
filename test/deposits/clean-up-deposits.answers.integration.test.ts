import { asc } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startTestDeployment, type TestDeployment } from "../../scripts/stack/test-deployment.ts";
import { deleteKeysBefore, takeKey } from "../../src/db/queries/idempotency-queries.ts";
import { idempotency } from "../../src/db/tables/deposit-tables.ts";
import { deleteExpiredAnswers } from "../../src/deposits/clean-up-deposits.ts";
import { deleteOldAnswersJob } from "../../src/jobs.ts";

const DAY_MS = 86_400_000;
const NOW = Date.parse("2026-06-15T12:00:00Z");
let causeway: TestDeployment;

beforeAll(async () => {
  causeway = await startTestDeployment();
});
afterAll(() => causeway?.close());
beforeEach(() => causeway.db.delete(idempotency));

const context = () => ({ ...causeway.context(), now: () => NOW });
/** Claims a key so many milliseconds ago. */
const claim = (key: string, agoMs: number) =>
  takeKey(causeway.context().db, {
    ...{ scope: "client:192.0.2.1:0xaa", key, bodyHash: "0x00", owner: key },
    now: new Date(NOW - agoMs),
    expiry: { forgottenBefore: new Date(0), deadBefore: new Date(0) },
  });
const left = async () => {
  const rows = await causeway.db
    .select({ key: idempotency.key })
    .from(idempotency)
    .orderBy(asc(idempotency.key));
  return rows.map(({ key }) => key);
};

test("deleteExpiredAnswers() keeps an answer and its client address for a day", async () => {
  await claim("a young one", DAY_MS - 1);
  await claim("of a day", DAY_MS);
  await claim("an old one", DAY_MS + 1);
  await claim("an older one", 400 * DAY_MS);
  expect(await deleteExpiredAnswers(context())).toBe(2);
  expect(await left()).toEqual(["a young one", "of a day"]);
  expect(await deleteOldAnswersJob.run(context())).toEqual({ forgotten: 0 });
});

test("deleteExpiredAnswers() deletes the oldest answers first up to its limit", async () => {
  for (const days of [3, 5, 2, 4]) await claim(`${days} days`, days * DAY_MS);
  const old = { claimedBefore: new Date(NOW - DAY_MS), limit: 3 };
  expect(await deleteKeysBefore(causeway.context().db, old)).toBe(3);
  expect(await left()).toEqual(["2 days"]);
});
