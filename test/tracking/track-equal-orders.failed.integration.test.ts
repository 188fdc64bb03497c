import type { Hex } from "viem";
import { expect, test } from "vitest";
import { HOME } from "../support/following/contracts.ts";
import type { EmbeddedDatabase } from "../support/following/embedded-database.ts";
import { playEachTest, playMinutes } from "../support/following/play.ts";
import { type Order, USERS, type World } from "../support/following/world.ts";

/** Equal deposits of which a transaction reverted before the user sent it again. */
const [USER = "0x"] = USERS;

let database: EmbeddedDatabase;
let world: World;
playEachTest(
  (play) => {
    ({ database, world } = play);
  },
  { allJobs: false },
);

const buildOwn = (like: Order | null = null): Promise<Order> =>
  world.build("own", { user: USER, amount: 100_000_000, like });
const minutes = (count: number): Promise<void> => playMinutes(world, count);
const detailOf = async ({ trackingId }: Pick<Order, "trackingId">) =>
  (await world.causeway.send(`/v1/deposits/${trackingId}`)).body as Record<string, unknown>;
/** As if a partner had built the deposit with an API key. */
const setPartner = ({ trackingId }: Order, byte: string): Promise<unknown> =>
  database.execute(
    `update deposits set partner_address = '0x${byte.repeat(20)}' where tracking_id = '${trackingId}'`,
  );
/** Sends a transaction that reverts, and lets the jobs see it. */
async function sendFailing(order: Order): Promise<Hex> {
  const hash = world.send(order, { fails: true });
  await world.report(order, { hash });
  world.include();
  await minutes(2);
  return hash;
}
const idOf = async (hash: Hex): Promise<unknown> => {
  const { body } = await world.status(hash, HOME);
  const { status, deposit } = body as { status: string; deposit: { tracking_id: string } | null };
  return [status, deposit?.tracking_id];
};

test("a deposit that failed and an equal one that is sent then each keep their own transaction", async () => {
  const first = await buildOwn();
  const failed = world.send(first, { fails: true });
  await world.report(first, { hash: failed });
  world.include();
  await minutes(2);
  const second = await buildOwn(first);
  const sent = world.send(second);
  world.include();
  await minutes(3);
  expect(await detailOf(first)).toMatchObject({ state: "failed", source_tx_hash: failed, same_as: null });
  expect(await detailOf(second)).toMatchObject({ state: "completed", source_tx_hash: sent, same_as: null });
  expect(await idOf(failed)).toEqual(["FAILED", first.trackingId]);
  expect(await idOf(sent)).toEqual(["DONE", second.trackingId]);
});

test("a user whose deposit failed for a stranger's equal row sees that it failed, and the next one completed", async () => {
  const own = await buildOwn();
  const stolen = await buildOwn(own);
  const failed = world.send(own, { fails: true });
  await world.report(stolen, { hash: failed });
  world.include();
  await minutes(2);
  expect(await detailOf(own)).toMatchObject({ state: "built", same_as: stolen.trackingId });
  await world.report(own, { hash: failed });
  await minutes(1);
  const shown = { state: "failed", source_tx_hash: failed, same_as: stolen.trackingId };
  expect(await detailOf(own)).toMatchObject(shown);
  const sent = world.send(own);
  await world.report(own, { hash: sent });
  world.include();
  await minutes(3);
  expect(await detailOf(own)).toMatchObject({ state: "completed", source_tx_hash: sent });
});

test("a failed deposit that is sent again is completed, if a stranger's equal row got the transaction", async () => {
  const own = await buildOwn();
  const failed = world.send(own, { fails: true });
  await world.report(own, { hash: failed });
  world.include();
  await minutes(2);
  expect(await detailOf(own)).toMatchObject({ state: "failed", source_tx_hash: failed });
  const stolen = await buildOwn(own);
  const sent = world.send(own);
  await world.report(stolen, { hash: sent });
  world.include();
  await minutes(3);
  expect(await detailOf(stolen)).toMatchObject({ state: "completed", source_tx_hash: sent });
  expect(await detailOf(own)).toMatchObject({ state: "failed", same_as: null });
  await world.report(own, { hash: sent });
  const same = { source_tx_hash: sent, same_as: stolen.trackingId };
  expect(await detailOf(own)).toMatchObject({ state: "completed", ...same });
});

test("a failed deposit of a partner leaves an equal one that the user builds elsewhere its transaction", async () => {
  const first = await buildOwn();
  await setPartner(first, "a1");
  const failed = await sendFailing(first);
  const second = await buildOwn(first);
  const sent = world.send(second);
  world.include();
  await minutes(3);
  expect(await detailOf(first)).toMatchObject({ state: "failed", source_tx_hash: failed });
  expect(await detailOf(second)).toMatchObject({ state: "completed", source_tx_hash: sent, same_as: null });
});

test("a failed deposit of a partner that is sent again is not another partner's, who builds the same call", async () => {
  const first = await buildOwn();
  await setPartner(first, "a1");
  await sendFailing(first);
  const stolen = await buildOwn(first);
  await setPartner(stolen, "b2");
  const sent = world.send(first);
  for (const order of [stolen, first]) await world.report(order, { hash: sent });
  world.include();
  await minutes(3);
  expect(await detailOf(first)).toMatchObject({ state: "completed", source_tx_hash: sent, same_as: null });
});

test("what a partner builds after a failed deposit of its own is not another partner's, who built first", async () => {
  const first = await buildOwn();
  await setPartner(first, "a1");
  await sendFailing(first);
  const stolen = await buildOwn(first);
  await setPartner(stolen, "b2");
  world.wait(2_000);
  const second = await buildOwn(first);
  await setPartner(second, "a1");
  const sent = world.send(second);
  await world.report(stolen, { hash: sent });
  world.include();
  await minutes(3);
  expect(await detailOf(second)).toMatchObject({ state: "completed", source_tx_hash: sent, same_as: null });
});
