import { expect, test } from "vitest";
import { AWAY, HOME } from "../../support/following/contracts.ts";
import { NO_FAULTS } from "../../support/following/node-faults.ts";
import { playEachTest, playMinutes, sendByStranger, stateOf } from "../../support/following/play.ts";
import { type Order, USERS, type World } from "../../support/following/world.ts";

/** Rows whose parts were read at different times must say what the chains say in the end, each time `judge` recounts. */
const [USER = "0x"] = USERS;
const AMOUNT = 100_000_000;

let world: World;
playEachTest(
  (play) => {
    world = play.world;
  },
  { allJobs: false },
);

/** A stranger sends the calldata of a deposit at his own cost, and a relayer pays it out. */
function repeatByStranger(order: Order): void {
  sendByStranger(world, order);
  world.include();
  world.pass(3);
  for (const transfer of world.openTransfers()) world.relay(transfer);
  world.include();
}

test.each(["own", "router"] as const)(
  "%s: takes the shares of the new block if a reorg follows a customer's reading, before any job",
  async (kind) => {
    const order = await world.build(kind, { user: USER, amount: AMOUNT });
    const hash = world.send(order);
    world.include();
    world.pass(3);
    await world.status(hash, HOME);
    expect(await stateOf(world, order)).toBe("completed");
    world.chain(HOME).reorg(5, () => true);
    world.pass(1);
    await world.settle(8);
    await world.judge();
  },
);

test.each(["the jobs", "a customer's reading"])(
  "one_step: is under way again if %s found the user's own transfer, although a stranger's arrived",
  async (finder) => {
    const order = await world.build("one_step", { user: USER, amount: AMOUNT });
    repeatByStranger(order);
    await playMinutes(world, 3);
    expect(await stateOf(world, order)).toBe("completed");
    const hash = world.send(order);
    world.include();
    world.pass(3);
    if (finder === "a customer's reading") await world.status(hash, AWAY);
    await playMinutes(world, 4);
    expect(await stateOf(world, order)).toBe("bridging");
    await world.settle(8);
    await world.judge();
    for (const transfer of world.openTransfers()) world.relay(transfer);
    await world.settle(4);
    expect(["completed", "refunded"]).toContain(await stateOf(world, order));
    await world.judge();
  },
);

test.each(["reported", "left alone"])(
  "two_step: is bound to the second of two equal transactions, %s, that became final while a reorg took the first",
  async (told) => {
    const order = await world.build("two_step", { user: USER, amount: AMOUNT });
    const first = world.send(order);
    world.include();
    world.pass(3);
    await world.round();
    expect(await stateOf(world, order)).toBe("bridging");
    const second = world.send(order);
    if (told === "reported") await world.report(order, { hash: second });
    await world.round();
    world.away.reorg(6, ({ hash }) => hash !== first);
    // No job runs until the chain has finalized the second.
    world.include();
    world.pass(70);
    await playMinutes(world, 2);
    await world.settle(8);
    const [shown] = await world.judge();
    expect(shown).toMatchObject({ state: "bridging", source_tx_hash: second });
  },
);

test.each([
  ["own", "reported"],
  ["own", "left alone"],
  ["two_step", "reported"],
  ["router", "left alone"],
] as const)(
  "%s: is bound to its source, %s, which all nodes first knew only by its receipt",
  async (kind, told) => {
    const order = await world.build(kind, { user: USER, amount: AMOUNT });
    const hash = world.send(order);
    world.include();
    world.pass(3);
    const nodes = world.nodes[order.source.chainId] ?? [];
    for (const node of nodes) node.faults = { ...NO_FAULTS, unindexed: 6 };
    if (told === "reported") await world.report(order, { hash });
    await world.round();
    for (const node of nodes) node.faults = { ...NO_FAULTS };
    await playMinutes(world, 3);
    const [shown] = await world.judge();
    expect(shown).toMatchObject({
      source_tx_hash: hash,
      state: kind === "two_step" ? "bridging" : "completed",
    });
  },
);

