import { type Hex, zeroHash } from "viem";
import { describe, expect, test } from "vitest";
import { addBridgeProof } from "../../../../src/providers/lifi/bridge-proof/bridge-proof.ts";
import type { BridgeProof } from "../../../../src/providers/provider.ts";
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
import { ATTACKER, addressOf, USER } from "../../../support/lifi/parts.ts";

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
  /** What the source chain says of buses; null: nothing. */
  buses?: readonly Event[] | null;
}

/** What is witnessed when LI.FI says that a transfer was delivered. */
async function witnessed(seen: Seen): Promise<{ hash: Hex | null; proof: BridgeProof | null }> {
  const { tool, source, arrival = [], call = [], time = SENT_AT, named = ARRIVED, succeeded = true } = seen;
  const txs = { [ARRIVED]: { events: arrival, succeeded }, [CALLED]: { events: call } };
  const there = chainWith(TO, { txs, time, found: call.length > 0 ? [CALLED] : [] });
  const here = chainWith(FROM, { txs: { [SOURCE]: { events: source } }, logs: seen.buses ?? null });
  const transfer = { txHash: SOURCE, fromChainId: FROM, toChainId: TO, tool };
  const status = await addBridgeProof(scopeOf([here, there]), {
    deployments,
    transfer,
    status: delivered(named),
  });
  return { hash: status.destinationTxHash, proof: status.proof };
}

const amountOf = async (seen: Seen): Promise<bigint | null> =>
  (await witnessed(seen)).proof?.delivery?.amount ?? null;

