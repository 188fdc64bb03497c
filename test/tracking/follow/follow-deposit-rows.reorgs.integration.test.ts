import { expect, test } from "vitest";
import { playEachTest, playMinutes } from "../../support/following/play.ts";
import { USERS, type World } from "../../support/following/world.ts";

/** What a reorg takes back is looked for again, also where the chain was read meanwhile. */
const [USER = "0x"] = USERS;
const AMOUNT = 100_000_000;

let world: World;
playEachTest(
  (play) => {
    world = play.world;
  },
  { allJobs: false },
);

test("a deposit that a reorg takes back is proven by a second transaction, which is final when it is noticed", async () => {
  const order = await world.build("own", { user: USER, amount: AMOUNT });
  const lost = world.send(order);
  world.include();
  world.pass(3);
  await playMinutes(world, 2);
  expect(await world.readAll()).toMatchObject([{ state: "completed", source_tx_hash: lost }]);
  world.home.reorg(25, () => false);
  const second = world.send(order);
  world.include();
  // The jobs pause until the second one is final.
  world.pass(230);
  await world.settle(6);
  expect(await world.judge()).toMatchObject([{ state: "completed", source_tx_hash: second }]);
});

test("no final block counts as read while evidence is left to compare with a chain that has changed", async () => {
  const others = USERS.slice(1);
  // More blocks than one round compares. All of them are above the last final block, and below the reorg.
  for (let index = 0; index < 28; index += 1) {
    world.send(await world.build("own", { user: others[index % 2] ?? "0x", amount: AMOUNT + index }));
    world.include();
  }
  const order = await world.build("own", { user: USER, amount: AMOUNT });
  const lost = world.send(order);
  world.include();
  world.pass(1);
  await playMinutes(world, 3);
  const mine = async () =>
    (await world.readAll()).find(({ tracking_id }) => tracking_id === order.trackingId);
  expect(await mine()).toMatchObject({ state: "completed", source_tx_hash: lost });
  world.home.reorg(32, () => false);
  const second = world.send(order);
  world.include();
  world.pass(230);
  await world.settle(8);
  expect((await world.judge()).find(({ tracking_id }) => tracking_id === order.trackingId)).toMatchObject({
    state: "completed",
    source_tx_hash: second,
  });
});
