import { describe, expect, test } from "vitest";
import type { Database } from "../../src/db/database-client.ts";
import type { Drizzle } from "../../src/db/open-drizzle.ts";
import { deposits } from "../../src/db/tables/deposit-tables.ts";
import { depositHints } from "../../src/db/tables/deposit-tracking-tables.ts";
import {
  abandonWithdrawal,
  getTrackedWithdrawal,
  listWithdrawals,
  loadWithdrawal,
  reportWithdrawalTransaction,
  toTrackedWithdrawal,
} from "../../src/withdrawals/withdrawal-records.ts";
import { testContext } from "../support/context.ts";
import { NOW, USDC, USER, vault } from "../support/deposits/fixtures.ts";
import { withdrawalRow } from "../support/withdrawals/withdrawal-row.ts";
import { createWithdrawalFixture, fixedDatabase } from "../support/withdrawals/withdrawing.ts";

const { trackingId } = withdrawalRow;
const HASH = `0x${"22".repeat(32)}` as const;
const withRows = (...rows: object[]) => {
  const db = fixedDatabase(() => rows);
  return { db, ctx: testContext({ db, nowMs: NOW }) };
};

describe("toTrackedWithdrawal()", () => {
  test("shows addresses with checksums, the vault's id and the amounts as stored", () => {
    expect(toTrackedWithdrawal(withdrawalRow, NOW)).toMatchObject({
      ...{ tracking_id: trackingId, state: "built", status: "NOT_FOUND", user_address: USER },
      ...{ vault_id: vault.vaultId, shares: withdrawalRow.fromAmount, exit_token: USDC, to_token: USDC },
      ...{ estimated_assets: "101000000", min_assets: "100000000", assets: null, next: null },
    });
  });

  test("expires with its quote, until the chain has seen it", () => {
    const after = withdrawalRow.expiresAt.getTime() + 1;
    expect(toTrackedWithdrawal(withdrawalRow, after).state).toBe("expired");
    expect(toTrackedWithdrawal({ ...withdrawalRow, state: "submitted" }, after).state).toBe("submitted");
  });

  test("names the shares that were expected until those that were redeemed are known", () => {
    const all = { ...withdrawalRow, fromAmount: "0" };
    expect(toTrackedWithdrawal(all, NOW).shares).toBe(withdrawalRow.estimatedShares);
    expect(toTrackedWithdrawal({ ...all, shares: "7" }, NOW).shares).toBe("7");
  });
});

describe("loadWithdrawal()", () => {
  test("finds the row, and refuses an unknown id", async () => {
    expect(await loadWithdrawal(withRows(withdrawalRow).ctx, trackingId)).toEqual(withdrawalRow);
    await expect(loadWithdrawal(withRows().ctx, trackingId)).rejects.toMatchObject({
      code: "withdrawal_not_found",
    });
  });
});

describe("abandonWithdrawal()", () => {
  test("ends a withdrawal that was not sent, with the time in its history", async () => {
    const { ctx, db } = withRows(withdrawalRow);
    await abandonWithdrawal(ctx, trackingId);
    expect(db.written[0]).toMatchObject({
      state: "abandoned",
      history: [...withdrawalRow.history, { state: "abandoned", at: new Date(NOW).toISOString() }],
    });
  });

  test("changes nothing twice", async () => {
    const abandoned = { ...withdrawalRow, state: "abandoned" };
    const { ctx, db } = withRows(abandoned);
    expect(await abandonWithdrawal(ctx, trackingId)).toEqual(abandoned);
    expect(db.written).toEqual([]);
  });

  test.each(["submitted", "requested", "completed"])("refuses one that is %s", async (state) => {
    const { ctx } = withRows({ ...withdrawalRow, state });
    await expect(abandonWithdrawal(ctx, trackingId)).rejects.toMatchObject({ code: "withdrawal_state" });
  });

  test("refuses when the row changed in the meantime", async () => {
    const answers = [[withdrawalRow], []];
    const db = fixedDatabase(() => answers.shift() ?? []);
    await expect(abandonWithdrawal(testContext({ db, nowMs: NOW }), trackingId)).rejects.toMatchObject({
      code: "withdrawal_state",
    });
  });
});

describe("reportWithdrawalTransaction()", () => {
  test("keeps a hash as a hint, which changes no state", async () => {
    const { ctx, db } = withRows(withdrawalRow);
    expect(await reportWithdrawalTransaction(ctx, { trackingId, txHash: HASH })).toEqual(withdrawalRow);
    const { vaultChainId: chainId } = withdrawalRow;
    expect(db.written[0]).toMatchObject({ trackingId, chainId, txHash: HASH, origin: "report" });
    // Beside it, only the time of the next check is set.
    expect(db.written.slice(1)).toEqual([{ checks: 0, nextCheckAt: new Date(NOW) }]);
  });

  test("an approval has no hash to keep, and an unknown id is refused", async () => {
    const { ctx, db } = withRows(withdrawalRow);
    await reportWithdrawalTransaction(ctx, { trackingId, txHash: null });
    expect(db.written).toEqual([]);
    const report = reportWithdrawalTransaction(withRows().ctx, { trackingId, txHash: HASH });
    await expect(report).rejects.toMatchObject({ code: "withdrawal_not_found" });
  });
});

/**
 * Creates a database in which a job completes a reported withdrawal, and deletes the report, after the first statement.
 */
function overtakenDatabase(): Database {
  const reported = { trackingId, chainId: withdrawalRow.vaultChainId, txHash: HASH, origin: "report" };
  const proven = { sourceTxHash: HASH, sourceProven: true, assets: "101000000" };
  let statements = 0;
  const rowsOf = (table: unknown): object[] => {
    statements += 1;
    if (table === depositHints)
      return statements === 1 ? [{ ...reported, notedAt: new Date(NOW), droppedAt: null }] : [];
    if (table !== deposits) return [];
    return [statements === 1 ? withdrawalRow : { ...withdrawalRow, ...proven, state: "completed" }];
  };
  const statementOf = (table: unknown): unknown =>
    new Proxy(() => undefined, {
      get: (_target, name) => {
        if (name === "then") return (resolve: (found: object[]) => void) => resolve(rowsOf(table));
        return (given: unknown) => statementOf(name === "from" ? given : table);
      },
    });
  return { run: async (ask) => ask(statementOf(null) as Drizzle) };
}

test("getTrackedWithdrawal() asks for nothing if a job completes the reported withdrawal meanwhile", async () => {
  const { chain } = await createWithdrawalFixture();
  const ctx = testContext({ db: overtakenDatabase(), clients: [chain.client], nowMs: NOW });
  const { state, steps } = await getTrackedWithdrawal(ctx, trackingId);
  expect(state).toBe("completed");
  expect(steps.filter((step) => step.state === "required")).toEqual([]);
});

test("listWithdrawals() cuts the page and says where the next one starts", async () => {
  const older = { ...withdrawalRow, trackingId: "trk_00000000000000000000000000000000" };
  const { ctx } = withRows(withdrawalRow, older);
  const page = { user: USER, limit: 1, before: null, filter: {} };
  const first = await listWithdrawals(ctx, page);
  expect(first.rows).toEqual([withdrawalRow]);
  expect(first.next).not.toBeNull();
  expect((await listWithdrawals(ctx, { ...page, limit: 2 })).next).toBeNull();
});
