import { getAddress, type Hex } from "viem";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { relayHash } from "../../../src/providers/across/tracking/across-deposit-tracking.ts";
import { depositRouterAddress } from "../../../src/router/router-address.ts";
import { randomOf } from "../../support/flows/random.ts";
import { FILL_WINDOW_S } from "../../support/following/across-api.ts";
import {
  AWAY,
  acrossDeposits,
  execute,
  FORGER,
  fill,
  HOME,
  ROUTED_VAULT,
  SPOKE_POOL,
  transfer,
  USDC,
} from "../../support/following/contracts.ts";
import { forgeriesWithoutDeposit } from "../../support/following/forgeries.ts";
import { type LifiWord, SimulatedLifiApi } from "../../support/following/lifi-api.ts";
import { openForFile, playMinutes, STRANGER, sendByStranger } from "../../support/following/play.ts";
import type { ShownDeposit } from "../../support/following/recount.ts";
import { copyWithReference } from "../../support/following/router.ts";
import { BLOCK_S } from "../../support/following/simulated-chain.ts";
import { type Order, USERS, World } from "../../support/following/world.ts";

/**
 * What LI.FI says of a transfer can neither end a deposit nor change an amount: deposits of LI.FI's over Across, each with
 * another lie from the moment at which it has left until the end, and around each what the lie may point at.
 */
const [USER = "0x", OTHER = "0x"] = USERS;

/** Transactions that a lie may name, none of which is the deposit's delivery or refund. */
interface Named {
  source: Hex;
  /** Of somebody else's transfer of the same amount. */
  sourceOfOther: Hex;
  payoutOfOther: Hex;
  nothing: Hex;
  /** The pool's payout of a transfer that never was, with this one's number. */
  forgedPayout: Hex;
  /** The asset in the transfer's amount, and shares, from a stranger to the user. */
  gift: Hex;
  giftOnSource: Hex;
  reverted: Hex;
  /** A Router order with the deposit's reference into another vault. */
  otherVault: Hex;
  /** A stranger's own Router order with the deposit's reference, which really mints shares to the user. */
  repeated: Hex;
  /** The pool's refund of another transfer of the user's, of the same amount. */
  refundOfOther: Hex;
  amount: string;
}

const done = (receiving: LifiWord | null, substatus = "COMPLETED"): LifiWord => ({
  ...{ status: "DONE", substatus, substatusMessage: "The transfer is complete." },
  ...(receiving === null ? {} : { receiving: { chainId: HOME, ...receiving } }),
});
const failed = (substatus: string): LifiWord => ({ status: "FAILED", substatus });
const pending = (substatus: string): LifiWord => ({ status: "PENDING", substatus });
const shares = { address: ROUTED_VAULT, symbol: "cwUSDC", decimals: 18, chainId: HOME };
const asset = { address: USDC[HOME], symbol: "USDC", decimals: 6, chainId: HOME };

