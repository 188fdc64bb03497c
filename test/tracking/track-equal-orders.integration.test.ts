import { getAddress, type Hex } from "viem";
import { expect, test } from "vitest";
import { execute, HOME } from "../support/following/contracts.ts";
import type { EmbeddedDatabase } from "../support/following/embedded-database.ts";
import { playEachTest, playMinutes } from "../support/following/play.ts";
import { type Order, USERS, type World } from "../support/following/world.ts";

/** Calls of a vault name no order: anyone can build the same call for a user, and report the user's transaction. */
const [USER = "0x", OTHER_USER = "0x"] = USERS;
const AMOUNT = 100_000_000;

let database: EmbeddedDatabase;
let world: World;
playEachTest(
  (play) => {
    ({ database, world } = play);
  },
  { allJobs: false },
);

interface Shown {
  state: string;
  shares: string | null;
  source_tx_hash: Hex | null;
  same_as: string | null;
  steps: { state: string }[];
}

const detailOf = async ({ trackingId }: Pick<Order, "trackingId">): Promise<Shown> =>
  (await world.causeway.send(`/v1/deposits/${trackingId}`)).body as Shown;
const buildOwn = (like: Order | null = null): Promise<Order> =>
  world.build("own", { user: USER, amount: AMOUNT, like });

const minutes = (count: number): Promise<void> => playMinutes(world, count);

/** As if a partner had built the deposit with an API key. */
const setPartner = ({ trackingId }: Order, partner: string): Promise<unknown> =>
  database.execute(`update deposits set partner_address = '${partner}' where tracking_id = '${trackingId}'`);

test.each(["before", "after"] as const)(
  "a stranger who builds the same %s the user and reports the user's transaction leaves it COMPLETED for the user",
  async (when) => {
    const first = await buildOwn();
    world.include();
    const second = await buildOwn(first);
    const [own, stolen] = when === "after" ? [first, second] : [second, first];
    const hash = world.send(own);
    await world.report(stolen, { hash });
    world.include();
    world.pass(2);
    await world.round();
    await world.report(own, { hash });
    await minutes(2);
    const shown = await detailOf(own);
    expect(shown).toMatchObject({ state: "completed", source_tx_hash: hash });
    expect(shown.steps.map(({ state }) => state)).not.toContain("required");
    const { body } = await world.status(hash, HOME);
    expect(body).toMatchObject({ status: "DONE", deposit: { shares: shown.shares } });
    const { deposit } = body as { deposit: { tracking_id: string } };
    expect([own.trackingId, stolen.trackingId]).toContain(deposit.tracking_id);
    expect(shown.same_as).toBe(deposit.tracking_id === own.trackingId ? null : deposit.tracking_id);
    const { body: list } = await world.causeway.send(`/v1/deposits?user_address=${USER}`);
    expect(list).toHaveLength(1);
  },
);

test.each(["the user", "the stranger"] as const)(
  "a transaction that both report while it is pending, %s first, is COMPLETED for the user",
  async (first) => {
    const stolen = await buildOwn();
    const own = await buildOwn(stolen);
    const late = await buildOwn(stolen);
    const hash = world.send(own);
    for (const order of first === "the user" ? [own, stolen, late] : [stolen, late, own])
      await world.report(order, { hash });
    await world.round();
    for (const order of [stolen, own, late]) await detailOf(order);
    world.include();
    world.pass(3);
    for (const order of [late, stolen, own]) await detailOf(order);
    await minutes(3);
    expect(await detailOf(own)).toMatchObject({ state: "completed", source_tx_hash: hash });
    await world.settle(4);
    await world.judge();
  },
);

test("a reorg takes back what an equal deposit answers, until the transaction is included again", async () => {
  const own = await buildOwn();
  const stolen = await buildOwn(own);
  const hash = world.send(own);
  await world.report(stolen, { hash });
  world.include();
  world.pass(2);
  await world.round();
  await world.report(own, { hash });
  await minutes(1);
  expect(await detailOf(own)).toMatchObject({ state: "completed" });
  world.home.reorg(14, () => false);
  await minutes(2);
  expect(["built", "expired", "submitted"]).toContain((await detailOf(own)).state);
  const sent = world.home.sent.get(hash);
  if (sent !== undefined) world.home.pool.push(sent);
  world.include();
  await minutes(6);
  expect(await detailOf(own)).toMatchObject({ state: "completed", source_tx_hash: hash });
  await world.judge();
});

