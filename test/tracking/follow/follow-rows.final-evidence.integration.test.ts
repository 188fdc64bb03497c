import { getAddress, type Hex } from "viem";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { randomOf } from "../../support/flows/random.ts";
import { AWAY, execute } from "../../support/following/contracts.ts";
import { type EmbeddedDatabase, openEmbeddedDatabase } from "../../support/following/embedded-database.ts";
import { type Order, USERS, World } from "../../support/following/world.ts";

/** A deposit whose evidence is final is left alone only while nothing else may belong to it. */
const [USER = "0x"] = USERS;
/** Blocks after which one is final where the nodes name no final block that is newer. */
const FINAL_DEPTH = 64;
const STRANGER: Hex = `0x${"bd".repeat(19)}01`;

let database: EmbeddedDatabase;
let world: World;
beforeAll(async () => {
  database = await openEmbeddedDatabase();
});
afterAll(async () => {
  vi.useRealTimers();
  await database.close();
});
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  world = new World(randomOf(1), { database, setTime: (now) => vi.setSystemTime(now), allJobs: false });
  await world.begin();
});

/** A stranger sends the calldata of a deposit at his own cost. */
function repeatByStranger({ source: { chainId, to, data } }: Order): void {
  const call = { from: getAddress(STRANGER), to: getAddress(to), data };
  const run: Parameters<typeof world.home.send>[0]["run"] = (chain) => execute(chain, call);
  world.chain(chainId).send({ from: call.from, to: call.to, input: data, value: 0n, run });
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
