import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { randomOf } from "../../support/flows/random.ts";
import { AWAY } from "../../support/following/contracts.ts";
import { type EmbeddedDatabase, openEmbeddedDatabase } from "../../support/following/embedded-database.ts";
import { type Order, USERS, World } from "../../support/following/world.ts";

/** Nodes that have forgotten receipts prove nothing: a deposit stays what the blocks show that no reorg has replaced. */
const [USER = "0x"] = USERS;

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
  world = new World(randomOf(1), { database, setTime: (now) => vi.setSystemTime(now) });
  await world.begin();
});

const stateOf = async ({ trackingId }: Order): Promise<string | undefined> =>
  (await world.readAll()).find(({ tracking_id }) => tracking_id === trackingId)?.state;

/** Lets a minute pass in which the jobs run. */
async function minute(): Promise<void> {
  world.pass(10);
  await world.round();
}

test("two_step: is not taken back by a reorg of its delivery while no node has the receipt of its source", async () => {
  const order = await world.build("two_step", { user: USER, amount: 100_000_000 });
  world.send(order);
  world.include();
  world.pass(3);
  for (const transfer of world.openTransfers()) world.relay(transfer);
  world.include();
  await minute();
  expect(await stateOf(order)).toBe("awaiting_deposit");
  for (const node of world.nodes[AWAY] ?? []) node.faults = { ...node.faults, unreceipted: 10_000 };
  world.home.reorg(12, () => true);
  for (let minutes = 0; minutes < 8; minutes += 1) {
    await minute();
    expect(await stateOf(order)).toBe("awaiting_deposit");
  }
  await world.settle(8);
  await world.judge();
});