test("a row that nobody's partner built first does not take the deposit of a partner", async () => {
  const stranger = await buildOwn();
  const own = await buildOwn(stranger);
  await setPartner(own, `0x${"a1".repeat(20)}`);
  const hash = world.send(own);
  await world.report(stranger, { hash });
  world.include();
  await minutes(2);
  expect(await detailOf(own)).toMatchObject({ state: "completed", source_tx_hash: hash, same_as: null });
});

test("what was built after the transaction is not answered by it, and the next transaction is its own", async () => {
  const first = await buildOwn();
  const hash = world.send(first);
  world.include();
  await minutes(2);
  const second = await buildOwn(first);
  await minutes(1);
  await world.report(second, { hash });
  await minutes(6);
  expect(await detailOf(second)).toMatchObject({ state: "expired", same_as: null });
  const next = world.send(second);
  world.include();
  await minutes(2);
  expect(await detailOf(second)).toMatchObject({ state: "completed", source_tx_hash: next, same_as: null });
});

test.each([
  "as long as only the later one is seen",
  "from the first round on",
  "until it has tried both",
] as const)(
  "of two equal deposits, each gets a transaction, though the first %s could be of both",
  async (when) => {
    const first = await buildOwn();
    const earlier = world.send(first);
    world.include();
    world.pass(40);
    const second = await buildOwn(first);
    const later = world.send(second);
    world.include();
    if (when === "from the first round on") await world.report(first, { hash: earlier });
    await world.report(first, { hash: later });
    world.pass(2);
    await detailOf(first);
    if (when === "until it has tried both") await world.report(second, { hash: later });
    await world.report(second, { hash: earlier });
    await minutes(6);
    expect(await detailOf(first)).toMatchObject({
      state: "completed",
      source_tx_hash: earlier,
      same_as: null,
    });
    expect(await detailOf(second)).toMatchObject({
      state: "completed",
      source_tx_hash: later,
      same_as: null,
    });
    await world.settle(4);
    await world.judge();
  },
);

test("of equal deposits that are all sent, each gets a transaction, also one that was abandoned", async () => {
  const abandoned = await buildOwn();
  await world.abandon(abandoned);
  const orders = [abandoned];
  for (let number = 0; number < 3; number += 1) orders.push(await buildOwn(abandoned));
  const hashes = orders.map((order) => world.send(order));
  world.include();
  world.pass(3);
  await minutes(3);
  await world.settle(4);
  const shown = await world.judge();
  expect(shown.map(({ source_tx_hash }) => source_tx_hash).sort()).toEqual(hashes.sort());
});

test("a deposit that was never sent is not answered by one that the user builds days later", async () => {
  const unsent = await buildOwn();
  world.pass(30 * 60 * 10);
  const later = await buildOwn(unsent);
  const hash = world.send(later);
  await world.report(later, { hash });
  world.include();
  await minutes(8);
  expect(await detailOf(later)).toMatchObject({ state: "completed", source_tx_hash: hash });
  expect(await detailOf(unsent)).toMatchObject({ state: "expired", source_tx_hash: null, same_as: null });
});

test("nobody's deposit is a transaction that is older than the build, whoever reports it", async () => {
  const data = await buildOwn();
  const call = { from: getAddress(USER), to: getAddress(data.source.to), data: data.source.data };
  const run: Parameters<typeof world.home.send>[0]["run"] = (chain) => execute(chain, call);
  await database.reset();
  // The user deposits at the vault, without this service.
  const hash = world.home.send({ from: call.from, to: call.to, input: call.data, value: 0n, run });
  world.include();
  world.pass(60);
  const claimed = await buildOwn(data);
  await world.report(claimed, { hash });
  await minutes(7);
  expect(await detailOf(claimed)).toMatchObject({ state: "expired", source_tx_hash: null });
  expect((await world.status(hash, HOME)).body).toMatchObject({ status: "DONE", deposit: null });
});

