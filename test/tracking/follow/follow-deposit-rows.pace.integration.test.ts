import { expect, test } from "vitest";
import type { EmbeddedDatabase } from "../../support/following/embedded-database.ts";
import { playEachTest } from "../../support/following/play.ts";
import { USERS, type World } from "../../support/following/world.ts";

/** Deposits whose next check comes before the next round do not wait for it. */
const [USER = "0x"] = USERS;

let database: EmbeddedDatabase;
let world: World;
playEachTest(
  (play) => {
    ({ database, world } = play);
  },
  { allJobs: false },
);

const MESSAGE_S = 6;

/** Forgets the rounds that are queued, so that only what deposits asked for themselves is left. */
function forgetRounds(): void {
  const { causeway } = world;
  causeway.queued = causeway.queued.filter(({ body }) => (body as { kind: string }).kind === "rows");
}

test("a deposit that was seen too early is completed within seconds, and not by the next round", async () => {
  await world.build("router", { user: USER, amount: 100_000_000 }).then((order) => world.send(order));
  world.include();
  await world.round();
  expect(await world.readAll()).toMatchObject([{ state: "submitted" }]);
  forgetRounds();
  expect(world.causeway.queued).toHaveLength(1);
  world.pass(Math.ceil(MESSAGE_S / 6) + 1);
  await world.causeway.deliverMessages();
  expect(await world.readAll()).toMatchObject([{ state: "completed" }]);
});

test("a message of a deposit that a round has checked since does nothing", async () => {
  await world.build("router", { user: USER, amount: 100_000_000 }).then((order) => world.send(order));
  world.include();
  await world.round();
  forgetRounds();
  const late = world.causeway.queued;
  world.causeway.queued = [];
  world.pass(10);
  await world.round();
  expect(await world.readAll()).toMatchObject([{ state: "completed" }]);
  const before = database.requests();
  world.causeway.queued = late;
  await world.causeway.deliverMessages();
  // The claim alone.
  expect(database.requests() - before).toBe(1);
});

test("a deposit whose run was killed, and whose message is lost, is tracked 30 seconds later", async () => {
  await world.build("router", { user: USER, amount: 100_000_000 }).then((order) => world.send(order));
  world.include();
  await world.round();
  forgetRounds();
  world.pass(2);
  const [message] = world.causeway.queued;
  world.causeway.queued = [];
  if (message !== undefined) await world.causeway.deliver(message, { at: 1, afterEffect: true });
  expect(await world.readAll()).toMatchObject([{ state: "submitted" }]);
  world.wait(30_000);
  await world.round();
  expect(await world.readAll()).toMatchObject([{ state: "completed" }]);
});

test("a deposit that cannot be tracked stops no other, and is checked ever less often", async () => {
  const orders = [];
  for (let number = 0; number < 8; number += 1)
    orders.push(await world.build("own", { user: USER, amount: 100_000_000 + number }));
  for (const order of orders) world.send(order);
  world.include();
  world.pass(3);
  const [broken] = orders;
  await database.execute(
    `update deposits set vault_address = '0xbroken', share_token = '0xbroken' where tracking_id = '${broken?.trackingId}'`,
  );
  const checks: unknown[] = [];
  for (let minute = 0; minute < 4; minute += 1) {
    world.pass(10);
    await world.round();
    checks.push(
      await database.execute(`select checks from deposits where tracking_id = '${broken?.trackingId}'`),
    );
  }
  expect(new Set(checks.map((rows) => JSON.stringify(rows))).size).toBe(checks.length);
  const { body } = await world.causeway.send(`/v1/deposits?user_address=${USER}&limit=100`);
  expect(body).toHaveLength(7);
});

test("a deposit that cannot be tracked is not checked any more once its hints are a month old", async () => {
  const order = await world.build("own", { user: USER, amount: 100_000_000 });
  await world.report(order, { hash: world.send(order) });
  await database.execute("update deposits set vault_address = '0xbroken', share_token = '0xbroken'");
  const next = async () => {
    world.pass(10);
    await database.execute("update deposits set next_check_at = '2000-01-01'");
    await world.round();
    const [stored] = await database.execute("select next_check_at, checked_at from deposits");
    return stored;
  };
  expect(await next()).toMatchObject({ next_check_at: expect.anything(), checked_at: expect.anything() });
  await database.execute("update deposit_hints set noted_at = noted_at - interval '31 days'");
  expect(await next()).toMatchObject({ next_check_at: null });
});

test("a reported deposit does not wait for the next round", async () => {
  const order = await world.build("router", { user: USER, amount: 100_000_000 });
  await world.round();
  forgetRounds();
  expect(world.causeway.queued).toHaveLength(0);
  await world.report(order, { hash: world.send(order) });
  expect(world.causeway.queued).toMatchObject([{ body: { kind: "rows", tracking_ids: [order.trackingId] } }]);
  world.pass(2);
  await world.causeway.deliverMessages();
  expect(await world.readAll()).toMatchObject([{ state: "completed" }]);
});

test("the rounds of a minute are spread over the chains", async () => {
  await world.build("two_step", { user: USER, amount: 100_000_000 });
  world.causeway.queued = [];
  await world.causeway.cron("* * * * *");
  const rounds = world.causeway.queued.map(({ body, dueAt }) => [
    (body as { chain_id: number }).chain_id,
    (dueAt - world.now) / 1000,
  ]);
  expect(rounds).toEqual([
    [31337, 0],
    [31338, 10],
    [31337, 20],
    [31338, 30],
    [31337, 40],
    [31338, 50],
  ]);
});

test("a second step that was seen too early is completed within seconds, not minutes", async () => {
  const order = await world.build("two_step", { user: USER, amount: 100_000_000 });
  world.send(order);
  world.pass(4);
  await world.round();
  for (const transfer of world.openTransfers()) world.relay(transfer);
  world.pass(4);
  await world.round();
  expect(await world.readAll()).toMatchObject([{ state: "awaiting_deposit" }]);
  await world.sendSecondStep(order);
  world.include();
  await world.round();
  expect(await world.readAll()).toMatchObject([{ state: "awaiting_deposit" }]);
  forgetRounds();
  world.pass(3);
  await world.causeway.deliverMessages();
  expect(await world.readAll()).toMatchObject([{ state: "completed" }]);
});
