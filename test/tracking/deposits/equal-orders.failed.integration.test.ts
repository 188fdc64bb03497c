import type { Hex } from "viem";
import { expect, test } from "vitest";
import { HOME } from "../../support/following/contracts.ts";
import { playEachTest, playMinutes } from "../../support/following/play.ts";
import { type Order, USERS, type World } from "../../support/following/world.ts";

/** Equal deposits of which a transaction reverted before the user sent it again. */
const [USER = "0x"] = USERS;

let world: World;
playEachTest(
  (play) => {
    ({ world } = play);
  },
  { allJobs: false },
);

const buildOwn = (like: Order | null = null): Promise<Order> =>
  world.build("own", { user: USER, amount: 100_000_000, like });
const minutes = (count: number): Promise<void> => playMinutes(world, count);
const detailOf = async ({ trackingId }: Pick<Order, "trackingId">) =>
  (await world.causeway.send(`/v1/deposits/${trackingId}`)).body as Record<string, unknown>;
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
