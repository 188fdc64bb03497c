import { eq } from "drizzle-orm";
import { encodeFunctionData, erc20Abi, type Hex, keccak256 } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eulerVaultAbi, eulerVaultCreationCode } from "#stand-ins/lending";
import { advanceToNow } from "../../../scripts/stack/chains/anvil.ts";
import { rpc } from "../../../scripts/stack/chains/json-rpc.ts";
import { addReportedHint, selectHints } from "../../../src/db/queries/deposit-hint-queries.ts";
import type { WithdrawalChange, WithdrawalRow } from "../../../src/db/queries/deposit-queries.ts";
import { addBuiltTransfer, selectWithdrawal } from "../../../src/db/queries/withdrawal-queries.ts";
import { deposits } from "../../../src/db/tables/deposit-tables.ts";
import { createTransactionReader } from "../../../src/tracking/deposits/deposit-transaction-reader.ts";
import { trackWithdrawal } from "../../../src/tracking/withdrawals/track-withdrawal.ts";
import { sampleAmount } from "../../support/conformance/vaults/deposit.ts";
import { deployStandard } from "../../support/conformance/vaults/standard.ts";
import { place } from "../../support/conformance/vaults/suite.ts";
import { startWorld, type World } from "../../support/conformance/vaults/world.ts";
import { Holder } from "../../support/withdrawals/holder.ts";
import { requestingVaults } from "../../support/withdrawals/requesting-vaults.ts";

/** What becomes of a transaction that one run has proven, when another run changes the withdrawal meanwhile. */
const DECIMALS = 6;
const amount = sampleAmount(DECIMALS);
const OTHER: Hex = `0x${"77".repeat(32)}`;

let world: World;
beforeAll(async () => {
  world = await startWorld();
  await advanceToNow(world.url);
});
afterAll(() => world?.close());

const instant = {
  ...{ name: "an instant vault", adapter: "euler", type: "custom" as const },
  deploy: deployStandard({ abi: eulerVaultAbi, code: eulerVaultCreationCode }),
} as const;
const lagoon = requestingVaults.find(({ name }) => name === "Lagoon v0.6");

async function holderOf(family: Parameters<typeof place>[1]["family"]): Promise<Holder> {
  const one = await Holder.with(await place(world, { family, decimals: DECIMALS }), amount);
  await one.deposit(amount);
  return one;
}

async function storedRow(trackingId: string): Promise<WithdrawalRow> {
  const row = await selectWithdrawal(world.fresh().context().db, trackingId);
  if (row === null) throw new Error(`no ${trackingId}`);
  return row;
}

/** Tracks a withdrawal from one reading of its row, as one run does. */
function run(row: WithdrawalRow) {
  const ctx = world.fresh().context();
  return trackWithdrawal(ctx, { row, readTransaction: createTransactionReader(ctx) });
}

async function change(trackingId: string, to: WithdrawalChange): Promise<void> {
  const { db } = world.fresh().context();
  await db.run((sql) => sql.update(deposits).set(to).where(eq(deposits.trackingId, trackingId)));
}

/**
 * Reports a confirmed transaction, and lets a run that has read the withdrawal before (`read`) prove it after another
 * run has stored `changed`. Returns the stored row, with the hints that are left.
 */
async function raced(read: WithdrawalRow, { hash, changed }: { hash: Hex; changed: WithdrawalChange }) {
  const { db } = world.fresh().context();
  const { trackingId, vaultChainId: chainId } = read;
  await rpc(world.url, "anvil_mine", "0x10");
  await addReportedHint(db, { trackingId, chainId, txHash: hash, now: new Date() });
  if (Object.keys(changed).length > 0) await change(trackingId, changed);
  const { row, left } = await run(read);
  const stored = (await selectHints(db, [trackingId])).map(({ txHash }) => txHash);
  return { row, left: left.map(({ txHash }) => txHash), stored };
}