test("a user who reports nothing is told of the equal deposit, and nothing is guessed", async () => {
  const own = await buildOwn();
  const stolen = await buildOwn(own);
  const hash = world.send(own);
  await world.report(stolen, { hash });
  world.include();
  await minutes(2);
  const named = { source_tx_hash: null, shares: null, same_as: stolen.trackingId };
  expect(await detailOf(own)).toMatchObject({ ...named, state: "built" });
  await minutes(5);
  expect(await detailOf(own)).toMatchObject({ ...named, state: "expired" });
  await world.judge();
  await world.report(own, { hash });
  const { shares } = await detailOf(stolen);
  const answered = { ...named, state: "completed", source_tx_hash: hash, shares };
  expect(await detailOf(own)).toMatchObject(answered);
  expect(BigInt(shares ?? 0)).toBeGreaterThan(0n);
  await world.judge();
});

test.each([true, false])(
  "an equal deposit takes its own transaction when it is sent, after another was reported for it: %s",
  async (reported) => {
    const first = await buildOwn();
    const second = await buildOwn(first);
    const sent = world.send(first);
    world.include();
    await minutes(7);
    const [bound, other] = (await detailOf(first)).same_as === null ? [first, second] : [second, first];
    if (reported) await world.report(other, { hash: sent });
    const state = reported ? "completed" : "expired";
    expect(await detailOf(other)).toMatchObject({ state, same_as: bound.trackingId });
    const hash = world.send(other);
    world.include();
    await minutes(2);
    expect(await detailOf(other)).toMatchObject({ state: "completed", source_tx_hash: hash, same_as: null });
    await world.settle(4);
    await world.judge();
  },
);

test("a user who signs an expired quote has the deposit that it was reported for, not a newer unsent one", async () => {
  const signed = await buildOwn();
  world.pass(200);
  const unsent = await buildOwn(signed);
  const hash = world.send(signed);
  await world.report(signed, { hash });
  world.include();
  await minutes(2);
  expect(await detailOf(signed)).toMatchObject({ state: "completed", source_tx_hash: hash, same_as: null });
  expect(await detailOf(unsent)).toMatchObject({ state: "built", same_as: signed.trackingId });
});

test("an abandoned deposit stays abandoned while an equal one is sent", async () => {
  const own = await buildOwn();
  const abandoned = await buildOwn(own);
  await world.abandon(abandoned);
  const hash = world.send(own);
  world.include();
  await minutes(7);
  expect(await detailOf(own)).toMatchObject({ source_tx_hash: hash, same_as: null });
  expect(await detailOf(abandoned)).toMatchObject({ state: "abandoned", source_tx_hash: null });
});

test("a partner who builds the same call once the transaction is included does not get it", async () => {
  const own = await buildOwn();
  const hash = world.send(own);
  world.include();
  world.pass(1);
  const stolen = await buildOwn(own);
  await setPartner(stolen, `0x${"b2".repeat(20)}`);
  await world.report(stolen, { hash });
  world.pass(2);
  await minutes(2);
  expect(await detailOf(own)).toMatchObject({ state: "completed", source_tx_hash: hash, same_as: null });
});

test.each(["the first", "nobody"])(
  "another partner who builds the same call once the transaction is sent does not get it, reported for %s",
  async (told) => {
    const own = await buildOwn();
    await setPartner(own, `0x${"a1".repeat(20)}`);
    const hash = world.send(own);
    world.wait(2_000);
    const stolen = await buildOwn(own);
    await setPartner(stolen, `0x${"b2".repeat(20)}`);
    await world.report(stolen, { hash });
    if (told === "the first") await world.report(own, { hash });
    world.include();
    world.pass(3);
    await world.status(hash, HOME);
    await minutes(2);
    expect(await detailOf(own)).toMatchObject({ state: "completed", source_tx_hash: hash, same_as: null });
    const { body } = await world.status(hash, HOME);
    expect(body).toMatchObject({ deposit: { tracking_id: own.trackingId } });
  },
);

// Which of the two is tracked first depends on their random tracking ids, hence on what was built before.
test.each([0, 1, 2, 3, 4, 5])(
  "a partner who builds the same call once an anonymous user's is reported does not get it, after %i others",
  async (others) => {
    for (let count = 0; count < others; count += 1)
      await world.build("own", { user: OTHER_USER, amount: AMOUNT, like: null });
    const own = await buildOwn();
    const hash = world.send(own);
    await world.report(own, { hash });
    world.wait(2_000);
    const stolen = await buildOwn(own);
    await setPartner(stolen, `0x${"b2".repeat(20)}`);
    await world.report(stolen, { hash });
    world.include();
    world.pass(3);
    await minutes(2);
    expect(await detailOf(own)).toMatchObject({ state: "completed", source_tx_hash: hash, same_as: null });
  },
);
