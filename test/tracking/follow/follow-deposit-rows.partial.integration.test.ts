import type { Hex } from "viem";
import { expect, test } from "vitest";
import type { AcrossDeposit } from "../../../src/providers/across/tracking/across-deposit-tracking.ts";
import { fill, HOME, RELAYER, SPOKE_POOL } from "../../support/following/contracts.ts";
import type { EmbeddedDatabase } from "../../support/following/embedded-database.ts";
import { playEachTest, playMinutes } from "../../support/following/play.ts";
import { callOf } from "../../support/following/transactions.ts";
import { type Order, USERS, type World } from "../../support/following/world.ts";

/** A one-step deposit whose token reached the user, because the Router's order failed at the delivery. */
const [USER = "0x"] = USERS;
/** A time after which every order of the Router has expired, in UNIX seconds. */
const LATE = 10 ** 12;

let database: EmbeddedDatabase;
let world: World;
playEachTest(
  (play) => {
    ({ database, world } = play);
  },
  { allJobs: false },
);

interface Detail {
  steps: { purpose: string; state: string; tx_hash: string | null }[];
}
/** Returns a deposit as the API shows it, without the approvals among its steps. */
async function detailOf({ trackingId }: Pick<Order, "trackingId">): Promise<Detail> {
  const detail = (await world.causeway.send(`/v1/deposits/${trackingId}`)).body as Detail;
  return { ...detail, steps: detail.steps.filter(({ purpose }) => purpose === "deposit") };
}

/** Pays out a transfer in a block in which the Router's order has expired. */
function payOutLate(transfer: AcrossDeposit): void {
  world.home.send({
    ...{ from: RELAYER, to: SPOKE_POOL[HOME] ?? RELAYER, input: "0x02", value: 0n },
    run: (chain) => {
      const head = { ...chain.head, timestamp: LATE };
      return fill(
        new Proxy(chain, { get: (of, name) => (name === "head" ? head : Reflect.get(of, name, of)) }),
        transfer,
      );
    },
  });
}

async function deliverTooLate(): Promise<Order> {
  const order = await world.build("one_step", { user: USER, amount: 100_000_000 });
  world.send(order);
  world.include();
  world.pass(3);
  for (const transfer of world.openTransfers()) payOutLate(transfer);
  world.include();
  await playMinutes(world, 2);
  return order;
}

/** Sends the second step that the API offers, an order of the Router. */
async function sendSecond({ trackingId, user }: Order): Promise<Hex> {
  const { body } = await world.causeway.send(`/v1/deposits/${trackingId}`);
  const { next } = body as { next: { transaction_request: { to: Hex; data: Hex } } };
  const { to, data } = next.transaction_request;
  return world.home.send(callOf({ from: user, to, data }));
}

test("a partial deposit shows what arrived, and is read again soon while its second step is to be sent", async () => {
  const order = await deliverTooLate();
  const open = { state: "partial", substatus: "PARTIAL", shares: null, deposit_tx_hash: null };
  expect(await detailOf(order)).toMatchObject({
    ...{ ...open, delivered_amount: expect.stringMatching(/^9\d+$/), poll_after_ms: 3_000 },
    steps: [{ state: "done" }, { state: "required" }],
  });
  const hash = await sendSecond(order);
  await world.report(order, { hash, step: "deposit" });
  // A client that has sent it is not asked to send it again.
  expect(await detailOf(order)).toMatchObject({
    ...{ ...open, deposit_tx_hash: null, poll_after_ms: 3_000 },
    steps: [{ state: "done" }, { state: "waiting", tx_hash: hash }],
  });
  world.include();
  await playMinutes(world, 1);
  expect(await detailOf(order)).toMatchObject({
    ...{ state: "partial", shares: expect.stringMatching(/^7\d+$/), deposit_tx_hash: hash },
    ...{ poll_after_ms: 60_000, steps: [{ state: "done" }, { state: "done", tx_hash: hash }] },
  });
});

test("a partial deposit that is no longer checked gets the shares of its second step within a round", async () => {
  const order = await deliverTooLate();
  await world.settle(4);
  await database.execute(
    "update deposits set created_at = created_at - interval '4 days', next_check_at = null",
  );
  const hash = await sendSecond(order);
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

test("a partial deposit whose chain is no longer read gets the shares of its second step when that is reported", async () => {
  const order = await deliverTooLate();
  await world.settle(4);
  await database.execute(
    "update deposits set updated_at = updated_at - interval '31 days', next_check_at = null",
  );
  // What was queued for the chain before is delivered first.
  await playMinutes(world, 1);
  const hash = await sendSecond(order);
  world.include();
  const shown = "select state, shares, deposit_tx_hash from deposits";
  await playMinutes(world, 2);
  expect(await database.execute(shown)).toMatchObject([{ shares: null }]);
  await world.report(order, { hash, step: "deposit" });
  await playMinutes(world, 2);
  const found = { state: "partial", shares: expect.stringMatching(/^7\d+$/), deposit_tx_hash: hash };
  expect(await database.execute(shown)).toMatchObject([found]);
});
