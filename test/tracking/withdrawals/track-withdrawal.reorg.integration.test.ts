import type { Hex } from "viem";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { eulerVaultAbi, eulerVaultCreationCode } from "#stand-ins/lending";
import { advanceToNow } from "../../../scripts/stack/chains/anvil.ts";
import { rpc } from "../../../scripts/stack/chains/json-rpc.ts";
import { selectWithdrawal } from "../../../src/db/queries/withdrawal-queries.ts";
import { deleteUnsent } from "../../../src/deposits/clean-up-deposits.ts";
import { followDeposits } from "../../../src/tracking/follow/follow-deposits.ts";
import { adapterOf } from "../../../src/vaults/families/vault-families.ts";
import { sampleAmount, vaultOf } from "../../support/conformance/vaults/deposit.ts";
import type { Placed } from "../../support/conformance/vaults/family.ts";
import { deployStandard } from "../../support/conformance/vaults/standard.ts";
import { place } from "../../support/conformance/vaults/suite.ts";
import { mint, whole } from "../../support/conformance/vaults/use.ts";
import { startWorld, type World } from "../../support/conformance/vaults/world.ts";
import { Holder } from "../../support/withdrawals/holder.ts";
import { requestingVaults } from "../../support/withdrawals/requesting-vaults.ts";

/** What becomes of withdrawals whose blocks are replaced, that are sent late, or that no job sees for a while. */
const DECIMALS = 6;
const amount = sampleAmount(DECIMALS);
const BLOCKS = 4;

let world: World;
beforeAll(async () => {
  world = await startWorld();
  // What is built is looked for from the block of its time on.
  await advanceToNow(world.url);
});
afterAll(async () => {
  vi.useRealTimers();
  await world?.close();
});

const instant = {
  ...{ name: "an instant vault", adapter: "euler", type: "custom" as const },
  deploy: deployStandard({ abi: eulerVaultAbi, code: eulerVaultCreationCode }),
} as const;

function kindNamed(name: string) {
  const kind = requestingVaults.find((one) => one.name === name);
  if (kind === undefined) throw new Error(`no ${name}`);
  return kind;
}

const placedVaults = new Map<string, Promise<Placed>>();

/** Makes an account that holds shares of a vault, which is placed for its first account. */
async function holderOf(kind: Parameters<typeof place>[1]["family"]): Promise<Holder> {
  const placing = placedVaults.get(kind.name) ?? place(world, { family: kind, decimals: DECIMALS });
  placedVaults.set(kind.name, placing);
  const placed = await placing;
  const one = await Holder.with(placed, amount);
  await one.deposit(amount);
  // The chain is read once before anything is sent.
  await follow();
  return one;
}

/** Reads the chain and tracks what is due, as the cron trigger does, without a request of any user. */
async function follow(rounds = 1): Promise<void> {
  for (let round = 0; round < rounds; round += 1) await followDeposits(world.fresh().context());
}

const mine = (blocks: number, seconds = 1): Promise<unknown> =>
  rpc(world.url, "anvil_mine", `0x${blocks.toString(16)}`, `0x${seconds.toString(16)}`);

/** Confirms what was sent and lets the jobs see it. */
async function confirm(): Promise<void> {
  await mine(BLOCKS);
  await follow(2);
}

/** Replaces the blocks from a transaction's on by empty ones. Returns what sends the same transaction again. */
async function reorganise(hash: Hex): Promise<() => Promise<void>> {
  const raw = await rpc(world.url, "eth_getRawTransactionByHash", hash);
  const { blockNumber } = await world.client.getTransactionReceipt({ hash });
  await replaceFrom(blockNumber);
  return async () => {
    await rpc(world.url, "eth_sendRawTransaction", raw);
    await mine(BLOCKS);
    await follow(3);
  };
}

