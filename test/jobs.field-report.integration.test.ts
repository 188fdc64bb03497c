import { getAddress } from "viem";
import { describe, expect, test } from "vitest";
import { forgeriesWithoutDeposit } from "./support/following/forgeries.ts";
import {
  listed,
  playEachTest,
  playMinutes,
  type Shown,
  STRANGER,
  sendSilently,
} from "./support/following/play.ts";
import type { Kind } from "./support/following/recount.ts";
import { USERS, type World } from "./support/following/world.ts";

/**
 * What the field report calls L1, L2, L4, L5 and L8 (L3 is in jobs.unsent-deposits), each over the whole program but the
 * jobs that no deposit depends on: nobody polls unless a test says so.
 */
const [USER = "0x", OTHER = "0x"] = USERS;
const KINDS: readonly Kind[] = ["router", "own", "one_step", "two_step"];
const DIRECT: readonly Kind[] = ["router", "own"];
const AMOUNT = 100_000_000;

let world: World;
playEachTest(
  (play) => {
    world = play.world;
  },
  { allJobs: false },
);

describe("L1: a deposit that nobody reported", () => {
  test.each(KINDS)("%s: has its source hash, and the hash answers for it", async (kind) => {
    const order = await world.build(kind, { user: USER, amount: AMOUNT });
    const hash = await sendSilently(world, order);
    await playMinutes(world, 4);
    expect(await listed(world, order)).toMatchObject({
      state: kind === "two_step" ? "awaiting_deposit" : "completed",
      source_tx_hash: hash,
    });
    const { body } = await world.status(hash, order.source.chainId);
    expect(body).toMatchObject({
      status: kind === "two_step" ? "PENDING" : "DONE",
      deposit: { tracking_id: order.trackingId },
    });
    await world.judge();
  });
});

describe("L2: a stranger who knows the tracking id", () => {
  test.each(KINDS)("%s: cannot bind a false source hash, before or after it was sent", async (kind) => {
    const order = await world.build(kind, { user: USER, amount: AMOUNT });
    const foreign = await world.build(kind, { user: OTHER, amount: AMOUNT + 1 });
    const false1 = await sendSilently(world, foreign);
    expect((await world.report(order, { hash: false1 })).status).toBe(200);
    await playMinutes(world, 1);
    const hash = await sendSilently(world, order);
    await world.report(order, { hash: world.home.newHash(0xfa) });
    await playMinutes(world, 4);
    expect(await listed(world, order)).toMatchObject({ source_tx_hash: hash });
    expect((await world.report(order, { hash })).status).toBe(200);
    const { body } = await world.status(hash, order.source.chainId);
    expect(body).toMatchObject({ deposit: { tracking_id: order.trackingId } });
    await world.judge();
  });

  test.each(KINDS)("%s: cannot hide what is sent by abandoning or by many reports", async (kind) => {
    const order = await world.build(kind, { user: USER, amount: AMOUNT });
    expect((await world.abandon(order)).status).toBe(200);
    for (let lie = 0; lie < 40; lie += 1) await world.report(order, { hash: world.home.newHash(0xfa) });
    const hash = await sendSilently(world, order);
    for (let lie = 0; lie < 40; lie += 1) await world.report(order, { hash: world.home.newHash(0xfa) });
    await playMinutes(world, 4);
    expect(await listed(world, order)).toMatchObject({ source_tx_hash: hash });
    await world.judge();
  });

  test.each(
    KINDS.flatMap((kind) =>
      Object.keys(forgeriesWithoutDeposit).map(
        (name) => [kind, name as keyof typeof forgeriesWithoutDeposit] as const,
      ),
    ),
  )("%s: cannot bind it by %s", async (kind, name) => {
    const order = await world.build(kind, { user: USER, amount: AMOUNT });
    // The bridge has a transfer of somebody else under way, which can be imitated.
    const foreign = await world.build("two_step", { user: OTHER, amount: AMOUNT + 1 });
    world.send(foreign);
    world.include();
    const forged = forgeriesWithoutDeposit[name]({ order, stranger: STRANGER, chains: world.chains });
    if (forged === null) return;
    const hash = world.chain(forged.chainId).send(forged.transaction);
    world.include();
    await world.report(order, { hash });
    const { body } = await world.status(hash, forged.chainId);
    const { deposit } = body as { deposit: { tracking_id: string } | null };
    expect(deposit?.tracking_id).not.toBe(order.trackingId);
    await playMinutes(world, 2);
    expect(await listed(world, order)).toBeUndefined();
    const own = await sendSilently(world, order);
    await playMinutes(world, 3);
    expect(await listed(world, order)).toMatchObject({ source_tx_hash: own });
    await world.judge();
  });

  test("cannot show another transaction of the user's as the deposit's", async () => {
    const order = await world.build("router", { user: USER, amount: AMOUNT });
    const run = () => ({ succeeded: true, logs: [] });
    const hash = world.home.send({
      from: getAddress(USER),
      to: STRANGER,
      input: "0x",
      value: 0n,
      run,
    });
    world.include();
    world.pass(3);
    await world.report(order, { hash });
    expect((await world.status(hash, order.source.chainId)).body).toMatchObject({
      status: "INVALID",
      deposit: null,
    });
  });

  test("cannot fill somebody's list", async () => {
    const order = await world.build("router", { user: USER, amount: AMOUNT });
    await world.report(order, { hash: world.home.newHash(0xfa) });
    await playMinutes(world, 2);
    expect(await listed(world, order)).toBeUndefined();
  });
});

