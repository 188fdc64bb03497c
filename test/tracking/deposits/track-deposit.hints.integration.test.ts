import { type Hex, keccak256, numberToHex } from "viem";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { vaultRow } from "../../../scripts/bench/vault-row.ts";
import { startTestDeployment, type TestDeployment } from "../../../scripts/stack/test-deployment.ts";
import type { TransactionOnChain } from "../../../src/chains/chain-transaction.ts";
import type { Context } from "../../../src/context.ts";
import { addReportedHint, selectHints } from "../../../src/db/queries/deposit-hint-queries.ts";
import { type DepositRow, selectDeposit } from "../../../src/db/queries/deposit-queries.ts";
import { selectSourceHolder } from "../../../src/db/queries/equal-order-queries.ts";
import { deposits } from "../../../src/db/tables/deposit-tables.ts";
import { depositHints } from "../../../src/db/tables/deposit-tracking-tables.ts";
import { vaults } from "../../../src/db/tables/vault-tables.ts";
import { DAY_MS } from "../../../src/lib/durations.ts";
import { depositRouterAddress } from "../../../src/router/router-address.ts";
import { vaultCandidates } from "../../../src/tracking/deposits/deposit-transaction-hints.ts";
import { trackDeposit } from "../../../src/tracking/deposits/track-deposit.ts";
import { testChain } from "../../support/chains/rpc-node.ts";
import { NOW, OTHER, row, USER, VAULT } from "../../support/deposits/fixtures.ts";
import { executedLog, receiptOf, transferLog } from "../../support/deposits/logs.ts";

const TRUE: Hex = `0x${"11".repeat(32)}`;
const FALSE: Hex = `0x${"22".repeat(32)}`;
const UNKNOWN: Hex = `0x${"33".repeat(32)}`;
const input: Hex = "0x12345678";
const SHARES = "99900000000000000000";
const direct: DepositRow = { ...row, sourceDataHash: keccak256(input) };
const sent = { hash: TRUE, from: USER, to: depositRouterAddress, input, value: 0n, gas: 500_000n };
const confirmed = { confirmations: testChain.confirmations };

/** The user's own deposit, a stranger's transaction, and one that no node knows. */
const CHAIN: Readonly<Record<Hex, TransactionOnChain>> = {
  [TRUE]: { transaction: sent, receipt: receiptOf(executedLog()), ...confirmed },
  [FALSE]: { transaction: { ...sent, hash: FALSE, from: OTHER }, receipt: receiptOf(), ...confirmed },
};
const readTransaction = async (_chainId: number, hash: Hex): Promise<TransactionOnChain> =>
  CHAIN[hash] ?? { transaction: null, receipt: null, confirmations: 0 };

let causeway: TestDeployment;
beforeAll(async () => {
  causeway = await startTestDeployment();
  await causeway.db
    .insert(vaults)
    .values(vaultRow({ number: 1, chainId: testChain.chainId, address: VAULT }));
});
afterAll(() => causeway?.close());
beforeEach(() => causeway.db.delete(deposits));

function context(now = NOW): Context {
  const ctx = causeway.context();
  const definitions = new Map([[testChain.chainId, testChain]]);
  return { ...ctx, now: () => now, chains: { ...ctx.chains, definitions } };
}

async function tracked(change: Partial<DepositRow>, hashes: readonly Hex[]) {
  const ctx = context();
  await causeway.db.insert(deposits).values({ ...direct, ...change });
  const { trackingId, fromChainId: chainId } = row;
  for (const txHash of hashes)
    await addReportedHint(ctx.db, { trackingId, chainId, txHash, now: new Date(NOW) });
  const reported = await selectDeposit(ctx.db, trackingId);
  await trackDeposit(ctx, { row: reported ?? direct, readTransaction });
  const [stored, hints] = await Promise.all([
    selectDeposit(ctx.db, trackingId),
    selectHints(ctx.db, [trackingId]),
  ]);
  return { reported, stored, left: hints.map(({ txHash }) => txHash) };
}