/** The stored record, which no request of a user has brought up to date. */
async function stored(trackingId: string) {
  const row = await selectWithdrawal(world.fresh().context().db, trackingId);
  if (row === null) throw new Error(`no ${trackingId}`);
  const { state, substatus, assets, shares, deliveredAmount, requestId } = row;
  const { sourceTxHash, sourceProven, claimTxHash, refundTxHash } = row;
  const states = row.history.map((entry) => entry.state);
  const seen = { state, substatus, assets, shares, deliveredAmount, requestId };
  return { ...seen, sourceTxHash, sourceProven, claimTxHash, refundTxHash, states };
}

async function raisePrice({ world: at, asset, vault }: Placed): Promise<void> {
  await at.script((script) => mint(script, { token: asset, to: vault, amount: whole(asset, 5_000n) }));
}

/** Replaces the blocks from a number on by empty ones, and lets the jobs see it. */
async function replaceFrom(first: bigint): Promise<void> {
  const head = await world.client.getBlockNumber({ cacheTime: 0 });
  await rpc(world.url, "anvil_reorg", Number(head - first) + 1, []);
  await mine(BLOCKS);
  await follow(3);
}

/** An account whose request or cooldown of all its shares is on chain and known. */
async function requested(kind: ReturnType<typeof kindNamed>) {
  const one = await holderOf(kind);
  const shares = await one.held("share");
  const { built, hash } = await one.withdraw("all", { mode: "request" });
  await confirm();
  const id = built.tracking_id;
  expect(await stored(id)).toMatchObject({ state: kind.mode === "cooldown" ? "cooling" : "requested" });
  return { one, id, hash, shares };
}

const HOUR_S = 3_600;
const DAY_S = 24 * HOUR_S;

/** Sets the program's clock forward. It never goes back, as no clock of the jobs does. */
function later(seconds: number): void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + seconds * 1000, shouldAdvanceTime: true });
}

