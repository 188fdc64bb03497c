import { expect, test } from "vitest";
import { AWAY, HOME } from "../../support/following/contracts.ts";
import {
  buildDirect,
  playEachTest,
  playMinutes,
  sendSilently,
  stateOf,
} from "../../support/following/play.ts";
import { type Order, USERS, type World } from "../../support/following/world.ts";

/** Nodes that have forgotten receipts prove nothing: a deposit stays what the blocks show that no reorg has replaced. */
const [USER = "0x"] = USERS;

let world: World;
playEachTest(
  (play) => {
    world = play.world;
  },
  { allJobs: false },
);

test("two_step: is not taken back by a reorg of its delivery while no node has the receipt of its source", async () => {
  const order = await world.build("two_step", { user: USER, amount: 100_000_000 });
  world.send(order);
  world.include();
  world.pass(3);
  for (const transfer of world.openTransfers()) world.relay(transfer);
  world.include();
  await playMinutes(world, 1);
  expect(await stateOf(world, order)).toBe("awaiting_deposit");
  for (const node of world.nodes[AWAY] ?? []) node.faults = { ...node.faults, unreceipted: 10_000 };
  world.home.reorg(12, () => true);
  for (let minutes = 0; minutes < 8; minutes += 1) {
    await playMinutes(world, 1);
    expect(await stateOf(world, order)).toBe("awaiting_deposit");
  }
  await world.settle(8);
  await world.judge();
});

/** Blocks after which one is final where the nodes name no final block that is newer. */
const FINAL_DEPTH = 64;
/** Blocks that nodes keep which forget: if all do, more than pass until a later transaction is followed to its end. */
const KEPT = { most: 20, all: 40 } as const;

/** Returns a deposit whose delivery only the last of the vault chain's nodes still has, or none of them. */
async function arriveAndForget({ byAll = false } = {}): Promise<Order> {
  const order = await world.build("two_step", { user: USER, amount: 100_000_000 });
  await sendSilently(world, order);
  await playMinutes(world, 3);
  expect(await stateOf(world, order)).toBe("awaiting_deposit");
  if (byAll) {
    world.pass(FINAL_DEPTH + 5);
    await playMinutes(world, 2);
  }
  for (const node of (world.nodes[HOME] ?? []).slice(0, byAll ? undefined : -1))
    node.faults = { ...node.faults, keeps: byAll ? KEPT.all : KEPT.most };
  return order;
}

const forgotten = [
  ["most nodes have", false],
  ["all nodes have", true],
] as const;

test.each(forgotten)(
  "two_step: is completed by its second step although %s forgotten the delivery",
  async (_who, byAll) => {
    const order = await arriveAndForget({ byAll });
    const hash = (await world.sendSecondStep(order)) ?? "0x";
    world.include();
    world.pass(3);
    await world.report(order, { hash, step: "deposit" });
    await playMinutes(world, 1);
    expect(await stateOf(world, order)).toBe("completed");
  },
);

test.each(forgotten)(
  "two_step: is completed by its continuation although %s forgotten the delivery",
  async (_who, byAll) => {
    const order = await arriveAndForget({ byAll });
    const child = await buildDirect(world, { order, parent: order });
    if (child === null) throw new Error("nothing has arrived");
    const hash = world.send(child);
    world.include();
    world.pass(3);
    await world.report(child, { hash });
    await playMinutes(world, 2);
    expect(await stateOf(world, child)).toBe("completed");
    expect(await stateOf(world, order)).toBe("completed");
  },
);

test("two_step: is completed by a second step that nobody reports, although all nodes have forgotten the delivery", async () => {
  const order = await arriveAndForget({ byAll: true });
  await world.sendSecondStep(order);
  world.include();
  world.pass(3);
  await playMinutes(world, 2);
  expect(await stateOf(world, order)).toBe("completed");
});

test("router: is not submitted for ever if its transaction leaves the mempool after more than a day", async () => {
  const order = await world.build("router", { user: USER, amount: 100_000_000 });
  const hash = world.send(order);
  await world.report(order, { hash });
  await world.round();
  expect(await stateOf(world, order)).toBe("submitted");
  world.wait(25 * 3_600_000);
  await world.round();
  expect(await stateOf(world, order)).toBe("submitted");
  // The user replaced it by another transaction of the account.
  world.home.pool.splice(0);
  await playMinutes(world, 70);
  expect(await stateOf(world, order)).toBe("expired");
});
