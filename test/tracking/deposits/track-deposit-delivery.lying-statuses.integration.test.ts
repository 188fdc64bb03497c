import { getAddress, type Hex } from "viem";
import { describe, expect, test } from "vitest";
import { type AcrossWord, FILL_WINDOW_S } from "../../support/following/across-api.ts";
import {
  AWAY,
  FORGER,
  HOME,
  ROUTED_VAULT,
  SPOKE_POOL,
  transfer,
  USDC,
} from "../../support/following/contracts.ts";
import { forgeriesWithoutDeposit } from "../../support/following/forgeries.ts";
import { NO_FAULTS } from "../../support/following/node-faults.ts";
import { playEachTest, playMinutes, STRANGER } from "../../support/following/play.ts";
import { BLOCK_S } from "../../support/following/simulated-chain.ts";
import { type Order, USERS, type World } from "../../support/following/world.ts";

/**
 * What the bridge's API says of a transfer can neither end a deposit nor change an amount: the program over simulated
 * chains, with an API that lies from the moment at which the transfer has left until the end.
 */
const [USER = "0x", OTHER = "0x"] = USERS;
const AMOUNT = 100_000_000;

let world: World;
playEachTest(
  (play) => {
    world = play.world;
  },
  { allJobs: false },
);

/** Transactions that a lie may name, none of which has to do with the transfer. */
interface Others {
  source: Hex;
  nothing: Hex;
  payoutOfOther: Hex;
  forgedPayout: Hex;
  gift: Hex;
  giftOnSource: Hex;
  /** The pool's payment of the same amount to the user on the source chain, for another transfer. */
  poolPayment: Hex;
  reverted: Hex;
}

const lies: Readonly<Record<string, (of: Others) => AcrossWord>> = {
  "filled by a transaction that nobody knows": ({ nothing }) => ({ status: "filled", fillTx: nothing }),
  "filled, without a transaction": () => ({ status: "filled" }),
  "filled by its own source transaction": ({ source }) => ({ status: "filled", fillTx: source }),
  "filled by the payout of somebody else's transfer": ({ payoutOfOther }) => ({
    ...{ status: "filled", fillTx: payoutOfOther, actionsSucceeded: true },
  }),
  "filled by the payout of an invented transfer with its id": ({ forgedPayout }) => ({
    ...{ status: "filled", fillTx: forgedPayout, actionsSucceeded: true },
  }),
  "filled by a gift of shares and of the asset": ({ gift }) => ({ status: "filled", fillTx: gift }),
  "filled by a transaction that reverted": ({ reverted }) => ({ status: "filled", fillTx: reverted }),
  "filled slowly by a gift": ({ gift }) => ({ status: "slowFilled", fillTx: gift }),
  "filled on another chain": ({ payoutOfOther }) => ({
    ...{ status: "filled", fillTx: payoutOfOther, destinationChainId: AWAY },
  }),
  "filled and refunded at once": ({ gift, giftOnSource }) => ({
    ...{ status: "filled", fillTx: gift, depositRefundTxHash: giftOnSource },
  }),
  "refunded by a transaction that nobody knows": ({ nothing }) => ({
    ...{ status: "refunded", depositRefundTxHash: nothing },
  }),
  "refunded by its own source transaction": ({ source }) => ({
    ...{ status: "refunded", depositRefundTxHash: source },
  }),
  "refunded by a stranger's payment of the same amount": ({ giftOnSource }) => ({
    ...{ status: "refunded", depositRefundTxHash: giftOnSource },
  }),
  "refunded by the pool's payment of the same amount": ({ poolPayment }) => ({
    ...{ status: "refunded", depositRefundTxHash: poolPayment },
  }),
  "refunded, without a transaction": () => ({ status: "refunded" }),
  "expired long before its deadline": () => ({ status: "expired" }),
  "requested as a slow fill": () => ({ status: "slowFillRequested" }),
  "pending for ever": () => ({ status: "pending" }),
};

