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

/** Returns a deposit whose delivery only the last of the vault chain's nodes still has. */
async function arriveAndForget(): Promise<Order> {
  const order = await world.build("two_step", { user: USER, amount: 100_000_000 });
  await sendSilently(world, order);
  await playMinutes(world, 3);
  expect(await stateOf(world, order)).toBe("awaiting_deposit");
  for (const node of (world.nodes[HOME] ?? []).slice(0, -1)) node.faults = { ...node.faults, keeps: 20 };
  return order;
}

test("two_step: is completed by its second step although most nodes have forgotten the delivery", async () => {
  const order = await arriveAndForget();
  const hash = (await world.sendSecondStep(order)) ?? "0x";
  world.include();
  world.pass(3);
  await world.report(order, { hash, step: "deposit" });
  await playMinutes(world, 1);
  expect(await stateOf(world, order)).toBe("completed");
});

test("two_step: is completed by its continuation although most nodes have forgotten the delivery", async () => {
  const order = await arriveAndForget();
  const child = await buildDirect(world, { order, parent: order });
  if (child === null) throw new Error("nothing has arrived");
  const hash = world.send(child);
  world.include();
  world.pass(3);
  await world.report(child, { hash });
  await playMinutes(world, 2);
  expect(await stateOf(world, child)).toBe("completed");
  expect(await stateOf(world, order)).toBe("completed");
});
