import type { Hex } from "viem";
import { expect, test } from "vitest";
import { AWAY, HOME, USDC } from "../../support/following/contracts.ts";
import { playEachTest, playMinutes, sendSilently } from "../../support/following/play.ts";
import { type Order, USERS, type World } from "../../support/following/world.ts";

/** Reports, builds and replacements by which a deposit could be given to another one, or lost. */
const [USER = "0x", OTHER = "0x"] = USERS;
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

/** Builds a two-step deposit of a user whose token arrives, and waits for its second step. */
async function arrive(user: Hex): Promise<Order> {
  const order = await world.build("two_step", { user, amount: AMOUNT });
  await sendSilently(world, order);
  await playMinutes(world, 2);
  expect(await detailOf(order)).toMatchObject({ state: "awaiting_deposit" });
  return order;
}

/** Builds a deposit of what arrived for another one of its user, which names that as its parent. */
async function continued(order: Order): Promise<Order> {
  const { delivered_amount: amount } = await detailOf(order);
  const body = {
    ...{ ...order.body, from_chain_id: HOME, from_token: USDC[HOME], from_amount: amount },
    parent_tracking_id: order.trackingId,
  };
  return world.build("own", { user: order.user, amount: Number(amount), like: { ...order, body } });
}

async function settled(): Promise<void> {
  await playMinutes(world, 2);
  await world.settle(4);
}

test.each(["before", "after"] as const)(
  "a stranger who reports a user's second step as that of an equal deposit, %s the user's is known, gains nothing",
  async (when) => {
    const [victim, stranger] = [await arrive(USER), await arrive(OTHER)];
    const own = await world.build("own", { user: OTHER, amount: AMOUNT });
    const second = await world.sendSecondStep(victim);
    const hash = second ?? "0x";
    world.include();
    if (when === "after") await playMinutes(world, 2);
    await world.report(stranger, { hash, step: "deposit" });
    await world.report(own, { hash });
    await world.report(own, { hash, step: "deposit" });
    await settled();
    expect(await detailOf(victim)).toMatchObject({ state: "completed", deposit_tx_hash: hash });
    expect(await detailOf(stranger)).toMatchObject({ state: "awaiting_deposit", shares: null });
    expect(["built", "expired"]).toContain((await detailOf(own)).state);
    await world.judge();
  },
);

test("a source that is reported for the wrong chain is found on its own", async () => {
  const order = await world.build("two_step", { user: USER, amount: AMOUNT });
  const hash = world.send(order);
  // A second step is looked for on the vault's chain.
  await world.report(order, { hash, step: "deposit" });
  world.include();
  await playMinutes(world, 2);
  expect(await detailOf(order)).toMatchObject({ state: "bridging", source_tx_hash: hash });
  expect((await world.status(hash, HOME)).body).toMatchObject({ status: "NOT_FOUND" });
  expect((await world.status(hash, AWAY)).body).toMatchObject({ status: "PENDING" });
  await settled();
  await world.judge();
});

test("a second step that is reported as a source completes its own deposit and no other", async () => {
  const first = await arrive(USER);
  const next = await world.build("two_step", { user: USER, amount: AMOUNT });
  const hash = (await world.sendSecondStep(first)) ?? "0x";
  for (const order of [next, first]) await world.report(order, { hash, step: "source" });
  world.include();
  await settled();
  expect(await detailOf(first)).toMatchObject({ state: "completed", deposit_tx_hash: hash });
  expect(await detailOf(next)).toMatchObject({ source_tx_hash: null, shares: null });
  await world.judge();
});

test("a continuation cannot name another user's deposit, and completes none of another amount", async () => {
  const victim = await arrive(USER);
  const stolen = {
    ...{ from_chain_id: HOME, from_token: USDC[HOME], from_amount: "99900000", user_address: OTHER },
    ...{ vault_id: victim.body["vault_id"], parent_tracking_id: victim.trackingId },
  };
  expect(await world.post("/v1/quote/build", stolen)).toMatchObject({
    status: 404,
    body: { code: "deposit_not_found" },
  });
  // Anyone can build in the user's name, but pays alone.
  const small = { ...stolen, user_address: USER, from_amount: "5000000" };
  const like = { ...victim, body: small };
  const child = await world.build("own", { user: USER, amount: 5_000_000, like });
  world.send(child);
  world.include();
  await settled();
  expect(await detailOf(child)).toMatchObject({ state: "completed" });
  expect(await detailOf(victim)).toMatchObject({ state: "awaiting_deposit", shares: null });
});

