import type { Hex } from "viem";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startTestDeployment, type TestDeployment } from "../../../scripts/stack/test-deployment.ts";
import { addReportedHint } from "../../../src/db/queries/deposit-hint-queries.ts";
import { type DepositRow, selectDepositsByTransaction } from "../../../src/db/queries/deposit-queries.ts";
import { deposits } from "../../../src/db/tables/deposit-tables.ts";
import { row } from "../../support/deposits/fixtures.ts";
import { withdrawalRow } from "../../support/withdrawals/withdrawal-row.ts";

const HASH: Hex = `0x${"11".repeat(32)}`;
const DATA: Hex = `0x${"22".repeat(32)}`;
const REF: Hex = `0x${"33".repeat(32)}`;
/** What one question gives at most, and how many rows crowd each test. */
const MOST = 20;
const CROWD = 25;
let causeway: TestDeployment;

beforeAll(async () => {
  causeway = await startTestDeployment();
});
afterAll(() => causeway?.close());
beforeEach(() => causeway.db.delete(deposits));

const historyUntil = (ms: number): DepositRow["history"] => [
  { state: "built", at: new Date(0).toISOString() },
  { state: "submitted", at: new Date(ms).toISOString() },
];
const store = (trackingId: string, change: Partial<DepositRow>) =>
  causeway.db.insert(deposits).values({ ...row, ref: `0x${trackingId}`, trackingId, ...change });
/** Many rows that are alike, all of them older than any other. */
const crowd = (name: string, change: Partial<DepositRow>) =>
  causeway.db.insert(deposits).values(
    Array.from({ length: CROWD }, (_, n) => ({
      ...{ ...row, trackingId: `${name} ${n}`, ref: `0x${name} ${n}`, createdAt: new Date(n) },
      ...change,
    })),
  );
const found = async (refs: readonly Hex[] = []) => {
  const tx = { hash: HASH, chainId: row.fromChainId, dataHashes: [DATA], refs };
  return selectDepositsByTransaction(causeway.context().db, tx);
};

test.each<[string, Partial<DepositRow>, readonly Hex[]]>([
  ["it delivered", { destinationTxHash: HASH }, []],
  ["it paid back", { refundTxHash: HASH }, []],
  ["it was shown to start", { sourceTxHash: HASH, sourceProven: true }, []],
  ["it was shown to be the second step of", { depositTxHash: HASH, depositProven: true }, []],
  ["it gave the shares of", { depositTxHash: HASH, shares: "1" }, []],
  ["it claimed", { claimTxHash: HASH, state: "completed" }, []],
  ["its Router names", { ref: REF }, [REF]],
  ["it was handed out for", { sourceDataHash: DATA }, []],
])(
  "selectDepositsByTransaction() finds the deposit that %s, whatever others report",
  async (_what, change, refs) => {
    await crowd("source", { sourceTxHash: HASH });
    await crowd("step", { depositTxHash: HASH });
    await crowd("claim", { claimTxHash: HASH });
    await store("meant", change);
    const rows = await found(refs);
    expect([rows.length, rows[0]?.trackingId]).toEqual([MOST, "meant"]);
  },
);

test("selectDepositsByTransaction() returns the reported deposit first among equal calldata, then the oldest", async () => {
  await crowd("alike", { sourceDataHash: DATA });
  await store("reported", { sourceDataHash: DATA, sourceTxHash: HASH });
  const rows = await found();
  expect(rows.slice(0, 3).map(({ trackingId }) => trackingId)).toEqual(["reported", "alike 0", "alike 1"]);
});

test("selectDepositsByTransaction() ignores the same hash on another chain", async () => {
  await store("elsewhere", { sourceTxHash: HASH, sourceProven: true, fromChainId: row.fromChainId + 1 });
  await store("data elsewhere", { sourceDataHash: DATA, fromChainId: row.fromChainId + 1 });
  expect(await found()).toEqual([]);
});

test("selectDepositsByTransaction() returns the row first that was built last before the transaction, of all with its call", async () => {
  const proven = { sourceTxHash: HASH, sourceProven: true, sourceDataHash: DATA };
  const sent = 10_000_000;
  const builtAt = (ms: number) => ({ ...proven, createdAt: new Date(ms) });
  const seenAt = (ms: number) => ({ ...builtAt(ms - 20_000), history: historyUntil(ms) });
  await store("long before", builtAt(sent - 3_600_000));
  await store("early", builtAt(sent - 120_000));
  await store("own", seenAt(sent));
  await store("once it was seen", builtAt(sent + 1_000));
  const ids = async () => (await found()).map(({ trackingId }) => trackingId);
  expect(await ids()).toEqual(["own", "early", "long before", "once it was seen"]);
  const hint = { chainId: row.fromChainId, txHash: HASH, now: new Date(sent - 60_000) };
  await addReportedHint(causeway.context().db, { ...hint, trackingId: "early" });
  expect(await ids()).toEqual(["early", "long before", "own", "once it was seen"]);
});

test("selectDepositsByTransaction() returns the withdrawal first that was built last, of those with a call not seen yet", async () => {
  const exit = { ...withdrawalRow, sourceDataHash: DATA };
  const storeExit = (trackingId: string, ms: number) =>
    causeway.db
      .insert(deposits)
      .values({ ...exit, ref: `0x${trackingId}`, trackingId, createdAt: new Date(ms) });
  await storeExit("stranger's", 1_000);
  await storeExit("own", 2_000);
  expect((await found()).map(({ trackingId }) => trackingId)).toEqual(["own", "stranger's"]);
});

test("selectDepositsByTransaction() returns the withdrawal first whose second step the account has sent", async () => {
  const { db } = causeway;
  const exit = { ...withdrawalRow, sourceDataHash: DATA, sourceTxHash: HASH, sourceProven: true };
  const storeExit = (trackingId: string, change: Partial<typeof exit>) =>
    db.insert(deposits).values({ ...exit, ref: `0x${trackingId}`, trackingId, ...change });
  await storeExit("own", { createdAt: new Date(1_000), depositTxHash: REF, depositProven: true });
  await storeExit("stranger's", { createdAt: new Date(2_000), state: "awaiting_transfer" });
  expect((await found()).map(({ trackingId }) => trackingId)).toEqual(["own", "stranger's"]);
});