describe("a reorganisation takes back", () => {
  test("a completed redemption, and gives it back with what the new block paid", async () => {
    const one = await holderOf(instant);
    const { built, hash } = await one.withdraw("all");
    await confirm();
    const first = await one.held("asset");
    expect(await stored(built.tracking_id)).toMatchObject({ state: "completed", assets: String(first) });
    const sendAgain = await reorganise(hash);
    expect(await stored(built.tracking_id)).toEqual({
      ...{ state: "built", substatus: null, assets: null, deliveredAmount: null, requestId: null },
      ...{ sourceTxHash: null, sourceProven: false, claimTxHash: null, refundTxHash: null },
      ...{ shares: null, states: ["built", "completed", "built"] },
    });
    expect(await one.status(hash)).toMatchObject({ status: "NOT_FOUND" });
    await raisePrice(one.placed);
    await sendAgain();
    const second = await one.held("asset");
    expect(second).toBeGreaterThan(first);
    expect(await stored(built.tracking_id)).toMatchObject({
      ...{ state: "completed", sourceTxHash: hash, assets: String(second) },
      ...{ deliveredAmount: String(second), states: ["built", "completed", "built", "completed"] },
    });
  });

  test("a request, its settlement, its claim, each to the state before", async () => {
    const kind = kindNamed("Lagoon v0.6");
    const one = await holderOf(kind);
    const shares = await one.held("share");
    const { built, hash } = await one.withdraw("all", { mode: "request" });
    const id = built.tracking_id;
    await confirm();
    expect(await stored(id)).toMatchObject({ state: "requested", shares: String(shares) });
    const requestAgain = await reorganise(hash);
    expect(await stored(id)).toMatchObject({ state: "built", shares: null, sourceTxHash: null });
    expect(await one.held("share")).toBe(shares);
    await requestAgain();
    expect(await stored(id)).toMatchObject({ state: "requested", sourceTxHash: hash });
    await kind.settle(one.placed, { user: one.address, requestIds: ["0"] });
    await confirm();
    const claim = await one.follow("claim", "0");
    await confirm();
    const paid = await one.held("asset");
    expect(await stored(id)).toMatchObject({ state: "completed", claimTxHash: claim, assets: String(paid) });
    const claimAgain = await reorganise(claim);
    expect(await stored(id)).toMatchObject({ state: "claimable", claimTxHash: null, assets: null });
    expect(await one.status(hash)).toMatchObject({
      ...{ status: "PENDING", substatus: "WAIT_CLAIM_TRANSACTION" },
      withdrawal: { assets: null, next: { kind: "claim" } },
    });
    await claimAgain();
    expect(await stored(id)).toMatchObject({
      ...{ state: "completed", claimTxHash: claim, assets: String(paid) },
      states: ["built", "requested", "built", "requested", "completed", "claimable", "completed"],
    });
  });

  test("a settlement with the claim that follows it", async () => {
    const kind = kindNamed("Centrifuge");
    const { one, id } = await requested(kind);
    const first = await world.client.getBlockNumber({ cacheTime: 0 });
    await kind.settle(one.placed, { user: one.address, requestIds: ["0"] });
    await confirm();
    await one.follow("claim", "0");
    await confirm();
    expect(await stored(id)).toMatchObject({ state: "completed", assets: String(await one.held("asset")) });
    await replaceFrom(first + 1n);
    expect(await stored(id)).toMatchObject({
      ...{ state: "requested", assets: null, deliveredAmount: null, claimTxHash: null },
      states: ["built", "requested", "completed", "requested"],
    });
    expect(await one.held("asset")).toBe(0n);
  });

  test("a payment by the vault's operator", async () => {
    const kind = kindNamed("Midas");
    const { one, id } = await requested(kind);
    const { requestId } = await stored(id);
    const first = await world.client.getBlockNumber({ cacheTime: 0 });
    await kind.settle(one.placed, { user: one.address, requestIds: [requestId ?? ""] });
    await confirm();
    expect(await stored(id)).toMatchObject({ state: "completed", assets: String(await one.held("asset")) });
    await replaceFrom(first + 1n);
    expect(await stored(id)).toMatchObject({
      state: "requested",
      assets: null,
      requestId,
      claimTxHash: null,
    });
  });

  test("a rejection", async () => {
    const kind = kindNamed("Midas");
    const { one, id } = await requested(kind);
    const { requestId } = await stored(id);
    const first = await world.client.getBlockNumber({ cacheTime: 0 });
    await kind.reject?.(one.placed, { user: one.address, requestIds: [requestId ?? ""] });
    await confirm();
    expect(await stored(id)).toMatchObject({ state: "rejected" });
    await replaceFrom(first + 1n);
    expect(await stored(id)).toMatchObject({ state: "requested", requestId, refundTxHash: null });
  });

  test("a cancellation", async () => {
    const { one, id, shares } = await requested(kindNamed("Lagoon v0.6"));
    const cancel = await one.follow("cancel", "0");
    await confirm();
    expect(await stored(id)).toMatchObject({ state: "cancelled", refundTxHash: cancel });
    const cancelAgain = await reorganise(cancel);
    expect(await stored(id)).toMatchObject({ state: "requested", refundTxHash: null });
    await cancelAgain();
    expect(await stored(id)).toMatchObject({ state: "cancelled", refundTxHash: cancel, assets: null });
    expect(await one.held("share")).toBe(shares);
  });

  test("the start of a cooldown, and its payment", async () => {
    const kind = kindNamed("a cooldown");
    const { one, id, hash } = await requested(kind);
    const again = await reorganise(hash);
    expect(await stored(id)).toMatchObject({ state: "built", requestId: null, shares: null });
    await again();
    expect(await stored(id)).toMatchObject({ state: "cooling", sourceTxHash: hash });
    await kind.settle(one.placed, { user: one.address, requestIds: [] });
    await confirm();
    const claim = await one.follow("claim", "0");
    await confirm();
    expect(await stored(id)).toMatchObject({ state: "completed", assets: String(await one.held("asset")) });
    await reorganise(claim);
    expect(await stored(id)).toMatchObject({ state: "claimable", assets: null, claimTxHash: null });
  });
});

