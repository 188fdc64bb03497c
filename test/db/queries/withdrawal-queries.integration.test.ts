import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestDeployment, type TestDeployment } from "../../../scripts/stack/test-deployment.ts";
import type { WithdrawalRow } from "../../../src/db/queries/deposit-queries.ts";
import {
  selectDeposit,
  selectDepositsByUser,
  selectTracked,
  selectWithdrawalsByUser,
  updateWithdrawal,
} from "../../../src/db/queries/deposit-queries.ts";
import {
  addBuiltTransfer,
  insertWithdrawal,
  selectBuiltTransfers,
  selectOtherRedemptions,
  selectWithdrawal,
} from "../../../src/db/queries/withdrawal-queries.ts";
import { deposits } from "../../../src/db/tables/deposit-tables.ts";
import { row as deposit } from "../../support/deposits/fixtures.ts";
import { withdrawalRow } from "../../support/withdrawals/withdrawal-row.ts";

let causeway: TestDeployment;
beforeAll(async () => {
  causeway = await startTestDeployment();
  await causeway.db.insert(deposits).values(deposit);
});
afterAll(() => causeway?.close());

const named = (letter: string) => ({
  trackingId: `trk_${letter.repeat(32)}`,
  ref: `0x${letter.repeat(64)}`,
});
const db = () => causeway.context().db;

test("a withdrawal is stored, found and listed apart from deposits", async () => {
  const row = { ...withdrawalRow, ...named("a") };
  await insertWithdrawal(db(), { row, plan: { kept: true } });
  const stored = await selectWithdrawal(db(), row.trackingId);
  expect(stored).toMatchObject({ direction: "withdrawal", state: "built", fromToken: row.shareToken });
  expect(await selectDeposit(db(), row.trackingId)).toBeNull();
  expect(await selectWithdrawal(db(), deposit.trackingId)).toBeNull();
  expect((await selectTracked(db(), row.trackingId))?.direction).toBe("withdrawal");
  const now = new Date(row.expiresAt.getTime() - 1);
  const filter = { states: ["built" as const], now, vault: null, from: null, to: null };
  const page = { user: row.userAddress, limit: 10, before: null, filter };
  const ids = (rows: readonly { trackingId: string }[]) => rows.map(({ trackingId }) => trackingId);
  expect(ids(await selectWithdrawalsByUser(db(), page))).toEqual([row.trackingId]);
  expect(ids(await selectDepositsByUser(db(), page))).toEqual([deposit.trackingId]);
});

test("an update changes a withdrawal only while it is in the state that it is based on", async () => {
  const row = { ...withdrawalRow, ...named("b") };
  await insertWithdrawal(db(), { row, plan: {} });
  const change = { state: "requested", requestId: "7", assets: null } as const;
  const { trackingId } = row;
  expect(await updateWithdrawal(db(), { trackingId, from: "claimable", change })).toBeNull();
  expect(await updateWithdrawal(db(), { trackingId, from: "built", change })).toMatchObject(change);
  const twin = { ...withdrawalRow, ...named("c") };
  await insertWithdrawal(db(), { row: twin, plan: {} });
  const others = await selectOtherRedemptions(db(), { ...twin, requestId: "7" });
  expect(others.map((one) => one.trackingId)).toEqual([trackingId]);
  expect(await selectOtherRedemptions(db(), { ...twin, requestId: "8" })).toEqual([]);
  const all = await selectOtherRedemptions(db(), { ...twin, requestId: "8" }, { anyId: true });
  expect(all.map((one) => one.trackingId)).toEqual([trackingId]);
});

test("selectOtherRedemptions() lists open ones before those that ended, however many", async () => {
  const user = { userAddress: "0x00000000000000000000000000000000000000e1", requestId: "9" };
  const rowOf = (number: number, change: Partial<WithdrawalRow>) => {
    const id = `e${number.toString(16).padStart(3, "0")}`;
    const created = new Date(withdrawalRow.createdAt.getTime() + number * 1_000);
    return {
      ...{ ...withdrawalRow, ...user, ...change, createdAt: created },
      ...{ trackingId: `trk_${id.repeat(8)}`, ref: `0x${id.repeat(16)}` },
    };
  };
  const open = rowOf(1, { state: "requested" });
  const ended = Array.from({ length: 55 }, (_, number) =>
    rowOf(number + 2, { state: "completed", claimTxHash: `0xc${number}` }),
  );
  await causeway.db.insert(deposits).values([open, ...ended]);
  const found = await selectOtherRedemptions(db(), rowOf(99, {}));
  expect(found).toHaveLength(50);
  const first = found.slice(0, 2).map(({ trackingId }) => trackingId);
  expect(first).toEqual([open.trackingId, ended.at(-1)?.trackingId]);
});

test("second steps of the last two hours are kept, however many were built since", async () => {
  const row = { ...withdrawalRow, ...named("e") };
  await insertWithdrawal(db(), { row, plan: {} });
  const of = { trackingId: row.trackingId, target: "0x01", provider: "lifi", bridge: null, tool: null };
  const build = (n: number, ms: number) =>
    addBuiltTransfer(db(), { ...of, dataHash: `0x${n}`, amount: "1", least: "1", builtAt: new Date(ms) });
  const now = Date.parse("2026-01-02T00:00:00Z");
  for (let n = 0; n < 60; n += 1) await build(n, now + n * 1_000);
  expect(await selectBuiltTransfers(db(), row.trackingId)).toHaveLength(60);
  await build(60, now + 2 * 3_600_000 + 30_500);
  const kept = (await selectBuiltTransfers(db(), row.trackingId)).map(({ dataHash }) => dataHash);
  expect([kept.length, kept.at(-1)]).toEqual([32, "0x29"]);
});

test("of older ones, the newest 32 second steps that were built are kept", async () => {
  const row = { ...withdrawalRow, ...named("d") };
  await insertWithdrawal(db(), { row, plan: {} });
  const { trackingId } = row;
  const of = { trackingId, target: "0x01", provider: "lifi", bridge: null, tool: null };
  for (let n = 0; n < 34; n += 1) {
    const builtAt = new Date(n * 3_600_000);
    await addBuiltTransfer(db(), { ...of, dataHash: `0x${n}`, amount: "1", least: "1", builtAt });
  }
  const kept = await selectBuiltTransfers(db(), trackingId);
  expect([kept.length, kept[0]?.dataHash, kept.at(-1)?.dataHash]).toEqual([32, "0x33", "0x2"]);
  // Built once more, it is the newest again, and two further ones replace others.
  for (const [at, n] of [2, 34, 35].entries()) {
    const builtAt = new Date((34 + at) * 3_600_000);
    await addBuiltTransfer(db(), { ...of, dataHash: `0x${n}`, amount: "1", least: "1", builtAt });
  }
  const hashes = (await selectBuiltTransfers(db(), trackingId)).map(({ dataHash }) => dataHash);
  expect([hashes.length, ...hashes.slice(0, 3), hashes.at(-1)]).toEqual([32, "0x35", "0x34", "0x2", "0x5"]);
});