const lies: Readonly<Record<string, (of: Named) => LifiWord>> = {
  "done, by a transaction that nobody knows": ({ nothing }) => done({ txHash: nothing }),
  "done, without a transaction": () => done(null),
  "done, without a transaction, in shares": () => done({ amount: "99", token: shares }),
  "done, by its own source transaction": ({ source }) => done({ txHash: source }),
  "done, by the payout of somebody else's transfer": (of) => done({ txHash: of.payoutOfOther, token: asset }),
  "done, by the payout of an invented transfer": ({ forgedPayout }) => done({ txHash: forgedPayout }),
  "done, by a gift of the same amount": ({ gift, amount }) => done({ txHash: gift, amount, token: asset }),
  "done, by a gift of shares": ({ gift }) => done({ txHash: gift, amount: "77", token: shares }),
  "done, by a transaction that reverted": ({ reverted }) => done({ txHash: reverted }),
  "done, by an order into another vault": ({ otherVault }) => done({ txHash: otherVault }),
  "done, by a stranger's order with its reference": ({ repeated }) =>
    done({ txHash: repeated, token: shares }),
  "done, on the source chain": ({ giftOnSource }) => done({ txHash: giftOnSource, chainId: AWAY }),
  "done, with a word that nobody knows": ({ gift }) => done({ txHash: gift }, "ALL_GOOD"),
  "done, without a substatus": ({ gift }) => ({ status: "DONE", receiving: { chainId: HOME, txHash: gift } }),
  "done, of a negative amount": ({ gift }) => done({ txHash: gift, amount: "-1" }),
  "done, of an amount beyond a word": ({ gift }) => done({ txHash: gift, amount: "9".repeat(78) }),
  "done, with tool data that say so": ({ gift }) => ({
    ...done({ txHash: gift }),
    ...{ tool: "across", toolData: { depositId: "1", fillTx: gift, filled: true, output: "1000000000" } },
  }),
  "done, with steps that say so": ({ gift, repeated }) => ({
    ...done({ txHash: gift, includedSteps: [{ tool: "across", toAmount: "999999999999" }] }),
    ...{
      metadata: { integrator: "causeway" },
      transactionId: repeated,
      bridgeExplorerLink: "https://a.example",
    },
  }),
  "done, of somebody else's transfer": ({ sourceOfOther, payoutOfOther }) => ({
    ...done({ txHash: payoutOfOther }),
    sending: { txHash: sourceOfOther, chainId: AWAY },
  }),
  "partly done, by a gift": ({ gift, amount }) => done({ txHash: gift, amount, token: asset }, "PARTIAL"),
  "partly done, by somebody else's payout": (of) => done({ txHash: of.payoutOfOther }, "PARTIAL"),
  "partly done, without a transaction": ({ amount }) => done({ amount, token: asset }, "PARTIAL"),
  "refunded, without a transaction": () => done(null, "REFUNDED"),
  "refunded, by a transaction that nobody knows": (of) =>
    done({ txHash: of.nothing, chainId: AWAY }, "REFUNDED"),
  "refunded, by its own source transaction": (of) => done({ txHash: of.source, chainId: AWAY }, "REFUNDED"),
  "refunded, by a stranger's payment": (of) => done({ txHash: of.giftOnSource, chainId: AWAY }, "REFUNDED"),
  "refunded, on the other chain": ({ gift }) => done({ txHash: gift }, "REFUNDED"),
  "refunded, by the refund of another transfer": (of) =>
    done({ txHash: of.refundOfOther, chainId: AWAY, amount: of.amount }, "REFUNDED"),
  "failed and refunded": ({ giftOnSource }) => ({
    ...failed("REFUNDED"),
    receiving: { chainId: AWAY, txHash: giftOnSource },
  }),
  "failed and refunded, by the refund of another": ({ refundOfOther }) => ({
    ...failed("REFUNDED"),
    receiving: { chainId: AWAY, txHash: refundOfOther },
  }),
  "failed, out of gas": () => failed("OUT_OF_GAS"),
  "failed, by slippage": () => failed("SLIPPAGE_EXCEEDED"),
  "failed, expired": () => failed("EXPIRED"),
  "failed, without a reason": () => failed("UNKNOWN_ERROR"),
  "failed, to be refunded": () => failed("NOT_PROCESSABLE_REFUND_NEEDED"),
  "failed, for want of balance": () => failed("INSUFFICIENT_BALANCE"),
  invalid: () => ({ status: "INVALID" }),
  "not found": () => ({ status: "NOT_FOUND" }),
  "to be refunded": () => pending("REFUND_IN_PROGRESS"),
  "held up by the bridge": () => pending("BRIDGE_NOT_AVAILABLE"),
  "pending, with a delivery": ({ gift }) => ({
    ...pending("WAIT_DESTINATION_TRANSACTION"),
    receiving: { chainId: HOME, txHash: gift, amount: "1", token: asset },
  }),
  "done, in small letters": ({ gift }) => ({ ...done({ txHash: gift }), status: "done" }),
};

interface Played {
  order: Order;
  named: Named;
}

const database = openForFile();

const emitting = (logs: ReturnType<typeof transfer>[], succeeded = true) => ({
  ...{ from: STRANGER, to: FORGER, input: "0xf0" as Hex, value: 0n },
  run: () => ({ succeeded, logs }),
});

/** Sends one deposit for each lie, and what the lies point at. */
async function sendAll(world: World, kind: "one_step" | "two_step"): Promise<Played[]> {
  const amounts = Object.keys(lies).map((_, index) => 100_000_000 + 1_000_000 * index);
  const build = async (user: Hex): Promise<Order[]> => {
    const orders: Order[] = [];
    for (const amount of amounts) orders.push(await world.build(kind, { user, amount }));
    return orders;
  };
  // Of the user's, and long expired: their refunds come while the later ones are under way.
  const older = (await build(USER)).map((order) => sendByStranger(world, order));
  world.include();
  world.pass(Math.ceil(FILL_WINDOW_S / BLOCK_S) + 60);
  const orders = await build(USER);
  await database().execute(
    "update deposits set provider = 'lifi', bridge = 'across', tool = 'across' where state = 'built' and expires_at > now()",
  );
  const others = (await build(OTHER)).map((order) => ({ order, hash: world.send(order) }));
  const sources = orders.map((order) => world.send(order));
  world.include();
  world.pass(3);
  const relayed = new Map<string, Hex>();
  const ours = new Set(sources.map((hash) => relayHash(depositOf(world, hash))));
  for (const open of world.openTransfers()) {
    const relay = relayHash(open);
    if (!ours.has(relay)) relayed.set(relay, world.relay(open).hash);
  }
  const relayOf = (hash: Hex): Hex => relayed.get(relayHash(depositOf(world, hash))) ?? "0x";
  const named = orders.map((order, index): Named => {
    const source = sources[index] ?? "0x";
    const amount = amounts[index] ?? 0;
    const sourceOfOther = others[index]?.hash ?? "0x";
    return {
      ...{ source, sourceOfOther, payoutOfOther: relayOf(sourceOfOther), amount: String(amount) },
      ...{ refundOfOther: relayOf(older[index] ?? "0x"), ...forge(world, { order, source, amount }) },
    };
  });
  world.include();
  world.pass(3);
  return orders.map((order, index) => ({ order, named: named[index] as Named }));
}

