import type { Hex } from "viem";
import { expect, test } from "vitest";
import { AWAY, HOME } from "../../support/following/contracts.ts";
import { playEachTest, playMinutes } from "../../support/following/play.ts";
import { mintedIn, type ShownDeposit } from "../../support/following/recount.ts";
import { type Order, USERS, type World } from "../../support/following/world.ts";

/** A reorg may give a transfer another number after it was paid out, so that relayers pay it out again. */
const [USER = "0x", OTHER = "0x"] = USERS;

let world: World;
playEachTest(
  (play) => {
    world = play.world;
  },
  { allJobs: false },
);

const detailOf = async ({ trackingId }: Pick<Order, "trackingId">) =>
  (await world.causeway.send(`/v1/deposits/${trackingId}`)).body as ShownDeposit;

/** Pays out all open transfers. */
function payOut(): void {
  for (const transfer of world.openTransfers()) world.relay(transfer);
  world.include();
}

/** Returns the shares that each payout minted for the order's user, by transaction. */
function mintedFor({ user }: Order): Map<Hex, string> {
  const all = [...world.home.events()].map(({ included }) => included);
  const minted = [...new Set(all)].map((one) => [one.sent.hash, mintedIn(one, { user })] as const);
  return new Map(
    minted.flatMap(([hash, shares]) => (shares > 0n ? [[hash, shares.toString()] as const] : [])),
  );
}

test.each(["seen", "not seen"] as const)(
  "of two deliveries of one transfer, the first %s before the reorg, the row names one and each has its own status",
  async (first) => {
    const order = await world.build("one_step", { user: USER, amount: 100_000_000 });
    const other = await world.build("one_step", { user: OTHER, amount: 50_000_000 });
    const source = world.send(order);
    world.include();
    payOut();
    if (first === "seen") await playMinutes(world, 1);
    // The other user's transfer takes the number of the first.
    world.away.reorg(first === "seen" ? 14 : 3, ({ hash }) => hash !== source);
    world.send(other);
    world.include();
    const sent = world.away.sent.get(source);
    if (sent !== undefined) world.away.pool.push(sent);
    world.include();
    payOut();
    await playMinutes(world, 3);
    await world.settle(6);

    const minted = mintedFor(order);
    expect(minted.size).toBe(2);
    const row = await detailOf(order);
    const named = row.destination_tx_hash;
    expect(row).toMatchObject({
      state: "completed",
      source_tx_hash: source,
      shares: minted.get(named ?? "0x"),
    });
    expect((await world.status(source, AWAY)).body).toMatchObject({ receiving: { tx_hash: named } });
    for (const [hash, shares] of minted) {
      const { body } = await world.status(hash, HOME);
      expect(body).toMatchObject({ status: "DONE", receiving: { tx_hash: hash, amount: shares } });
      expect(body).toMatchObject({ deposit: { tracking_id: order.trackingId, shares } });
      // What the chain no longer has did not send the other one.
      const sending = hash === named ? { tx_hash: source } : null;
      expect(body).toMatchObject({ sending });
    }
    await world.judge();
  },
);