test("own: every one of thirty equal deposits that were sent at once has a transaction of its own", async () => {
  const orders = [await world.build("own", { user: USER, amount: AMOUNT })];
  for (const [first] = orders; orders.length < 30 && first !== undefined; )
    orders.push(await world.build("own", { user: USER, amount: AMOUNT, like: first }));
  const hashes = orders.map((order) => world.send(order));
  world.include();
  await playMinutes(world, 3);
  await world.settle(4);
  const shown = await world.judge();
  expect(shown.map(({ state }) => state)).toEqual(orders.map(() => "completed"));
  expect(new Set(shown.map(({ source_tx_hash: hash }) => hash))).toEqual(new Set(hashes));
});

test("own: the last of thirty equal deposits that were sent one after the other is seen before the first is final", async () => {
  const orders = [await world.build("own", { user: USER, amount: AMOUNT })];
  for (const [first] = orders; orders.length < 30 && first !== undefined; )
    orders.push(await world.build("own", { user: USER, amount: AMOUNT, like: first }));
  for (const order of orders) {
    world.send(order);
    world.include();
    if (orders.indexOf(order) % 6 === 5) await world.round();
  }
  world.pass(3);
  await world.round();
  world.wait(60_000);
  await world.round();
  const shown = await world.readAll();
  expect(shown.map(({ state }) => state)).toEqual(orders.map(() => "completed"));
});

test.each(["own", "router"] as const)(
  "%s: takes the shares of the new block if a reorg follows rounds that have compared the old one",
  async (kind) => {
    const order = await world.build(kind, { user: USER, amount: AMOUNT });
    world.send(order);
    world.include();
    world.pass(3);
    for (let rounds = 0; rounds < 3; rounds += 1) {
      await world.round();
      world.pass(1);
    }
    expect(await stateOf(world, order)).toBe("completed");
    world.home.reorg(9, () => true);
    await world.settle(8);
    await world.judge();
  },
);

test("two_step: of two equal deposits, only one is bound to the one transaction that was sent", async () => {
  const order = await world.build("two_step", { user: USER, amount: AMOUNT });
  const twin = await world.build("two_step", { user: USER, amount: AMOUNT, like: order });
  const hash = world.send(order);
  world.include();
  world.pass(3);
  await playMinutes(world, 2);
  // Both customers ask, too: whoever asks first does not make the other one's.
  for (const { trackingId } of [order, twin]) await world.causeway.send(`/v1/deposits/${trackingId}`);
  const shown = await world.readAll();
  expect(shown.filter(({ source_tx_hash: source }) => source === hash)).toHaveLength(1);
  expect(shown.filter(({ state }) => state === "bridging")).toHaveLength(1);
  await world.settle(4);
  await world.judge();
});

test.each([
  ["own", 0],
  ["own", 1],
  ["two_step", 0],
  ["two_step", 1],
] as const)(
  "%s: of two equal deposits, the one whose user reported the transaction is bound to it (%i)",
  async (kind, reported) => {
    const first = await world.build(kind, { user: USER, amount: AMOUNT });
    const second = await world.build(kind, { user: USER, amount: AMOUNT, like: first });
    const [told, other] = reported === 0 ? [first, second] : [second, first];
    const hash = world.send(told);
    await world.report(told, { hash });
    world.include();
    await playMinutes(world, 2);
    const shown = await world.readAll();
    const of = ({ trackingId }: Order) => shown.find(({ tracking_id: id }) => id === trackingId);
    expect(of(told)?.source_tx_hash).toBe(hash);
    expect(of(other)?.source_tx_hash).toBeNull();
    await world.settle(4);
    await world.judge();
  },
);

test.each(["own", "router", "one_step", "two_step"] as const)(
  "%s: has failed if the transaction reverts that was reported before a block included it",
  async (kind) => {
    const order = await world.build(kind, { user: USER, amount: AMOUNT });
    const hash = world.send(order, { fails: true });
    await world.report(order, { hash });
    // No block comes: the hint is read while nothing is decided.
    await world.round();
    world.wait(60_000);
    await world.round();
    world.include();
    await playMinutes(world, 3);
    expect(await world.readAll()).toMatchObject([{ state: "failed", source_tx_hash: hash, shares: null }]);
  },
);