describe("what is sent late", () => {
  test("an unsent build expires, and its transaction is found without a report", async () => {
    const one = await holderOf(kindNamed("Accountable"));
    const built = await one.build("all", { mode: "request" });
    const id = built.tracking_id;
    later(2 * HOUR_S);
    await mine(BLOCKS, 2 * HOUR_S);
    await follow(2);
    expect(await one.record(id)).toMatchObject({
      state: "expired",
      status: "NOT_FOUND",
      source_tx_hash: null,
    });
    const hash = await one.sign(built);
    await confirm();
    expect(await stored(id)).toMatchObject({ state: "requested", sourceTxHash: hash });
    expect(await one.status(hash)).toMatchObject({ withdrawal: { tracking_id: id, state: "requested" } });
  });

  test("a Router order whose deadline has passed fails, and takes nothing", async () => {
    const one = await holderOf(instant);
    const shares = await one.held("share");
    const built = await one.build("all");
    const id = built.tracking_id;
    later(2 * HOUR_S);
    await mine(BLOCKS, 2 * HOUR_S);
    const hash = await one.send(built);
    await confirm();
    expect(await one.status(hash)).toMatchObject({
      ...{ status: "FAILED", withdrawal: { tracking_id: id, state: "failed", assets: null } },
    });
    expect(await stored(id)).toMatchObject({ state: "failed", assets: null, sourceTxHash: hash });
    expect(await one.held("share")).toBe(shares);
  });

  test("what was deleted as unsent is answered from its receipt", async () => {
    const one = await holderOf(kindNamed("Accountable"));
    const shares = await one.held("share");
    const built = await one.build("all", { mode: "request" });
    later(40 * DAY_S);
    await mine(BLOCKS, 10 * DAY_S);
    await follow(2);
    await deleteUnsent(world.fresh().context());
    expect(await selectWithdrawal(world.fresh().context().db, built.tracking_id)).toBe(null);
    const hash = await one.sign(built);
    await confirm();
    expect(await one.status(hash)).toMatchObject({
      ...{ status: "PENDING", substatus: "WAIT_VAULT_SETTLEMENT", withdrawal: null, deposit: null },
      sending: { amount: String(shares), kind: "shares" },
    });
  });
});

/** Id of a request, from its own receipt. */
async function requestIn({ placed, address: user }: Holder, hash: Hex): Promise<string> {
  const vault = await vaultOf(placed);
  const { logs } = await world.client.getTransactionReceipt({ hash });
  return adapterOf(vault).exits?.findRequest?.(vault, { user, logs })?.requestId ?? "";
}

test("jobs that stand still for ten minutes miss nothing that nobody reported", async () => {
  const quick = await holderOf(instant);
  const waiting = await holderOf(kindNamed("Lagoon v0.6"));
  const pushed = await holderOf(kindNamed("Midas"));
  const ids = { quick: "", waiting: "", pushed: "" };
  ids.quick = (await quick.withdraw("all")).built.tracking_id;
  ids.waiting = (await waiting.withdraw("all", { mode: "request" })).built.tracking_id;
  const { built, hash } = await pushed.withdraw("all", { mode: "request" });
  ids.pushed = built.tracking_id;
  await mine(25, 12);
  await kindNamed("Lagoon v0.6").settle(waiting.placed, { user: waiting.address, requestIds: ["0"] });
  const requestIds = [await requestIn(pushed, hash)];
  await kindNamed("Midas").settle(pushed.placed, { user: pushed.address, requestIds });
  await waiting.follow("claim", "0");
  await mine(25, 12);
  later(10 * 60);
  await follow(3);
  for (const [name, holder] of Object.entries({ quick, waiting, pushed })) {
    const id = ids[name as keyof typeof ids];
    const received = await holder.held("asset");
    expect(received).toBeGreaterThan(0n);
    expect([name, await stored(id)]).toMatchObject([name, { state: "completed", assets: String(received) }]);
  }
});
