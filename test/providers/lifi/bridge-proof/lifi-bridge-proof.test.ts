import { type Hex, zeroHash } from "viem";
import { describe, expect, test } from "vitest";
import { addBridgeProof } from "../../../../src/providers/lifi/bridge-proof/lifi-bridge-proof.ts";
import type { BridgeProof, TransferTerms } from "../../../../src/providers/provider.ts";
import { scopeOf } from "../../../support/across/stage.ts";
import {
  busDriven,
  busRode,
  chainWith,
  composeDelivered,
  contracts,
  delivered,
  type Event,
  FROM,
  messageReceived,
  messageSent,
  oftReceived,
  oftSent,
  recovered,
  SENT_AT,
  started,
  TO,
} from "../../../support/lifi/bridge-proof-stage.ts";
import { deployments } from "../../../support/lifi/harness.ts";
import { ATTACKER, addressOf, requestOf, USER } from "../../../support/lifi/parts.ts";

const SOURCE: Hex = `0x${"a1".repeat(32)}`;
const ARRIVED: Hex = `0x${"b2".repeat(32)}`;
const CALLED: Hex = `0x${"c3".repeat(32)}`;
const OTHER_GUID: Hex = `0x${"9e".repeat(32)}`;

interface Seen {
  tool: string;
  source: readonly Event[];
  arrival?: readonly Event[];
  call?: readonly Event[];
  /** When it arrived, unix seconds. */
  time?: number;
  named?: Hex | null;
  succeeded?: boolean;
  /** Bus departures in the source chain's logs; null makes the node fail. */
  buses?: readonly Event[] | null;
  /** The amount that the user paid, where the sender is known. */
  paid?: bigint;
  /** What was built, where it is known. */
  built?: TransferTerms;
}

/** Returns the proof of a transfer that LI.FI reports as delivered. */
async function provenBy(seen: Seen): Promise<{ hash: Hex | null; proof: BridgeProof | null }> {
  const { tool, source, arrival = [], call = [], time = SENT_AT, named = ARRIVED, succeeded = true } = seen;
  const txs = { [ARRIVED]: { events: arrival, succeeded }, [CALLED]: { events: call } };
  const there = chainWith(TO, { txs, time, found: call.length > 0 ? [CALLED] : [] });
  const here = chainWith(FROM, { txs: { [SOURCE]: { events: source } }, logs: seen.buses ?? null });
  const sender = seen.paid === undefined ? undefined : { account: USER, amount: seen.paid };
  const transfer = { txHash: SOURCE, fromChainId: FROM, toChainId: TO, tool, sender, built: seen.built };
  const status = await addBridgeProof(scopeOf([here, there]), {
    deployments,
    transfer,
    status: delivered(named),
  });
  return { hash: status.destinationTxHash, proof: status.proof };
}

const amountOf = async (seen: Seen): Promise<bigint | null> =>
  (await provenBy(seen)).proof?.delivery?.amount ?? null;