/** Sends a deposit over the bridge, and around it what a liar may point at. */
async function underWay(kind: "one_step" | "two_step"): Promise<{ order: Order; others: Others }> {
  const other = await world.build(kind, { user: OTHER, amount: AMOUNT });
  world.send(other);
  world.include();
  const [transferOfOther] = world.openTransfers();
  if (transferOfOther === undefined) throw new Error("the other transfer has not left");
  const { hash: payoutOfOther } = world.relay(transferOfOther);
  world.include();
  const order = await world.build(kind, { user: USER, amount: AMOUNT });
  const source = world.send(order);
  world.include();
  world.pass(3);
  const forged = forgeriesWithoutDeposit.forgedFill({ order, stranger: STRANGER, chains: world.chains });
  if (forged === null) throw new Error("nothing to forge");
  const stranger = { from: STRANGER, to: FORGER, input: "0xf0" as Hex, value: 0n };
  const user = getAddress(USER);
  const paid = (chainId: number) =>
    transfer(USDC[chainId] ?? FORGER, { from: FORGER, to: user, value: BigInt(AMOUNT) });
  const shares = transfer(ROUTED_VAULT, { from: FORGER, to: user, value: 77n });
  const gift = world.home.send({ ...stranger, run: () => ({ succeeded: true, logs: [paid(HOME), shares] }) });
  const giftOnSource = world.away.send({
    ...{ ...stranger, run: () => ({ succeeded: true, logs: [paid(AWAY)] }) },
  });
  const pool = SPOKE_POOL[AWAY] ?? FORGER;
  const repaid = transfer(USDC[AWAY] ?? FORGER, { from: pool, to: user, value: BigInt(AMOUNT) });
  const poolPayment = world.away.send({
    ...{ ...stranger, run: () => ({ succeeded: true, logs: [repaid] }) },
  });
  const reverted = world.home.send({ ...stranger, run: () => ({ succeeded: false, logs: [] }) });
  const forgedPayout = world.home.send(forged.transaction);
  world.include();
  const nothing = world.home.newHash(0xfa);
  const named = { payoutOfOther, forgedPayout, gift, giftOnSource, poolPayment };
  return { order, others: { source, nothing, reverted, ...named } };
}

async function shownOf({ trackingId }: Order) {
  return (await world.readAll()).find(({ tracking_id: id }) => id === trackingId);
}

describe.each(["one_step", "two_step"] as const)("%s: the API says that it was", (kind) => {
  test.each(Object.entries(lies))("%s", async (_, lie) => {
    const { order, others } = await underWay(kind);
    world.apiLie = lie(others);
    await playMinutes(world, 3);
    const asked = await world.status(others.source, AWAY);
    expect(asked.body).toMatchObject({ status: "PENDING", receiving: null });
    expect(await shownOf(order)).toMatchObject({
      ...{ state: "bridging", shares: null, delivered_amount: null, destination_tx_hash: null },
    });
    // The truth comes through, although the API goes on.
    for (const open of world.openTransfers()) world.relay(open);
    world.include();
    await world.settle(6);
    await world.judge();
    expect((await shownOf(order))?.state).toBe(kind === "one_step" ? "completed" : "awaiting_deposit");
  });
});

test.each(["one_step", "two_step"] as const)(
  "%s: a payout that the API names proves nothing while no node of the vault's chain answers",
  async (kind) => {
    const { order, others } = await underWay(kind);
    for (const node of world.nodes[HOME] ?? []) node.faults = { ...NO_FAULTS, down: true };
    world.apiLie = { status: "filled", fillTx: others.payoutOfOther, actionsSucceeded: true };
    await playMinutes(world, 3);
    await world.status(others.source, AWAY);
    expect(await shownOf(order)).toMatchObject({
      ...{ state: "bridging", shares: null, delivered_amount: null, destination_tx_hash: null },
    });
  },
);

describe("a transfer whose deadline passes without a payout", () => {
  const passDeadline = () => world.pass(Math.ceil(FILL_WINDOW_S / BLOCK_S) + 60);

  test("is refunded by the pool's refund", async () => {
    const { order } = await underWay("one_step");
    passDeadline();
    const refunds = world.openTransfers().map((open) => world.relay(open));
    expect(refunds).toMatchObject([{ kind: "refund" }]);
    world.include();
    await world.settle(6);
    await world.judge();
    expect(await shownOf(order)).toMatchObject({ state: "refunded", refund_tx_hash: refunds[0]?.hash });
  });

  test.each(["nothing", "source", "giftOnSource", "gift", "poolPayment"] as const)(
    "is not refunded by %s",
    async (named) => {
      const { order, others } = await underWay("one_step");
      world.apiLie = { status: "refunded", depositRefundTxHash: others[named] };
      passDeadline();
      await world.settle(2);
      expect(await shownOf(order)).toMatchObject({ state: "bridging", refund_tx_hash: null });
    },
  );
});
