import type { Hex } from "viem";
import { expect, test } from "vitest";
import { HOME, USDC } from "../../support/following/contracts.ts";
import { playEachTest, playMinutes, sendSilently } from "../../support/following/play.ts";
import { type Order, USERS, type World } from "../../support/following/world.ts";

/** Anyone can build, for a user, the deposit that is also the second step of one of the user's deposits. */
const [USER = "0x"] = USERS;
const AMOUNT = 100_000_000;

let world: World;
playEachTest(
  (play) => {
    world = play.world;
  },
  { allJobs: false },
);

interface Detail {
  state: string;
  shares: string | null;
  delivered_amount: string | null;
  source_tx_hash: Hex | null;
  deposit_tx_hash: Hex | null;
}
const detailOf = async ({ trackingId }: Pick<Order, "trackingId">): Promise<Detail> =>
  (await world.causeway.send(`/v1/deposits/${trackingId}`)).body as Detail;

async function arrive(): Promise<Order> {
  const order = await world.build("two_step", { user: USER, amount: AMOUNT });
  await sendSilently(world, order);
  await playMinutes(world, 2);
  expect(await detailOf(order)).toMatchObject({ state: "awaiting_deposit" });
  return order;
}

/** Sends a transaction that nobody reports but as the second step of `order`, which is tracked first. */
async function sendTo(order: Order, send: () => Hex): Promise<Hex> {
  const hash = send();
  await world.report(order, { hash, step: "deposit" });
  world.include();
  world.pass(3);
  await detailOf(order);
  return hash;
}

async function settled(): Promise<void> {
  world.include();
  await playMinutes(world, 2);
  await world.settle(4);
}

/** Builds a deposit of what arrived for another one, with or without naming that as its parent. */
async function again(order: Order, parent: string | null): Promise<Order> {
  const { delivered_amount: amount } = await detailOf(order);
  const body = {
    ...{ ...order.body, from_chain_id: HOME, from_token: USDC[HOME], from_amount: amount },
    parent_tracking_id: parent,
  };
  return world.build("own", { user: order.user, amount: Number(amount), like: { ...order, body } });
}

test.each([
  ["left alone", "left alone", "no parent"],
  ["left alone", "reported", "no parent"],
  ["reported", "left alone", "no parent"],
  ["reported", "reported", "no parent"],
  ["left alone", "left alone", "an unsent one"],
  ["left alone", "reported", "an unsent one"],
  ["reported", "left alone", "an unsent one"],
  ["reported", "reported", "an unsent one"],
] as const)(
  "a stranger's equal deposit, %s, does not keep a deposit from its second step, %s, with %s as its parent",
  async (stolenIs, ownIs, parent) => {
    const order = await arrive();
    const other =
      parent === "no parent" ? null : await world.build("two_step", { user: USER, amount: AMOUNT });
    const stolen = await again(order, other?.trackingId ?? null);
    const hash = (await world.sendSecondStep(order)) ?? "0x";
    if (stolenIs === "reported") await world.report(stolen, { hash });
    if (ownIs === "reported") await world.report(order, { hash, step: "deposit" });
    world.include();
    await playMinutes(world, 2);
    await world.settle(4);
    expect(await detailOf(order)).toMatchObject({ state: "completed", deposit_tx_hash: hash });
  },
);

test.each([
  ["left alone", "left alone"],
  ["left alone", "reported"],
  ["reported", "left alone"],
  ["reported", "reported"],
] as const)(
  "a stranger's equal deposit, %s, does not keep a deposit from its continuation, %s",
  async (stolenIs, ownIs) => {
    const order = await arrive();
    const stolen = await again(order, null);
    const child = await again(order, order.trackingId);
    const hash = world.send(child);
    if (stolenIs === "reported") await world.report(stolen, { hash });
    if (ownIs === "reported") await world.report(child, { hash });
    world.include();
    await playMinutes(world, 2);
    await world.settle(4);
    expect(await detailOf(order)).toMatchObject({ state: "completed", deposit_tx_hash: hash });
  },
);