describe("trackDeposit() with reported transactions", () => {
  test("a report makes the deposit due and binds nothing", async () => {
    const { reported } = await tracked({}, [FALSE]);
    expect(reported).toMatchObject({ state: "built", sourceTxHash: null, nextCheckAt: new Date(NOW) });
  });

  test("the true one is kept if another run changes the deposit meanwhile, and bound by the next run", async () => {
    const completed = { state: "completed", shares: SHARES, destinationTxHash: FALSE } as const;
    const ctx = context();
    const { trackingId, fromChainId: chainId } = row;
    await causeway.db.insert(deposits).values({ ...direct, ...completed });
    await addReportedHint(ctx.db, { trackingId, chainId, txHash: TRUE, now: new Date(NOW) });
    const { row: stored, left } = await trackDeposit(ctx, { row: direct, readTransaction });
    expect(stored).toMatchObject({ state: "completed", sourceTxHash: null });
    expect(left).toMatchObject([{ txHash: TRUE }]);
    await trackDeposit(ctx, { row: stored, readTransaction });
    expect(await selectDeposit(ctx.db, trackingId)).toMatchObject({ sourceTxHash: TRUE, sourceProven: true });
  });

  test("the true one is bound, whatever strangers report beside it", async () => {
    const { stored, left } = await tracked({}, [FALSE, UNKNOWN, TRUE]);
    expect(stored).toMatchObject({
      state: "completed",
      sourceTxHash: TRUE,
      sourceProven: true,
      shares: SHARES,
    });
    expect(left).toEqual([]);
  });

  test("a false one is dropped, and an unknown one kept", async () => {
    const { stored, left } = await tracked({}, [FALSE, UNKNOWN]);
    expect(stored).toMatchObject({ state: "built", sourceTxHash: null });
    expect(left).toEqual([UNKNOWN]);
  });

  test("a false one that the row holds is removed from it", async () => {
    const { stored } = await tracked({ sourceTxHash: FALSE }, []);
    expect(stored).toMatchObject({ state: "built", sourceTxHash: null });
  });

  test.each(["expired", "abandoned", "failed"] as const)(
    "evidence reopens a deposit that is %s",
    async (state) => {
      const { stored } = await tracked({ state }, [TRUE]);
      expect(stored).toMatchObject({ state: "completed", sourceTxHash: TRUE });
    },
  );

  test("a deposit that was completed by its delivery gets its true source", async () => {
    const history = [{ state: "completed" as const, at: "2026-01-02T03:04:05.678Z" }];
    const found = { state: "completed" as const, shares: SHARES, sourceTxHash: FALSE, history };
    const { stored } = await tracked(found, [TRUE]);
    expect(stored).toMatchObject({ ...found, sourceTxHash: TRUE, sourceProven: true });
  });

  test("the newest reports are kept", async () => {
    await causeway.db.insert(deposits).values(direct);
    const { db } = context();
    const { trackingId, fromChainId: chainId } = row;
    for (let index = 0; index < 20; index += 1) {
      const txHash: Hex = `0x${index.toString(16).padStart(64, "0")}`;
      await addReportedHint(db, { trackingId, chainId, txHash, now: new Date(NOW + index) });
    }
    const kept = await selectHints(db, [trackingId]);
    expect(kept.map(({ txHash }) => Number(txHash))).toEqual(
      Array.from({ length: 16 }, (_, index) => index + 4),
    );
  });
});

test("a transaction that was reported for a twin proves the twin", async () => {
  const ctx = context();
  const own = { sourceTo: row.vaultAddress };
  const twin = { ...direct, ...own, trackingId: `trk_${"2".repeat(32)}`, ref: TRUE };
  await causeway.db.insert(deposits).values([{ ...direct, ...own }, twin]);
  const { trackingId, fromChainId: chainId } = twin;
  await addReportedHint(ctx.db, { trackingId, chainId, txHash: TRUE, now: new Date(NOW) });

  for (const asked of [{ ...direct, ...own }, twin]) {
    const holder = await selectSourceHolder(ctx.db, { row: asked, hash: TRUE, blockNumber: 1n });
    expect(holder).toEqual({ trackingId, proven: false });
  }
  // The same calldata for another contract is another call.
  const elsewhere = { ...direct, sourceTo: OTHER.toLowerCase() };
  expect(await selectSourceHolder(ctx.db, { row: elsewhere, hash: TRUE, blockNumber: 1n })).toBeNull();
});

test("a deposit leaves its twin the transaction that was reported for the twin, whichever is tracked first", async () => {
  const ctx = context();
  const own = { ...direct, sourceTo: row.vaultAddress };
  const twin = { ...own, trackingId: `trk_${"2".repeat(32)}`, ref: TRUE };
  await causeway.db.insert(deposits).values([own, twin]);
  const { fromChainId: chainId } = row;
  await addReportedHint(ctx.db, { trackingId: twin.trackingId, chainId, txHash: TRUE, now: new Date(NOW) });
  const seen = { transaction: { ...sent, to: VAULT }, receipt: receiptOf(transferLog()), ...confirmed };
  const found = {
    ...{ chainId, txHash: TRUE, origin: "logs" as const },
    notedAt: new Date(NOW),
    droppedAt: null,
  };
  const states: string[] = [];
  for (const one of [own, twin]) {
    const hints = [{ ...found, trackingId: one.trackingId }];
    const { row: after } = await trackDeposit(ctx, { row: one, readTransaction: async () => seen, hints });
    states.push(after.state);
  }
  expect(states).toEqual(["built", "completed"]);
});

