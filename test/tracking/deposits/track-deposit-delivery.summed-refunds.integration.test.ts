import { expect, test } from "vitest";
import { FILL_WINDOW_S } from "../../support/following/across-api.ts";
import { refundTogether } from "../../support/following/bridge-refunds.ts";
import { playEachTest, playMinutes, stateOf } from "../../support/following/play.ts";
import { BLOCK_S } from "../../support/following/simulated-chain.ts";
import { type Order, USERS, type World } from "../../support/following/world.ts";

/** Across adds up what it refunds to one depositor in a bundle, and pays it with a single transfer. */
const [USER = "0x"] = USERS;

let world: World;
playEachTest(
  (play) => {
    world = play.world;
  },
  { allJobs: false },
);

/** Sends a deposit of each amount, and lets the time for their delivery pass. */
async function sendOverdue(amounts: readonly number[]): Promise<Order[]> {
  const orders: Order[] = [];
  for (const amount of amounts) {
    const order = await world.build("two_step", { user: USER, amount });
    world.send(order);
    world.include();
    orders.push(order);
  }
  world.pass(3);
  await playMinutes(world, 1);
  world.pass(Math.ceil(FILL_WINDOW_S / BLOCK_S) + 10);
  await playMinutes(world, 1);
  return orders;
}

const statesOf = (orders: readonly Order[]) => Promise.all(orders.map((one) => stateOf(world, one)));

test("one payment refunds two deposits of a user", async () => {
  const orders = await sendOverdue([100_000_000, 70_000_000]);
  expect(await statesOf(orders)).toEqual(["bridging", "bridging"]);
  refundTogether(world.away, world.openTransfers());
  world.include();
  world.pass(3);
  await world.settle(8);
  expect(await statesOf(orders)).toEqual(["refunded", "refunded"]);
});

test("a payment of two refunds does not refund a third deposit of the same amount", async () => {
  const orders = await sendOverdue([100_000_000, 70_000_000, 100_000_000]);
  refundTogether(world.away, world.openTransfers().slice(0, 2));
  world.include();
  world.pass(3);
  await world.settle(8);
  const states = await statesOf(orders);
  expect(states.filter((state) => state === "refunded")).toHaveLength(2);
  expect(states.filter((state) => state === "bridging")).toHaveLength(1);
});

test("a payment of another sum is no refund", async () => {
  const orders = await sendOverdue([100_000_000, 70_000_000]);
  const [first, second] = world.openTransfers();
  if (first === undefined || second === undefined) throw new Error("no transfer");
  refundTogether(world.away, [first, { ...second, inputAmount: second.inputAmount + 1n }]);
  world.include();
  world.pass(3);
  await world.settle(8);
  expect(await statesOf(orders)).toEqual(["bridging", "bridging"]);
});
