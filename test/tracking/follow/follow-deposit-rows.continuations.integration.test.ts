import type { Hex } from "viem";
import { expect, test } from "vitest";
import type { EmbeddedDatabase } from "../../support/following/embedded-database.ts";
import { buildDirect, playEachTest, playMinutes, sendSilently } from "../../support/following/play.ts";
import { type Order, USERS, type World } from "../../support/following/world.ts";

/** Anyone can build a deposit for a user that names one of the user's deposits as its parent, with any amount. */
const [USER = "0x"] = USERS;
const AMOUNT = 100_000_000;

let database: EmbeddedDatabase;
let world: World;
playEachTest(
  (play) => {
    ({ database, world } = play);
  },
  { allJobs: false },
);

interface Detail {
  state: string;
  shares: string | null;
  delivered_amount: string | null;
  source_tx_hash: Hex | null;
  deposit_tx_hash: Hex | null;
}
const detailOf = async ({ trackingId }: Pick<Order, "trackingId">): Promise<Detail> =>
  (await world.causeway.send(`/v1/deposits/${trackingId}`)).body as Detail;

async function arrive(amount: number): Promise<Order> {
  const order = await world.build("two_step", { user: USER, amount });
  await sendSilently(world, order);
  await playMinutes(world, 2);
  expect(await detailOf(order)).toMatchObject({ state: "awaiting_deposit" });
  return order;
}

/** Builds a deposit of what arrived, or of another amount, which may name a parent. */
async function direct(order: Order, of: { parent: Order | null; amount?: number }): Promise<Order> {
  const built = await buildDirect(world, { ...of, order });
  if (built === null) throw new Error("nothing has arrived");
  return built;
}

const deliveredTo = async (order: Order): Promise<number> =>
  Number((await detailOf(order)).delivered_amount ?? 0);

async function settled(): Promise<void> {
  world.include();
  await playMinutes(world, 2);
  await world.settle(4);
}

test("a second step does not complete a deposit of less that an equal deposit of a stranger names as its parent", async () => {
  const [small, large] = [await arrive(AMOUNT / 2), await arrive(AMOUNT)];
  const stolen = await direct(large, { parent: small });
  const hash = (await world.sendSecondStep(large)) ?? "0x";
  await world.report(stolen, { hash });
  await settled();
  expect(await detailOf(small)).toMatchObject({ state: "awaiting_deposit", deposit_tx_hash: null });
  expect(await detailOf(large)).toMatchObject({ state: "completed", deposit_tx_hash: hash });
});

test("a deposit of more that its user makes completes none that a stranger names as the parent of an equal one", async () => {
  const order = await arrive(AMOUNT);
  const own = await direct(order, { amount: 2 * AMOUNT, parent: null });
  const stolen = await direct(order, { amount: 2 * AMOUNT, parent: order });
  const hash = world.send(own);
  await world.report(stolen, { hash });
  await settled();
  expect(await detailOf(order)).toMatchObject({ state: "awaiting_deposit", shares: null });
});

test.each(["before", "after"] as const)(
  "the continuation that is sent completes itself and its parent, with 25 unsent ones built %s it",
  async (when) => {
    const order = await arrive(AMOUNT);
    const amount = await deliveredTo(order);
    // As if the bridge had guaranteed less, so that the others may be continuations too.
    await database.execute(`update deposits set move_min = ${amount - 100}`);
    const crowd = async (): Promise<void> => {
      for (let number = 1; number <= 25; number += 1)
        await direct(order, { amount: amount - number, parent: order });
      world.wait(1_000);
    };
    if (when === "before") await crowd();
    const child = await direct(order, { parent: order });
    if (when === "after") await crowd();
    const hash = world.send(child);
    // The parent is tracked first.
    await world.report(order, { hash, step: "deposit" });
    world.include();
    world.pass(3);
    await detailOf(order);
    await settled();
    expect(await detailOf(child)).toMatchObject({ state: "completed", source_tx_hash: hash });
    expect(await detailOf(order)).toMatchObject({ state: "completed", deposit_tx_hash: hash });
  },
);

test("a reported second step that a reorg takes back is looked for until it is included again", async () => {
  const order = await arrive(AMOUNT);
  const hash = (await world.sendSecondStep(order)) ?? "0x";
  world.include();
  await world.report(order, { hash, step: "deposit" });
  await playMinutes(world, 1);
  expect(await detailOf(order)).toMatchObject({ state: "completed", deposit_tx_hash: hash });
  // As for native currency, whose payments are in no logs: its report alone names it.
  await database.execute("delete from deposit_hints where origin = 'logs'");
  // A row of some days, whose hints would be over if they were as old.
  await database.execute("update deposits set created_at = created_at - interval '4 days'");
  world.home.reorg(12, () => false);
  await playMinutes(world, 1);
  expect(await detailOf(order)).toMatchObject({ state: "awaiting_deposit" });
  const unread = await database.execute("select tx_hash from deposit_hints where dropped_at is null");
  expect(unread.map(({ tx_hash }) => tx_hash)).toContain(hash);
});
