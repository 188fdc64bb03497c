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
