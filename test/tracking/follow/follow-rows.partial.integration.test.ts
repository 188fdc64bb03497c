import { expect, test } from "vitest";
import type { EmbeddedDatabase } from "../../support/following/embedded-database.ts";
import { playEachTest, playMinutes } from "../../support/following/play.ts";
import { type Order, USERS, type World } from "../../support/following/world.ts";

/** A one-step deposit whose token reached the user, because the Router's order failed at the delivery. */
const [USER = "0x"] = USERS;
/** Blocks after which the Router's order has expired, but not the transfer. */
const LATE_BLOCKS = 3_500;

let database: EmbeddedDatabase;
let world: World;
playEachTest(
  (play) => {
    ({ database, world } = play);
  },
  { allJobs: false },
);

const detailOf = async ({ trackingId }: Pick<Order, "trackingId">) =>
  (await world.causeway.send(`/v1/deposits/${trackingId}`)).body as Record<string, unknown>;

async function deliverTooLate(): Promise<Order> {
  const order = await world.build("one_step", { user: USER, amount: 100_000_000 });
  world.send(order);
  world.include();
  world.pass(LATE_BLOCKS);
  for (const transfer of world.openTransfers()) world.relay(transfer);
  world.include();
  await playMinutes(world, 2);
  return order;
}

test("a partial deposit shows what arrived, and is read again soon while its second step is to be sent", async () => {
  const order = await deliverTooLate();
  const open = { state: "partial", substatus: "PARTIAL", shares: null, deposit_tx_hash: null };
  expect(await detailOf(order)).toMatchObject({
    ...{ ...open, delivered_amount: expect.stringMatching(/^9\d+$/), poll_after_ms: 3_000 },
    steps: [{ state: "skipped" }, { state: "done" }, { state: "required" }],
  });
  const hash = (await world.sendSecondStep(order)) ?? "0x";
  await world.report(order, { hash, step: "deposit" });
  // A client that has sent it is not asked to send it again.
  expect(await detailOf(order)).toMatchObject({
    ...{ ...open, deposit_tx_hash: null, poll_after_ms: 3_000 },
    steps: [{ state: "skipped" }, { state: "done" }, { state: "waiting", tx_hash: hash }],
  });
  world.include();
  await playMinutes(world, 1);
  expect(await detailOf(order)).toMatchObject({
    ...{ state: "partial", shares: expect.stringMatching(/^7\d+$/), deposit_tx_hash: hash },
    ...{ poll_after_ms: 60_000, steps: [{ state: "skipped" }, { state: "done" }, { state: "done" }] },
  });
});

test("a partial deposit that is no longer checked gets the shares of its second step within a round", async () => {
  const order = await deliverTooLate();
  await world.settle(4);
  await database.execute(
    "update deposits set created_at = created_at - interval '4 days', next_check_at = null",
  );
  const hash = await world.sendSecondStep(order);
  world.include();
  world.pass(3);
  await world.round();
  const [row] = await database.execute("select state, shares, deposit_tx_hash from deposits");
  expect(row).toMatchObject({
    state: "partial",
    shares: expect.stringMatching(/^7\d+$/),
    deposit_tx_hash: hash,
  });
});