test.each([0, 1] as const)(
  "of two continuations of one deposit, the one that is sent (%i) completes it, and the other adds nothing",
  async (sent) => {
    const order = await arrive(USER);
    const [one, two] = [await continued(order), await continued(order)];
    const [child, other] = sent === 0 ? [one, two] : [two, one];
    const hash = world.send(child);
    await world.report(child, { hash });
    world.include();
    await settled();
    const { shares } = await detailOf(child);
    expect(shares).not.toBeNull();
    expect(await detailOf(order)).toMatchObject({ state: "completed", shares, deposit_tx_hash: hash });
    expect(await detailOf(other)).toMatchObject({ source_tx_hash: null });

    // The other one is money of its own.
    const late = world.send(other);
    world.include();
    await settled();
    expect(await detailOf(other)).toMatchObject({ state: "completed", source_tx_hash: late });
    expect(await detailOf(order)).toMatchObject({ state: "completed", shares, deposit_tx_hash: hash });
  },
);

test("a deposit has the shares of its continuation after a reorg has changed them", async () => {
  const order = await arrive(USER);
  const child = await continued(order);
  const hash = world.send(child);
  await world.report(child, { hash });
  world.include();
  await playMinutes(world, 1);
  const before = (await detailOf(order)).shares;
  // The shares depend on the block, and a reorg may include the transaction in one of the same number.
  const number = world.home.find(hash)?.block.number ?? 0;
  do world.home.reorg(world.home.blocks.length - number, () => true);
  while (world.home.find(hash)?.block.number === number);
  await settled();
  const { shares } = await detailOf(child);
  expect(shares).not.toBe(before);
  expect(await detailOf(order)).toMatchObject({ state: "completed", shares, deposit_tx_hash: hash });
});

test.each([
  ["own", "reported"],
  ["own", "left alone"],
  ["router", "reported"],
  ["two_step", "reported"],
  ["two_step", "left alone"],
] as const)(
  "%s: a reverted transaction that a reorg replaces by another of the same nonce, %s, is forgotten",
  async (kind, told) => {
    const order = await world.build(kind, { user: USER, amount: AMOUNT });
    const reverted = world.send(order, { fails: true });
    await world.report(order, { hash: reverted });
    world.include();
    world.pass(3);
    await world.round();
    expect(await detailOf(order)).toMatchObject({ state: "failed", source_tx_hash: reverted });
    const hash = world.send(order);
    if (told === "reported") await world.report(order, { hash });
    world.chain(order.source.chainId).reorg(6, (one) => one.hash !== reverted);
    await settled();
    const state = kind === "two_step" ? "bridging" : "completed";
    expect(await detailOf(order)).toMatchObject({ state, source_tx_hash: hash });
    await world.judge();
  },
);

test.each(["own", "router", "two_step"] as const)(
  "%s: a reported transaction that the wallet replaced while it was pending is forgotten",
  async (kind) => {
    const order = await world.build(kind, { user: USER, amount: AMOUNT });
    const chain = world.chain(order.source.chainId);
    const slow = world.send(order);
    await world.report(order, { hash: slow });
    await world.round();
    chain.pool = [];
    chain.sent.delete(slow);
    const hash = world.send(order);
    world.include();
    await settled();
    const state = kind === "two_step" ? "bridging" : "completed";
    expect(await detailOf(order)).toMatchObject({ state, source_tx_hash: hash });
    await world.judge();
  },
);

test("a reported second step that reverts leaves the deposit open for the next one", async () => {
  const order = await arrive(USER);
  const reverted = (await world.sendSecondStep(order, true)) ?? "0x";
  await world.report(order, { hash: reverted, step: "deposit" });
  world.include();
  await playMinutes(world, 2);
  expect(await detailOf(order)).toMatchObject({ state: "awaiting_deposit", shares: null });
  const hash = (await world.sendSecondStep(order)) ?? "0x";
  world.include();
  await settled();
  expect(await detailOf(order)).toMatchObject({ state: "completed", deposit_tx_hash: hash });
  await world.judge();
});