describe("addBridgeProof() for a Stargate taxi", () => {
  const taxi = { tool: "stargateV2", source: [oftSent(), started("stargateV2")] };

  test("matches the delivery by message id and has no refund", async () => {
    const logs = { first: 0, last: 0 };
    expect(await provenBy({ ...taxi, arrival: [oftReceived()] })).toEqual({
      hash: ARRIVED,
      proof: { delivery: { amount: 99_690_000n, logs, matchedBy: "id" }, taken: null },
    });
    expect(await amountOf({ ...taxi, arrival: [oftReceived({ amount: 7n })] })).toBe(7n);
    expect(await amountOf({ ...taxi, named: null })).toBe(null);
  });

  test.each<[string, readonly Event[]]>([
    ["another user's delivery", [oftReceived({ guid: OTHER_GUID, to: ATTACKER })]],
    ["another delivery to the same user", [oftReceived({ guid: OTHER_GUID })]],
    ["a delivery of another token", [oftReceived({ address: contracts.otherPool })]],
    ["an event of another contract", [oftReceived({ address: ATTACKER })]],
    ["a delivery from another chain", [oftReceived({ srcEid: 30101 })]],
    ["an id twice", [oftReceived(), oftReceived()]],
    ["no event", []],
  ])("ignores %s", async (_, arrival) => {
    const { proof } = await provenBy({ ...taxi, arrival });
    expect(proof).toEqual({ delivery: null, taken: null });
  });

  test("finds the right delivery among several in one transaction", async () => {
    const arrival = [oftReceived({ guid: OTHER_GUID, amount: 5n }), oftReceived()];
    const { proof } = await provenBy({ ...taxi, arrival });
    expect(proof?.delivery).toEqual({ amount: 99_690_000n, logs: { first: 1, last: 1 }, matchedBy: "id" });
  });

  test("ignores a reverted transaction", async () => {
    expect(await amountOf({ ...taxi, arrival: [oftReceived()], succeeded: false })).toBe(null);
  });

  test.each<[string, readonly Event[]]>([
    [
      "two transfers",
      [oftSent(), started("stargateV2"), oftSent({ guid: OTHER_GUID }), started("stargateV2")],
    ],
    ["a record before the transfer", [started("stargateV2"), oftSent()]],
    ["another contract's record", [oftSent(), started("stargateV2", ATTACKER)]],
    ["another contract's transfer", [oftSent({ address: ATTACKER }), started("stargateV2")]],
    ["a transfer to another chain", [oftSent({ dstEid: 30101 }), started("stargateV2")]],
  ])("returns no proof for %s in the source receipt", async (_, source) => {
    const seen = { ...taxi, source, arrival: [oftReceived()] };
    expect((await provenBy(seen)).proof).toBe(null);
  });

  test("proves the user's own transfer of several in the source receipt", async () => {
    const arrival = [oftReceived()];
    const own = [oftSent(), started("stargateV2")];
    const others = [oftSent({ guid: OTHER_GUID }), started("stargateV2", undefined, ATTACKER)];
    for (const source of [
      [...own, ...others],
      [...others, ...own],
    ]) {
      expect(await amountOf({ ...taxi, source, arrival, paid: 99_750_000n })).toBe(99_690_000n);
      expect(await amountOf({ ...taxi, source, arrival })).toBe(null);
    }
    const foreign = [...others, ...others];
    expect(await amountOf({ ...taxi, source: foreign, arrival, paid: 99_750_000n })).toBe(null);
    // A transfer that was sent to Stargate directly has no record of LI.FI.
    const direct = oftSent({ guid: OTHER_GUID });
    for (const source of [
      [direct, ...own],
      [...own, direct],
      [oftSent({ guid: OTHER_GUID, address: contracts.laterPool }), ...own],
    ])
      expect(await amountOf({ ...taxi, source, arrival })).toBe(99_690_000n);
  });

  test("takes no transfer that differs from what was built, although it names the user", async () => {
    const { toToken } = requestOf({});
    const terms = { ref: zeroHash, fromToken: null, swaps: true, toToken, least: 99_690_000n, call: false };
    const own = [oftSent(), started("stargateV2")];
    const send = { ...taxi, arrival: [oftReceived()], paid: 1n, built: terms };
    const other = oftSent({ guid: OTHER_GUID });
    for (const forged of [
      // With a call of its own, it is delivered to another account than the receiver that it names.
      [other, started("stargateV2", undefined, USER, true)],
      [oftSent({ guid: OTHER_GUID, address: contracts.laterPool }), started("stargateV2")],
    ]) {
      expect(await amountOf({ ...send, source: [...forged, ...own] })).toBe(99_690_000n);
      expect(await amountOf({ ...send, source: forged })).toBe(null);
    }
    expect(await amountOf({ ...send, source: own, built: { ...terms, least: 99_690_001n } })).toBe(null);
    const strangers = [oftReceived({ to: ATTACKER })];
    expect(await amountOf({ ...send, source: own, arrival: strangers })).toBe(null);
  });
});

describe("addBridgeProof() for a Stargate bus", () => {
  const bus = { tool: "stargateV2Bus", source: [oftSent({ guid: zeroHash }), started("stargateV2Bus")] };

  test("matches the delivery by source chain, receiver and amount", async () => {
    const arrival = [oftReceived({ guid: OTHER_GUID, to: ATTACKER }), oftReceived({ guid: OTHER_GUID })];
    const { proof } = await provenBy({ ...bus, arrival });
    expect(proof?.delivery).toMatchObject({ amount: 99_690_000n, matchedBy: "content" });
  });

  test.each<[string, Partial<Seen>]>([
    ["another user's delivery", { arrival: [oftReceived({ to: ATTACKER })] }],
    ["a smaller amount", { arrival: [oftReceived({ amount: 99_689_999n })] }],
    ["a larger amount", { arrival: [oftReceived({ amount: 99_690_001n })] }],
    ["a delivery from another chain", { arrival: [oftReceived({ srcEid: 30101 })] }],
    ["two matching deliveries", { arrival: [oftReceived(), oftReceived({ guid: OTHER_GUID })] }],
    ["a delivery older than the transfer", { arrival: [oftReceived()], time: SENT_AT - 61 }],
  ])("ignores %s", async (_, change) => {
    expect(await amountOf({ ...bus, ...change })).toBe(null);
  });
});