function depositOf(world: World, hash: Hex) {
  const [deposit] = acrossDeposits(AWAY, world.away.find(hash)?.included.logs ?? []);
  if (deposit === undefined) throw new Error("a source without its event");
  return deposit;
}

/** Sends what a stranger can: gifts, forged events, and an order of his own with the deposit's reference. */
function forge(world: World, { order, source, amount }: { order: Order; source: Hex; amount: number }) {
  const user = getAddress(order.user);
  const { home, away, chains } = world;
  const paid = (chainId: number) =>
    transfer(USDC[chainId] ?? FORGER, { from: STRANGER, to: user, value: BigInt(amount) });
  const invented = { ...depositOf(world, source), outputAmount: 1n, message: "0x" as Hex };
  const repeated = copyWithReference(order.ref, {
    ...{ receiver: user, asset: USDC[HOME] ?? FORGER, shareToken: getAddress(ROUTED_VAULT) },
  });
  const call = { from: STRANGER, to: depositRouterAddress, data: repeated };
  const otherVault = forgeriesWithoutDeposit.otherVault({ order, stranger: STRANGER, chains });
  if (otherVault === null) throw new Error("nothing to forge");
  return {
    nothing: home.newHash(0xfa),
    gift: home.send(emitting([paid(HOME), transfer(ROUTED_VAULT, { from: STRANGER, to: user, value: 77n })])),
    giftOnSource: away.send(emitting([paid(AWAY)])),
    reverted: home.send(emitting([], false)),
    otherVault: home.send(otherVault.transaction),
    forgedPayout: home.send({
      ...{ from: STRANGER, to: SPOKE_POOL[HOME] ?? FORGER, input: "0xf1" as Hex, value: 0n },
      run: (chain) => fill(chain, invented),
    }),
    repeated: home.send({
      ...{ from: STRANGER, to: call.to, input: repeated, value: 0n },
      run: (chain) => execute(chain, call),
    }),
  };
}

describe.each(["one_step", "two_step"] as const)("%s: LI.FI says that it was", (kind) => {
  let played: Played[] = [];
  let during: ShownDeposit[] = [];
  let after: ShownDeposit[] = [];
  const asked: unknown[] = [];
  const lifi = new SimulatedLifiApi();
  beforeAll(async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const world = new World(randomOf(1), {
      ...{ database: database(), setTime: (now: number) => vi.setSystemTime(now), allJobs: false, lifi },
    });
    await world.begin();
    played = await sendAll(world, kind);
    const told = Object.values(lies);
    for (const [index, { named }] of played.entries())
      lifi.words.set(named.source, {
        ...{ transactionId: named.nothing, sending: { txHash: named.source, chainId: AWAY } },
        ...{ lifiExplorerLink: `https://scan.li.fi/tx/${named.source}` },
        ...told[index]?.(named),
      });
    await playMinutes(world, 6);
    for (const { named } of played) asked.push((await world.status(named.source, AWAY)).body);
    during = await world.readAll();
    for (const open of world.openTransfers()) world.relay(open);
    world.include();
    await world.settle(12);
    after = await world.readAll();
  });

  test.each(Object.keys(lies).map((name, index) => [name, index] as const))("%s", (_, index) => {
    const { order, named } = played[index] as Played;
    const ofThis = ({ tracking_id: id }: ShownDeposit): boolean => id === order.trackingId;
    expect(lifi.asked).toContain(named.source);
    expect(asked[index]).toMatchObject({ status: "PENDING", receiving: null });
    expect(during.find(ofThis)).toMatchObject({
      ...{ state: "bridging", shares: null, delivered_amount: null, destination_tx_hash: null },
      source_tx_hash: named.source,
    });
    // The truth comes through, although LI.FI goes on.
    const delivered = String(Math.floor(Number(named.amount) - Number(named.amount) / 1_000));
    expect(after.find(ofThis)).toMatchObject(
      kind === "one_step"
        ? { state: "completed", source_tx_hash: named.source, shares: expect.stringMatching(/^\d+$/) }
        : { state: "awaiting_deposit", source_tx_hash: named.source, delivered_amount: delivered },
    );
  });
});