describe("L4: jobs stood still, and nobody reported", () => {
  test.each(KINDS)("%s: is found 5,000 blocks later", async (kind) => {
    const order = await world.build(kind, { user: USER, amount: AMOUNT });
    const hash = await sendSilently(world, order);
    world.pass(5_000);
    await playMinutes(world, 8);
    expect(await listed(world, order)).toMatchObject({ source_tx_hash: hash });
    await world.judge();
  });
});

describe("L8: a reorganisation after COMPLETED", () => {
  test.each(DIRECT.flatMap((kind) => [1, 2, 3, 4, 5].map((depth) => [kind, depth] as const)))(
    "%s: %i blocks that drop it take it back to what the chain says",
    async (kind, depth) => {
      const order = await world.build(kind, { user: USER, amount: AMOUNT });
      const hash = world.send(order);
      world.include();
      world.home.mine(depth - 1);
      await world.report(order, { hash });
      await world.round();
      const before = await listed(world, order);
      world.home.reorg(depth, () => false);
      await playMinutes(world, 6);
      expect(await listed(world, order)).toBeUndefined();
      await world.judge();
      // Confirmed by two blocks, it was COMPLETED; and the entry stays in the history.
      if (depth < 2) return;
      expect(before).toMatchObject({ state: "completed" });
      const { body } = await world.causeway.send(`/v1/deposits/${order.trackingId}`);
      const states = (body as Shown).history.map(({ state }) => state);
      expect(states.indexOf("completed")).toBeGreaterThan(-1);
      expect(states.lastIndexOf("completed")).toBeLessThan(states.length - 1);
    },
  );

  test.each(DIRECT)("%s: is completed with the shares of the block that has it now", async (kind) => {
    const order = await world.build(kind, { user: USER, amount: AMOUNT });
    const hash = world.send(order);
    world.include();
    world.home.mine(3);
    await world.report(order, { hash });
    world.wait(10_000);
    await world.round();
    expect(await listed(world, order)).toMatchObject({ state: "completed" });
    world.home.reorg(4, () => true);
    await playMinutes(world, 6);
    expect(await listed(world, order)).toMatchObject({ state: "completed", source_tx_hash: hash });
    await world.judge();
  });

  test.each(["one_step", "two_step"] as const)(
    "%s: a bridge's source that is dropped is not PENDING",
    async (kind) => {
      const order = await world.build(kind, { user: USER, amount: AMOUNT });
      const hash = world.send(order);
      world.include();
      world.away.mine(3);
      await world.report(order, { hash });
      await world.round();
      expect(await listed(world, order)).toMatchObject({ state: "bridging" });
      world.away.reorg(5, () => false);
      await playMinutes(world, 6);
      expect(await listed(world, order)).toBeUndefined();
      await world.judge();
    },
  );

  test.each(["one_step", "two_step"] as const)(
    "%s: a payout that is dropped is awaited again",
    async (kind) => {
      const order = await world.build(kind, { user: USER, amount: AMOUNT });
      await sendSilently(world, order);
      await world.round();
      world.home.reorg(5, () => false);
      await playMinutes(world, 6);
      expect(await listed(world, order)).toMatchObject({ state: "bridging" });
      for (const transfer of world.openTransfers()) world.relay(transfer);
      world.include();
      await playMinutes(world, 6);
      await world.judge();
    },
  );
});