test("one transaction completes one of two deposits that wait for the same second step, whoever built it too", async () => {
  const orders = [await arrive(), await arrive()] as const;
  const stolen = await again(orders[0], null);
  const hash = (await world.sendSecondStep(orders[0])) ?? "0x";
  await world.report(stolen, { hash });
  world.include();
  await playMinutes(world, 2);
  await world.settle(4);
  const shown = [await detailOf(orders[0]), await detailOf(orders[1])];
  expect(shown.map(({ state }) => state).sort()).toEqual(["awaiting_deposit", "completed"]);
  expect(shown.map(({ deposit_tx_hash }) => deposit_tx_hash)).toContain(hash);

  // The other one is completed by the next.
  const [open] = orders.filter((_, index) => shown[index]?.state === "awaiting_deposit");
  if (open === undefined) throw new Error("both are completed");
  const next = (await world.sendSecondStep(open)) ?? "0x";
  world.include();
  await playMinutes(world, 2);
  await world.settle(4);
  expect(await detailOf(open)).toMatchObject({ state: "completed", deposit_tx_hash: next });
});

test("a deposit of what arrived that its user builds without a parent completes both", async () => {
  const order = await arrive();
  const own = await again(order, null);
  const hash = world.send(own);
  await world.report(own, { hash });
  world.include();
  await playMinutes(world, 2);
  await world.settle(4);
  const { shares } = await detailOf(own);
  expect(await detailOf(own)).toMatchObject({
    ...{ state: "completed", source_tx_hash: hash, parent_tracking_id: order.trackingId },
  });
  expect(await detailOf(order)).toMatchObject({ state: "completed", shares, deposit_tx_hash: hash });
});

test.each(["no parent", "another one that waits", "one that was not sent"] as const)(
  "a deposit that is sent is seen although an equal second step is tracked first, with %s as its parent",
  async (parent) => {
    const order = await arrive();
    const other =
      parent === "another one that waits"
        ? await arrive()
        : await world.build("two_step", { user: USER, amount: AMOUNT });
    const own = await again(order, parent === "no parent" ? null : other.trackingId);
    const hash = await sendTo(order, () => world.send(own));
    await settled();
    const { shares } = await detailOf(own);
    expect(await detailOf(own)).toMatchObject({ state: "completed", source_tx_hash: hash });
    const completed = { state: "completed", shares, deposit_tx_hash: hash };
    const [with_, without] = parent === "another one that waits" ? [other, order] : [order, other];
    expect(await detailOf(with_)).toMatchObject(completed);
    expect(await detailOf(without)).toMatchObject({ shares: null, deposit_tx_hash: null });
  },
);

test("a deposit that is sent again after it reverted is seen although an equal second step is tracked first", async () => {
  const order = await arrive();
  const own = await again(order, null);
  const failed = world.send(own, { fails: true });
  await world.report(own, { hash: failed });
  world.include();
  await playMinutes(world, 2);
  expect(await detailOf(own)).toMatchObject({ state: "failed", source_tx_hash: failed });
  const hash = await sendTo(order, () => world.send(own));
  await settled();
  expect(await detailOf(own)).toMatchObject({ state: "completed", source_tx_hash: hash });
  expect(await detailOf(order)).toMatchObject({ state: "completed", deposit_tx_hash: hash });
});

test("a deposit that is sent before the token of its parent arrives completes an equal one that waited for it", async () => {
  const order = await arrive();
  const late = await world.build("two_step", { user: USER, amount: AMOUNT });
  world.send(late);
  world.include();
  await playMinutes(world, 2);
  const own = await again(order, late.trackingId);
  const hash = world.send(own);
  world.include();
  world.pass(3);
  for (const transfer of world.openTransfers()) world.relay(transfer);
  world.include();
  world.pass(3);
  // The parent awaits its second step before the payment is seen.
  expect(await detailOf(late)).toMatchObject({ state: "awaiting_deposit" });
  await settled();
  expect(await detailOf(own)).toMatchObject({ state: "completed", source_tx_hash: hash });
  expect(await detailOf(order)).toMatchObject({ state: "completed", deposit_tx_hash: hash });
  expect(await detailOf(late)).toMatchObject({ state: "awaiting_deposit", shares: null });
});
