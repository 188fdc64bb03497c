import { expect, test } from "vitest";
import { AWAY } from "../../support/following/contracts.ts";
import { playEachTest, sendByStranger } from "../../support/following/play.ts";
import { type Order, USERS, type World } from "../../support/following/world.ts";

/** A deposit whose evidence is final is left alone only while nothing else may belong to it. */
const [USER = "0x"] = USERS;
/** Blocks after which one is final where the nodes name no final block that is newer. */
const FINAL_DEPTH = 64;

let world: World;
playEachTest(
  (play) => {
    world = play.world;
  },
  { allJobs: false },
);

/** A stranger sends the calldata of a deposit at his own cost. */
function repeatByStranger(order: Order): void {
  sendByStranger(world, order);
  world.include();
  world.pass(3);
}

test("takes the user's own transaction for the source, although the stranger's became final before it was confirmed", async () => {
  const order = await world.build("router", { user: USER, amount: 100_000_000 });
  repeatByStranger(order);
  await world.round();
  await world.round();
  expect(await world.readAll()).toMatchObject([{ state: "completed", source_tx_hash: null }]);
  const hash = world.send(order);
  world.include();
  await world.round();
  await world.round();
  // The deposit is leased in the same round in which the blocks become final.
  world.pass(FINAL_DEPTH + 5);
  await world.round();
  await world.round();
  await world.settle(4);
  expect(await world.judge()).toMatchObject([{ state: "completed", source_tx_hash: hash }]);
});

/** Runs the jobs that queue what is due, and returns the deposits that they queue. */
async function due(): Promise<string[]> {
  world.causeway.queued = [];
  await world.causeway.cron("* * * * *");
  return world.causeway.queued.flatMap(
    ({ body }) => (body as { tracking_ids?: string[] }).tracking_ids ?? [],
  );
}

test("is not checked any more once all its evidence is final, although its source was found after its delivery", async () => {
  const order = await world.build("one_step", { user: USER, amount: 100_000_000 });
  const hash = world.send(order);
  world.include();
  world.pass(3);
  for (const open of world.openTransfers()) world.relay(open);
  world.include();
  world.pass(3);
  for (const node of world.nodes[AWAY] ?? []) node.faults = { ...node.faults, down: true };
  await world.round();
  expect(await world.readAll()).toMatchObject([{ state: "completed", source_tx_hash: null }]);
  await world.settle(16);
  expect(await world.judge()).toMatchObject([{ state: "completed", source_tx_hash: hash }]);
  // Twice the pause after which a deposit is checked whose evidence is not final.
  world.pass(200);
  expect(await due()).toEqual([]);
});