test.each([
  ["stays a hint", 29, [TRUE]],
  ["is given up after thirty days", 31, []],
] as const)("a transaction that is left to a twin which is not bound %s", async (_, days, left) => {
  const ctx = context();
  const own = { ...direct, sourceTo: row.vaultAddress };
  const twin = { ...own, trackingId: `trk_${"2".repeat(32)}`, ref: TRUE };
  await causeway.db.insert(deposits).values([own, twin]);
  const reported = { chainId: row.fromChainId, txHash: TRUE, now: new Date(NOW) };
  await addReportedHint(ctx.db, { ...reported, trackingId: twin.trackingId });
  const seen = { transaction: { ...sent, to: VAULT }, receipt: receiptOf(transferLog()), ...confirmed };
  const notedAt = new Date(NOW - days * DAY_MS);
  await causeway.db
    .insert(depositHints)
    .values({ trackingId: own.trackingId, chainId: row.fromChainId, txHash: TRUE, origin: "logs", notedAt });

  const tracked = await trackDeposit(ctx, { row: own, readTransaction: async () => seen });
  expect(tracked.row.state).toBe("built");
  expect(tracked.left.map(({ txHash }) => txHash)).toEqual(left);
  const kept = await selectHints(ctx.db, [own.trackingId]);
  expect(kept.map(({ txHash }) => txHash)).toEqual(left);
});

describe("trackDeposit() with thirty transactions on the vault's chain", () => {
  const routed: DepositRow = {
    ...{ ...direct, provider: "exchange", twoStep: true, fromChainId: 10, moveToken: direct.fromToken },
    ...{ sourceTxHash: UNKNOWN, sourceProven: true },
  };
  const hashes = Array.from({ length: 30 }, (_, number) => numberToHex(number + 1, { size: 32 }));

  /** Stores the row with the hints, and returns a check that counts the transactions which it reads. */
  async function stored(state: DepositRow["state"], isTrue: (hash: Hex) => boolean = () => false) {
    const { trackingId, vaultChainId: chainId } = routed;
    await causeway.db.insert(deposits).values({ ...routed, state });
    const noted = { trackingId, chainId, origin: "report" as const, notedAt: new Date(NOW) };
    await causeway.db.insert(depositHints).values(hashes.map((txHash) => ({ ...noted, txHash })));
    return async (now: number) => {
      const read = new Set<Hex>();
      const ctx = context(now);
      const given = (await selectDeposit(ctx.db, trackingId)) ?? routed;
      const { row: after } = await trackDeposit(ctx, {
        row: given,
        readTransaction: async (_, hash) => {
          read.add(hash);
          const transaction = { ...sent, hash };
          const receipt = isTrue(hash) ? receiptOf(executedLog()) : receiptOf();
          return { transaction, receipt, ...confirmed };
        },
      });
      const left = await selectHints(ctx.db, [trackingId]);
      return { after, read, left: left.map(({ txHash }) => txHash) };
    };
  }

  test("a deposit in transit reads twelve of them and keeps all", async () => {
    const check = await stored("bridging");
    for (const now of [NOW, NOW + 4 * DAY_MS]) {
      const { read, left } = await check(now);
      expect([read.size, left.length]).toEqual([12, 30]);
    }
  });

  test("a deposit that awaits its second step drops only those that it has tried, and finds the true one", async () => {
    const hints = hashes.map((txHash) => ({
      ...{ trackingId: row.trackingId, chainId: row.vaultChainId, txHash, origin: "report" as const },
      ...{ notedAt: new Date(NOW), droppedAt: null },
    }));
    const first = vaultCandidates(routed, hints, NOW);
    const truth = hashes.find((hash) => !first.includes(hash));
    const check = await stored("awaiting_deposit", (hash) => hash === truth);
    const { read, left } = await check(NOW);
    expect(new Set(read)).toEqual(new Set(first));
    expect(new Set(left)).toEqual(new Set(hashes.filter((hash) => !read.has(hash))));
    const states: string[] = [];
    for (const minute of [1, 2]) states.push((await check(NOW + minute * 60_000)).after.state);
    expect(states.at(-1)).toBe("completed");
    expect(await selectDeposit(context().db, row.trackingId)).toMatchObject({ depositTxHash: truth });
  });
});