describe("addBridgeProof() for two bus transfers with equal content", () => {
  const rode = (ticket: bigint) => [busRode(ticket), oftSent({ guid: zeroHash }), started("stargateV2Bus")];
  const tool = "stargateV2Bus";
  const arrival = [oftReceived()];
  const matchOf = async (seen: Omit<Seen, "tool">) =>
    (await provenBy({ tool, ...seen })).proof?.delivery?.matchedBy ?? null;

  test.each([40n, 42n])("matches ticket %i, which the delivering bus carried, by id", async (ticket) => {
    const buses = [busDriven({ guid: OTHER_GUID, first: 0n }), busDriven()];
    expect(await matchOf({ source: rode(ticket), arrival, buses })).toBe("id");
  });

  test.each([SENT_AT - 61, SENT_AT - 90_000])(
    "matches ticket 40 although the arrival's clock says %i",
    async (time) => {
      expect(await matchOf({ source: rode(40n), arrival, buses: [busDriven()], time })).toBe("id");
      // Without the bus, only the clocks tell an earlier transfer's delivery.
      expect(await matchOf({ source: rode(40n), arrival, buses: null, time })).toBe(null);
      expect(await matchOf({ source: rode(43n), arrival, buses: [busDriven()], time })).toBe(null);
    },
  );

  test.each([39n, 43n])("ignores the delivery of a bus that did not carry ticket %i", async (ticket) => {
    expect(await matchOf({ source: rode(ticket), arrival, buses: [busDriven()] })).toBe(null);
  });

  test.each<[string, Omit<Seen, "tool">]>([
    ["a node that gives no logs", { source: rode(40n), arrival, buses: null }],
    ["a bus that is not found", { source: rode(40n), arrival, buses: [busDriven({ guid: OTHER_GUID })] }],
    ["a bus of another contract", { source: rode(43n), arrival, buses: [busDriven({ address: ATTACKER })] }],
    [
      "a ticket of another contract",
      { source: [busRode(43n, ATTACKER), ...rode(0n).slice(1)], arrival, buses: [busDriven()] },
    ],
    ["two tickets", { source: [busRode(1n), ...rode(43n)], arrival, buses: [busDriven()] }],
  ])("matches by content with %s", async (_, seen) => {
    expect(await matchOf(seen)).toBe("content");
  });
});

describe("addBridgeProof() for Stargate with a destination call", () => {
  const taxi = { tool: "stargateV2", source: [oftSent(), started("stargateV2")] };
  const arrival = [oftReceived({ to: contracts.receiver })];

  test("finds the call after the delivery, and the tokens paid out when it failed", async () => {
    const call = [recovered({ amount: 5n, transactionId: OTHER_GUID }), recovered(), composeDelivered()];
    const expected = {
      hash: CALLED,
      proof: {
        delivery: { amount: 99_690_000n, logs: { first: 0, last: 2 }, matchedBy: "id" },
        taken: null,
      },
    };
    expect(await provenBy({ ...taxi, arrival, call })).toEqual(expected);
    const { hash, proof } = await provenBy({ ...taxi, arrival: call });
    expect([hash, proof?.delivery?.amount]).toEqual([ARRIVED, 99_690_000n]);
  });

  test("returns the transaction of a successful call without a delivery to the user", async () => {
    const made = await provenBy({ ...taxi, arrival, call: [composeDelivered()] });
    expect(made).toEqual({ hash: CALLED, proof: { delivery: null, taken: null } });
  });

  test.each<[string, readonly Event[]]>([
    ["of another transfer with the same LI.FI id", [recovered(), composeDelivered({ guid: OTHER_GUID })]],
    [
      "with a ComposeDelivered event of another contract",
      [recovered(), composeDelivered({ address: ATTACKER })],
    ],
    ["for another receiver", [recovered(), composeDelivered({ to: ATTACKER })]],
    ["from another pool", [recovered(), composeDelivered({ from: contracts.otherPool })]],
    ["without ComposeDelivered event", [recovered()]],
    ["paid by another contract", [recovered({ address: ATTACKER }), composeDelivered()]],
    ["with another LI.FI id", [recovered({ transactionId: OTHER_GUID }), composeDelivered()]],
    ["after the ComposeDelivered event", [composeDelivered(), recovered()]],
    [
      "before the ComposeDelivered event of another transfer",
      [recovered(), composeDelivered({ guid: OTHER_GUID }), composeDelivered()],
    ],
  ])("ignores a recovery %s", async (_, call) => {
    expect(await amountOf({ ...taxi, arrival, call })).toBe(null);
    expect(await amountOf({ ...taxi, arrival: call })).toBe(null);
  });

  test("has no delivery while the tokens are at LI.FI's receiver", async () => {
    expect((await provenBy({ ...taxi, arrival })).proof).toEqual({ delivery: null, taken: null });
  });
});