describe("a transaction that another run's change keeps from being stored is read again:", () => {
  test("a redemption that was sent again after it had reverted", async () => {
    const one = await holderOf(instant);
    const { built, hash } = await one.withdraw("all");
    const failed = { state: "failed", sourceTxHash: OTHER, sourceProven: true } as const;
    const seen = await raced(await storedRow(built.tracking_id), { hash, changed: failed });
    expect(seen).toMatchObject({ row: failed, left: [hash], stored: [hash] });
    const { row } = await run(await storedRow(built.tracking_id));
    expect(row).toMatchObject({ state: "completed", sourceTxHash: hash });
  });

  test.each([
    { action: "claim", state: "completed", names: "claimTxHash" },
    { action: "cancel", state: "cancelled", names: "refundTxHash" },
  ] as const)("a $action of a request", async ({ action, state, names }) => {
    if (lagoon === undefined) throw new Error("no Lagoon");
    const one = await holderOf(lagoon);
    const { built, hash: source } = await one.withdraw("all", { mode: "request" });
    await rpc(world.url, "anvil_mine", "0x10");
    await one.status(source);
    const requested = await storedRow(built.tracking_id);
    expect(requested).toMatchObject({ state: "requested" });
    if (action === "claim") await lagoon.settle(one.placed, { user: one.address, requestIds: ["0"] });
    const hash = await one.follow(action, "0");
    const seen = await raced(requested, { hash, changed: { state: "claimable" } });
    expect(seen).toMatchObject({ row: { state: "claimable" }, left: [hash], stored: [hash] });
    const { row } = await run(await storedRow(built.tracking_id));
    expect(row).toMatchObject({ state, [names]: hash });
  });

  test("a second step, while a reorganisation is judged", async () => {
    const one = await holderOf(instant);
    const { built, hash: source } = await one.withdraw("all");
    const { trackingId, exitToken } = await storedRow(built.tracking_id);
    // The swap that follows the redemption is a transfer of what it paid.
    const args = [one.placed.vault, 5n] as const;
    const data = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args });
    const { db } = world.fresh().context();
    await addBuiltTransfer(db, {
      ...{ trackingId, target: exitToken, dataHash: keccak256(data), amount: "5", least: "0" },
      ...{ provider: "lifi", bridge: null, tool: null, builtAt: new Date() },
    });
    const paid = { state: "awaiting_transfer", sourceTxHash: source, sourceProven: true } as const;
    await change(trackingId, paid);
    const { transactionHash: hash } = await world.send(one.address, { to: exitToken as Hex, data });
    const changed = { state: "built", sourceTxHash: null, sourceProven: false } as const;
    const seen = await raced(await storedRow(trackingId), { hash, changed });
    expect(seen).toMatchObject({ row: changed, left: [hash], stored: [hash] });
    await change(trackingId, paid);
    const { row } = await run(await storedRow(trackingId));
    expect(row).toMatchObject({ state: "completed", depositTxHash: hash, depositProven: true });
  });
});

test("a claim is read again if the vault did not answer when it was reported", async () => {
  if (lagoon === undefined) throw new Error("no Lagoon");
  const one = await holderOf(lagoon);
  const { built, hash: source } = await one.withdraw("all", { mode: "request" });
  await rpc(world.url, "anvil_mine", "0x10");
  await one.status(source);
  const requested = await storedRow(built.tracking_id);
  await lagoon.settle(one.placed, { user: one.address, requestIds: ["0"] });
  const hash = await one.follow("claim", "0");
  const code = await rpc(world.url, "eth_getCode", one.placed.vault, "latest");
  // Every view of the vault reverts.
  await rpc(world.url, "anvil_setCode", one.placed.vault, "0xfe");
  const seen = await raced(requested, { hash, changed: {} });
  expect(seen).toMatchObject({ row: { state: "requested" }, left: [hash], stored: [hash] });
  await rpc(world.url, "anvil_setCode", one.placed.vault, code);
  const { row } = await run(await storedRow(built.tracking_id));
  expect(row).toMatchObject({ state: "completed", claimTxHash: hash });
});