test.each(["own", "router", "one_step", "two_step"] as const)(
  "%s: has failed no longer if a reorg lets the reverted transaction succeed",
  async (kind) => {
    const order = await world.build(kind, { user: USER, amount: AMOUNT });
    let fails = true;
    const hash = world.send(order, { fails: () => fails });
    await world.report(order, { hash });
    world.include();
    world.pass(2);
    await world.round();
    expect(await stateOf(world, order)).toBe("failed");
    fails = false;
    world.chain(order.source.chainId).reorg(4, () => true);
    await world.settle(6);
    const [shown] = await world.judge();
    expect(shown).toMatchObject({ source_tx_hash: hash });
    expect(["completed", "bridging"]).toContain(shown?.state);
  },
);

test.each(["own", "router", "one_step", "two_step"] as const)(
  "%s: has failed if a reorg lets its transaction revert, although it was seen to succeed",
  async (kind) => {
    const order = await world.build(kind, { user: USER, amount: AMOUNT });
    let fails = false;
    const hash = world.send(order, { fails: () => fails });
    await world.report(order, { hash });
    world.include();
    world.pass(2);
    await world.round();
    expect(["completed", "bridging"]).toContain(await stateOf(world, order));
    fails = true;
    world.chain(order.source.chainId).reorg(4, () => true);
    await world.settle(6);
    expect(await world.readAll()).toMatchObject([{ state: "failed", source_tx_hash: hash, shares: null }]);
  },
);

test.each(["own", "router", "one_step", "two_step"] as const)(
  "%s: has failed if a reorg takes its transaction and it reverts minutes later",
  async (kind) => {
    const order = await world.build(kind, { user: USER, amount: AMOUNT });
    const chain = world.chain(order.source.chainId);
    let fails = false;
    const hash = world.send(order, { fails: () => fails });
    await world.report(order, { hash });
    world.include();
    world.pass(2);
    await world.round();
    expect(["completed", "bridging"]).toContain(await stateOf(world, order));
    chain.reorg(4, () => false);
    await playMinutes(world, 2);
    expect(["built", "expired"]).toContain(await stateOf(world, order));
    // What reverts leaves no events: only the report says where to look.
    fails = true;
    const sent = chain.sent.get(hash);
    if (sent !== undefined) chain.pool.push(sent);
    world.include();
    await playMinutes(world, 6);
    expect(await world.readAll()).toMatchObject([{ state: "failed", source_tx_hash: hash, shares: null }]);
  },
);

test("two_step: is completed by a second step that was sent long after the delivery, over nodes that show few blocks", async () => {
  const order = await world.build("two_step", { user: USER, amount: AMOUNT });
  world.send(order);
  world.include();
  world.pass(3);
  for (const transfer of world.openTransfers()) world.relay(transfer);
  world.include();
  await playMinutes(world, 2);
  expect(await stateOf(world, order)).toBe("awaiting_deposit");
  world.pass(300);
  // A search from the delivery on would end long before the second step.
  for (const node of world.nodes[HOME] ?? []) node.faults = { ...node.faults, limit: 4 };
  await world.sendSecondStep(order);
  world.include();
  await playMinutes(world, 8);
  expect(await stateOf(world, order)).toBe("completed");
  await world.settle(4);
  await world.judge();
});

test.each(["router", "one_step"] as const)(
  "%s: takes the user's own transaction for its source, although an earlier one reverted and a stranger repeated it",
  async (kind) => {
    const order = await world.build(kind, { user: USER, amount: AMOUNT });
    const reverted = world.send(order, { fails: true });
    await world.report(order, { hash: reverted });
    world.include();
    await playMinutes(world, 2);
    expect(await stateOf(world, order)).toBe("failed");
    repeatByStranger(order);
    await playMinutes(world, 3);
    expect(await world.readAll()).toMatchObject([{ state: "completed", source_tx_hash: null }]);
    const hash = world.send(order);
    world.include();
    world.pass(3);
    for (const transfer of world.openTransfers()) world.relay(transfer);
    world.include();
    await playMinutes(world, 3);
    await world.settle(4);
    expect(await world.judge()).toMatchObject([{ state: "completed", source_tx_hash: hash }]);
  },
);