describe.each(["celercircle", "celercirclefast", "polymer", "polymerStandard"])(
  "addBridgeProof() for CCTP by %s",
  (tool) => {
    const burned = { tool, source: [messageSent(), started(tool)] };

    test("matches the mint by message content, less the fee", async () => {
      expect(await provenBy({ ...burned, arrival: [messageReceived()] })).toEqual({
        hash: ARRIVED,
        proof: {
          delivery: { amount: 99_741_000n, logs: { first: 0, last: 0 }, matchedBy: "content" },
          taken: null,
        },
      });
    });

    test.each<[string, Partial<Seen>]>([
      ["another user's mint", { arrival: [messageReceived({ recipient: ATTACKER })] }],
      ["a smaller amount", { arrival: [messageReceived({ amount: 99_749_999n })] }],
      ["another token", { arrival: [messageReceived({ token: addressOf("eurc") })] }],
      ["another sender's burn", { arrival: [messageReceived({ sender: USER })] }],
      ["another maximum fee", { arrival: [messageReceived({ maxFee: 20_001n })] }],
      ["a message with hook data", { arrival: [messageReceived({ hook: "0x01" })] }],
      ["a fee above the amount", { arrival: [messageReceived({ fee: 99_750_001n })] }],
      ["a delivery from another chain", { arrival: [messageReceived({ domain: 0 })] }],
      ["a mint of another messenger", { arrival: [messageReceived({ from: ATTACKER })] }],
      ["an event of another contract", { arrival: [messageReceived({ address: ATTACKER })] }],
      ["two matching deliveries", { arrival: [messageReceived(), messageReceived()] }],
      ["a delivery older than the transfer", { arrival: [messageReceived()], time: SENT_AT - 61 }],
      ["a reverted transaction", { arrival: [messageReceived()], succeeded: false }],
    ])("ignores %s", async (_, change) => {
      expect(await amountOf({ ...burned, ...change })).toBe(null);
    });

    test("proves the user's own burn of several in the source receipt", async () => {
      const source = [messageSent({ recipient: ATTACKER }), messageSent(), messageSent({ amount: 1n })];
      const arrival = [messageReceived()];
      expect(await amountOf({ tool, source, arrival, paid: 99_750_000n })).toBe(99_741_000n);
      expect(await amountOf({ tool, source, arrival })).toBe(null);
    });

    test.each<[string, readonly Event[]]>([
      ["two equal burns", [messageSent(), messageSent()]],
      ["a burn for another chain", [messageSent({ domains: [6, 0] })]],
      ["a burn of another chain", [messageSent({ domains: [0, 3] })]],
      ["another token's burn", [messageSent({ token: ATTACKER })]],
      ["another contract's message", [messageSent({ address: ATTACKER })]],
    ])("returns no proof for %s in the source receipt", async (_, source) => {
      expect((await provenBy({ ...burned, source, arrival: [messageReceived()] })).proof).toBe(null);
    });
  },
);

test.each(["across", "relay", "unknown"])(
  "addBridgeProof() returns no proof for the tool %s",
  async (tool) => {
    const source = [oftSent(), started("stargateV2")];
    expect((await provenBy({ tool, source, arrival: [oftReceived()] })).proof).toBe(null);
  },
);

test("addBridgeProof() returns the status unchanged when a chain cannot be read", async () => {
  const transfer = { txHash: SOURCE, fromChainId: FROM, toChainId: TO, tool: "stargateV2" };
  const status = delivered(ARRIVED);
  expect(await addBridgeProof(scopeOf([]), { deployments, transfer, status })).toEqual(status);
});
