import { describe, expect, test } from "vitest";
import type { EmbeddedDatabase } from "./support/following/embedded-database.ts";
import { listed, playEachTest, playMinutes, sendSilently } from "./support/following/play.ts";
import type { Kind } from "./support/following/recount.ts";
import { type Order, USERS, type World } from "./support/following/world.ts";

/** What the field report calls L3, over the whole program with all its jobs. */
const [USER = "0x"] = USERS;
const KINDS: readonly Kind[] = ["router", "own", "one_step", "two_step"];
const AMOUNT = 100_000_000;

let database: EmbeddedDatabase;
let world: World;
playEachTest((play) => {
  ({ database, world } = play);
});

/**
 * Copies a deposit's row with other names, as if as many others had been built: for other accounts, or by strangers for
 * the same account.
 */
const multiply = (count: number, of: "others" | "the same account"): Promise<unknown> =>
  database.execute(`insert into deposits
    select (jsonb_populate_record(d, jsonb_build_object(
      'tracking_id', 'trk_' || lpad(to_hex(n), 32, '0'), 'ref', '0x' || lpad(to_hex(n), 64, '0'),
      'user_address', case when '${of}' = 'others' then '0x' || lpad(to_hex(n), 40, 'b') else user_address end,
      'source_data_hash', '0x' || lpad(to_hex(n), 64, 'a')))).*
    from deposits d, generate_series(1, ${count}) n
    where tracking_id = (select min(tracking_id) from deposits)`);

describe("L3: many others built and never sent", () => {
  test.each([
    ["others", 20_000],
    ["the same account", 2_000],
  ] as const)("is followed behind unsent builds for %s", async (of, count) => {
    const orders: Order[] = [];
    for (const kind of KINDS) orders.push(await world.build(kind, { user: USER, amount: AMOUNT }));
    await multiply(count, of);
    await playMinutes(world, 1);
    const hashes = orders.map((order) => world.send(order));
    world.include();
    world.pass(3);
    await playMinutes(world, 3);
    for (const [index, order] of orders.entries())
      expect(await listed(world, order)).toMatchObject({ source_tx_hash: hashes[index] });
  });

  test("twenty deposits a round are all followed", async () => {
    const orders: Order[] = [];
    for (let number = 0; number < 20; number += 1) {
      const kind = KINDS[number % KINDS.length] ?? "router";
      orders.push(await world.build(kind, { user: USER, amount: AMOUNT + number }));
    }
    for (const order of orders) world.send(order);
    world.include();
    world.pass(3);
    for (const transfer of world.openTransfers()) world.relay(transfer);
    world.include();
    await playMinutes(world, 2);
    const states = await Promise.all(orders.map(async (order) => (await listed(world, order))?.state));
    expect(states.filter((state) => state !== "completed" && state !== "awaiting_deposit")).toEqual([]);
    await world.settle(3);
    await world.judge();
  });

  test("asks the chains nothing about what was only built, nor about what has ended", async () => {
    const order = await world.build("router", { user: USER, amount: AMOUNT });
    const asked = (): number =>
      Object.values(world.nodes)
        .flat()
        .reduce((sum, node) => sum + [...node.asked.values()].reduce((all, one) => all + one, 0), 0);
    const cost = async (): Promise<number> => {
      const before = asked();
      await playMinutes(world, 3);
      return asked() - before;
    };
    await playMinutes(world, 3);
    const idle = await cost();
    await multiply(2_000, "others");
    expect(await cost()).toBeLessThanOrEqual(idle + 3);
    await sendSilently(world, order);
    await world.settle(6);
    expect(await cost()).toBeLessThanOrEqual(idle + 3);
  });
});