describe("Stargate, alone in its message", () => {
  const taxi = { tool: "stargateV2", source: [oftSent(), started("stargateV2")] };

  test("a delivery is known by the message's id, and nothing is ever paid back", async () => {
    const logs = { first: 0, last: 0 };
    expect(await witnessed({ ...taxi, arrival: [oftReceived()] })).toEqual({
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
    ["an event of somebody else's contract", [oftReceived({ address: ATTACKER })]],
    ["a delivery from another chain", [oftReceived({ srcEid: 30101 })]],
    ["an id twice", [oftReceived(), oftReceived()]],
    ["nothing", []],
  ])("%s is not it", async (_, arrival) => {
    const { proof } = await witnessed({ ...taxi, arrival });
    expect(proof).toEqual({ delivery: null, taken: null });
  });

  test("of several in one transaction the right one counts, by itself", async () => {
    const arrival = [oftReceived({ guid: OTHER_GUID, amount: 5n }), oftReceived()];
    const { proof } = await witnessed({ ...taxi, arrival });
    expect(proof?.delivery).toEqual({ amount: 99_690_000n, logs: { first: 1, last: 1 }, matchedBy: "id" });
  });

  test("a transaction that failed delivered nothing", async () => {
    expect(await amountOf({ ...taxi, arrival: [oftReceived()], succeeded: false })).toBe(null);
  });

  test.each<[string, readonly Event[]]>([
    ["two transfers at once", [oftSent(), started("stargateV2"), oftSent({ guid: OTHER_GUID })]],
    ["two records of LI.FI", [oftSent(), started("stargateV2"), started("stargateV2")]],
    ["another contract's record", [oftSent(), started("stargateV2", ATTACKER)]],
    ["another contract's transfer", [oftSent({ address: ATTACKER }), started("stargateV2")]],
    ["a transfer to another chain", [oftSent({ dstEid: 30101 }), started("stargateV2")]],
  ])("%s in the source witness nothing", async (_, source) => {
    const seen = { ...taxi, source, arrival: [oftReceived()] };
    expect((await witnessed(seen)).proof).toBe(null);
  });
});

describe("Stargate, in company", () => {
  const bus = { tool: "stargateV2Bus", source: [oftSent({ guid: zeroHash }), started("stargateV2Bus")] };

  test("a delivery is known by whom it pays how much from where", async () => {
    const arrival = [oftReceived({ guid: OTHER_GUID, to: ATTACKER }), oftReceived({ guid: OTHER_GUID })];
    const { proof } = await witnessed({ ...bus, arrival });
    expect(proof?.delivery).toMatchObject({ amount: 99_690_000n, matchedBy: "content" });
  });

  test.each<[string, Partial<Seen>]>([
    ["another user's", { arrival: [oftReceived({ to: ATTACKER })] }],
    ["a smaller amount", { arrival: [oftReceived({ amount: 99_689_999n })] }],
    ["a larger amount", { arrival: [oftReceived({ amount: 99_690_001n })] }],
    ["another chain's", { arrival: [oftReceived({ srcEid: 30101 })] }],
    ["two that are alike", { arrival: [oftReceived(), oftReceived({ guid: OTHER_GUID })] }],
    ["an older one", { arrival: [oftReceived()], time: SENT_AT - 61 }],
  ])("%s is not it", async (_, change) => {
    expect(await amountOf({ ...bus, ...change })).toBe(null);
  });
});

describe("Stargate's bus, where two transfers are alike", () => {
  const rode = (ticket: bigint) => [busRode(ticket), oftSent({ guid: zeroHash }), started("stargateV2Bus")];
  const tool = "stargateV2Bus";
  const arrival = [oftReceived()];
  const bondOf = async (seen: Omit<Seen, "tool">) =>
    (await witnessed({ tool, ...seen })).proof?.delivery?.matchedBy ?? null;

  test.each([40n, 42n])("seat %i left with the bus that arrived: its number binds it", async (ticket) => {
    const buses = [busDriven({ guid: OTHER_GUID, first: 0n }), busDriven()];
    expect(await bondOf({ source: rode(ticket), arrival, buses })).toBe("id");
  });

  test.each([39n, 43n])("seat %i did not: what arrived is the other's", async (ticket) => {
    expect(await bondOf({ source: rode(ticket), arrival, buses: [busDriven()] })).toBe(null);
  });

  test.each<[string, Omit<Seen, "tool">]>([
    ["a node that gives no logs", { source: rode(40n), arrival, buses: null }],
    ["a bus that is not found", { source: rode(40n), arrival, buses: [busDriven({ guid: OTHER_GUID })] }],
    [
      "a bus of another contract's",
      { source: rode(43n), arrival, buses: [busDriven({ address: ATTACKER })] },
    ],
    [
      "a seat of another contract's",
      { source: [busRode(43n, ATTACKER), ...rode(0n).slice(1)], arrival, buses: [busDriven()] },
    ],
    ["two seats", { source: [busRode(1n), ...rode(43n)], arrival, buses: [busDriven()] }],
  ])("%s says nothing: it is known by its content, as before", async (_, seen) => {
    expect(await bondOf(seen)).toBe("content");
  });
});

describe("Stargate with a call at the end", () => {
  const taxi = { tool: "stargateV2", source: [oftSent(), started("stargateV2")] };
  const arrival = [oftReceived({ to: contracts.receiver })];

  test("the call is found from the delivery, and what it gave back instead counts", async () => {
    const call = [recovered({ amount: 5n, transactionId: OTHER_GUID }), recovered(), composeDelivered()];
    const expected = {
      hash: CALLED,
      proof: {
        delivery: { amount: 99_690_000n, logs: { first: 0, last: 2 }, matchedBy: "id" },
        taken: null,
      },
    };
    expect(await witnessed({ ...taxi, arrival, call })).toEqual(expected);
    const { hash, proof } = await witnessed({ ...taxi, arrival: call });
    expect([hash, proof?.delivery?.amount]).toEqual([ARRIVED, 99_690_000n]);
  });

  test("a call that was made leaves nothing to the user, and its transaction is told", async () => {
    const made = await witnessed({ ...taxi, arrival, call: [composeDelivered()] });
    expect(made).toEqual({ hash: CALLED, proof: { delivery: null, taken: null } });
  });

  test.each<[string, readonly Event[]]>([
    [
      "of another transfer with the same number of LI.FI's",
      [recovered(), composeDelivered({ guid: OTHER_GUID })],
    ],
    ["announced by another contract", [recovered(), composeDelivered({ address: ATTACKER })]],
    ["for another receiver", [recovered(), composeDelivered({ to: ATTACKER })]],
    ["from another pool", [recovered(), composeDelivered({ from: contracts.otherPool })]],
    ["without announcement", [recovered()]],
    ["given back by another contract", [recovered({ address: ATTACKER }), composeDelivered()]],
    ["given back for another number", [recovered({ transactionId: OTHER_GUID }), composeDelivered()]],
    ["given back after it was announced", [composeDelivered(), recovered()]],
    [
      "given back before another was announced",
      [recovered(), composeDelivered({ guid: OTHER_GUID }), composeDelivered()],
    ],
  ])("what was %s is not it", async (_, call) => {
    expect(await amountOf({ ...taxi, arrival, call })).toBe(null);
    expect(await amountOf({ ...taxi, arrival: call })).toBe(null);
  });

  test("money that only reached the receiver has not reached the user", async () => {
    expect((await witnessed({ ...taxi, arrival })).proof).toEqual({ delivery: null, taken: null });
  });
});

describe.each(["celercircle", "celercirclefast", "polymer", "polymerStandard"])("CCTP by %s", (tool) => {
  const burned = { tool, source: [messageSent(), started(tool)] };

  test("a mint is known by its message, less the fee that was taken", async () => {
    expect(await witnessed({ ...burned, arrival: [messageReceived()] })).toEqual({
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
    ["another largest fee", { arrival: [messageReceived({ maxFee: 20_001n })] }],
    ["a message with more in it", { arrival: [messageReceived({ hook: "0x01" })] }],
    ["a fee above the amount", { arrival: [messageReceived({ fee: 99_750_001n })] }],
    ["another chain's", { arrival: [messageReceived({ domain: 0 })] }],
    ["another messenger's", { arrival: [messageReceived({ from: ATTACKER })] }],
    ["an event of somebody else's contract", { arrival: [messageReceived({ address: ATTACKER })] }],
    ["two that are alike", { arrival: [messageReceived(), messageReceived()] }],
    ["an older one", { arrival: [messageReceived()], time: SENT_AT - 61 }],
    ["one that failed", { arrival: [messageReceived()], succeeded: false }],
  ])("%s is not it", async (_, change) => {
    expect(await amountOf({ ...burned, ...change })).toBe(null);
  });

  test.each<[string, readonly Event[]]>([
    ["two burns at once", [messageSent(), messageSent()]],
    ["a burn for another chain", [messageSent({ domains: [6, 0] })]],
    ["a burn of another chain", [messageSent({ domains: [0, 3] })]],
    ["another token's burn", [messageSent({ token: ATTACKER })]],
    ["another contract's message", [messageSent({ address: ATTACKER })]],
  ])("%s in the source witness nothing", async (_, source) => {
    expect((await witnessed({ ...burned, source, arrival: [messageReceived()] })).proof).toBe(null);
  });
});

test.each(["across", "relay", "unknown"])("of %s nothing is witnessed here", async (tool) => {
  const source = [oftSent(), started("stargateV2")];
  expect((await witnessed({ tool, source, arrival: [oftReceived()] })).proof).toBe(null);
});

test("a chain that cannot be read witnesses nothing", async () => {
  const transfer = { txHash: SOURCE, fromChainId: FROM, toChainId: TO, tool: "stargateV2" };
  const status = delivered(ARRIVED);
  expect(await addBridgeProof(scopeOf([]), { deployments, transfer, status })).toEqual(status);
});
