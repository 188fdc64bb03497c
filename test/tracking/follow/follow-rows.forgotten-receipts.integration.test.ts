import { expect, test } from "vitest";
import { AWAY } from "../../support/following/contracts.ts";
import { playEachTest, playMinutes, stateOf } from "../../support/following/play.ts";
import { USERS, type World } from "../../support/following/world.ts";

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
