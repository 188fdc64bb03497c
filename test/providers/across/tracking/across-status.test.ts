import { type Hex, pad, toHex } from "viem";
import { beforeEach, describe, expect, test } from "vitest";
import type { ChainClient } from "../../../../src/chains/chain-client.ts";
import { wordToAddress } from "../../../../src/providers/across/across-calldata.ts";
import { relayHash } from "../../../../src/providers/across/tracking/across-deposit-tracking.ts";
import { trackAcrossTransfer } from "../../../../src/providers/across/tracking/across-status.ts";
import { type Reply, serveApi } from "../../../support/across/emulator.ts";
import {
  callsFailed,
  deposited,
  drained,
  filledRelay,
  fundsDeposited,
  receiptOf,
  wireReceipt,
  wireTransaction,
} from "../../../support/across/logs.ts";
import {
  deployments,
  failureOf,
  fakeChain,
  hash,
  SPOKE_1,
  SPOKE_42161,
  scopeOf,
} from "../../../support/across/stage.ts";
import { wireBlock, wireLog } from "../../../support/chains/wire.ts";

const SOURCE = hash("5");
const FILL = hash("f");

const api = serveApi();

const silent: Reply = {
  kind: "json",
  status: 404,
  body: { error: "DepositNotFoundException", message: "no" },
};
const down: Reply = { kind: "json", status: 401, body: {} };
function says(status: string, more: Record<string, unknown> = {}): Reply {
  return { kind: "json", body: { status, originChainId: 1, destinationChainId: 42161, ...more } };
}

type Events = Parameters<typeof receiptOf>[0];
interface Source {
  seen?: boolean;
  events?: Events | null;
  reverted?: boolean;
}
function source({ seen = true, events = [fundsDeposited()], reverted = false }: Source = {}): ChainClient {
  const receipt = events === null ? null : { ...receiptOf(events), succeeded: !reverted };
  return fakeChain(1, {
    eth_getTransactionByHash: () => (seen ? wireTransaction(SOURCE) : null),
    eth_getTransactionReceipt: () => (receipt === null ? null : wireReceipt(receipt, SOURCE)),
    eth_blockNumber: () => "0x5",
  });
}

interface Destination {
  state?: number;
  events?: Events;
  /** Seconds from the fill deadline to the chain's time. */
  late?: number;
  found?: readonly Hex[];
}
function destination({
  state = 0,
  events = [filledRelay()],
  late = -7_000,
  found = [FILL],
}: Destination = {}) {
  const time = deposited.fillDeadline + late;
  return fakeChain(42161, {
    eth_call: () => pad(toHex(state)),
    eth_getBlockByNumber: () => wireBlock(100, time),
    eth_getLogs: ([filter]) => {
      const { address } = filter as { address: readonly string[] };
      const own = events.filter((event) => address.includes(event.address.toLowerCase()));
      return found.flatMap((txHash) =>
        own.map((event, index) => wireLog(event, { block: 99, txHash, index })),
      );
    },
    eth_getTransactionByHash: ([txHash]) => (txHash === FILL ? wireTransaction(FILL) : null),
    eth_getTransactionReceipt: ([txHash]) => (txHash === FILL ? wireReceipt(receiptOf(events)) : null),
    eth_blockNumber: () => "0x64",
  });
}

async function follow(chains: readonly ChainClient[]) {
  const transfer = { txHash: SOURCE, fromChainId: 1, toChainId: 42161, tool: "across" };
  const tracker = { settings: { apiUrl: api.url }, deployments };
  return trackAcrossTransfer(scopeOf(chains), { transfer, tracker });
}
const line = async (chains: readonly ChainClient[]): Promise<string> => {
  const { phase, substatus, destinationTxHash, amountReceived } = await follow(chains);
  return [phase, substatus ?? "-", destinationTxHash?.at(-1) ?? "-", amountReceived ?? "-"].join(" ");
};

const MOVING = "bridging WAIT_DESTINATION_TRANSACTION - -";

describe.each<[string, Reply]>([
  ["silent", silent],
  ["down", down],
])("trackAcrossTransfer() with the API %s, by the chains alone", (_, reply) => {
  beforeEach(() => api.replyWith(reply));

  test.each<[string, ChainClient[], string]>([
    ["an unknown transaction is unknown", [source({ seen: false, events: null })], "unknown - - -"],
    [
      "a pending transaction is source_pending",
      [source({ events: null })],
      "source_pending WAIT_SOURCE_CONFIRMATIONS - -",
    ],
    ["a reverted transaction is failed", [source({ reverted: true })], "failed UNKNOWN_ERROR - -"],
    ["a transaction without deposit is unknown", [source({ events: [] })], "unknown - - -"],
    ["an unfilled deposit is bridging", [source(), destination()], MOVING],
    ["a requested slow fill is bridging", [source(), destination({ state: 1 })], MOVING],
    [
      "an unfilled deposit after the fill deadline is refunding",
      [source(), destination({ late: 1 })],
      "refunding REFUND_IN_PROGRESS - -",
    ],
    ["an unfilled deposit at the fill deadline is bridging", [source(), destination({ late: 0 })], MOVING],
    [
      "a filled deposit is delivered",
      [source(), destination({ state: 2 })],
      "delivered COMPLETED f 99900000",
    ],
    [
      "a fill with a failed destination call is PARTIAL",
      [source(), destination({ state: 2, events: [filledRelay(), callsFailed(), drained()] })],
      "delivered PARTIAL f 99900000",
    ],
    [
      "a fill that is not found is delivered without transaction",
      [source(), destination({ state: 2, found: [] })],
      "delivered - - -",
    ],
    [
      "a forged fill is ignored",
      [source(), destination({ state: 2, events: [filledRelay({ outputAmount: 1n })] })],
      "delivered - - -",
    ],
    ["a deposit is bridging when the destination cannot be read", [source()], MOVING],
    [
      "a deposit is bridging when the SpokePool returns an unknown status",
      [source(), destination({ state: 7 })],
      MOVING,
    ],
  ])("%s", async (_name, chains, expected) => {
    expect(await line(chains)).toBe(expected);
  });
});

describe("trackAcrossTransfer() with the API's status", () => {
  test("reads the delivery from the receipt that the API names", async () => {
    api.replyWith(says("filled", { fillTx: FILL, actionsSucceeded: true }));
    const there = destination({ events: [filledRelay(), callsFailed(), drained()] });
    expect(await line([source(), there])).toBe("delivered PARTIAL f 99900000");
    expect(there.asked.map(([method]) => method)).not.toContain("eth_getLogs");
  });

  test.each<[string, Reply]>([
    ["an unknown fill transaction", says("filled", { fillTx: hash("9") })],
    ["no transaction", says("filled", {})],
    ["the fill of another transfer", says("filled", { fillTx: FILL })],
  ])("does not report %s as delivered while the SpokePool's fill status is unfilled", async (_, reply) => {
    api.replyWith(reply);
    const there = destination({ events: [filledRelay({ depositId: 1n })] });
    expect(await line([source(), there])).toBe(MOVING);
  });

  test("finds a delivery that the API does not know yet", async () => {
    api.replyWith(says("pending"));
    expect(await line([source(), destination({ state: 2 })])).toBe("delivered COMPLETED f 99900000");
  });

  test.each<[string, Reply]>([
    ["another source chain", says("refunded", { originChainId: 10 })],
    ["another destination", says("refunded", { destinationChainId: 10 })],
  ])("ignores a status of %s", async (_, reply) => {
    api.replyWith(reply);
    expect(await line([source(), destination()])).toBe(MOVING);
  });

  test("ignores a status of another transfer in the same transaction", async () => {
    const refund = { depositRefundTxHash: hash("d") };
    const late = [source(), destination({ late: 1 })];
    api.replyWith(says("refunded", { ...refund, depositId: "76" }));
    expect(await follow(late)).toMatchObject({ phase: "refunding", refundTxHash: null });
    api.replyWith(says("refunded", { ...refund, depositId: "77" }));
    expect(await follow(late)).toMatchObject({ phase: "refunded", refundTxHash: hash("d") });
  });

  test("asks by its own number if the API describes another transfer of the transaction", async () => {
    const other = says("pending", { depositId: "76" });
    api.replyWith(other, says("refunded", { depositRefundTxHash: hash("d"), depositId: "77" }));
    const late = [source(), destination({ late: 1 })];
    expect(await follow(late)).toMatchObject({ phase: "refunded", refundTxHash: hash("d") });
    const byNumber = { originChainId: "1", depositId: "77" };
    expect(api.requests.map(({ query }) => query)).toEqual([{ depositTxnRef: SOURCE }, byNumber]);
    api.replyWith(other, down);
    expect(await follow(late)).toMatchObject({ phase: "refunding", refundTxHash: null });
  });

  test("returns the refund transaction", async () => {
    api.replyWith(says("refunded", { depositRefundTxHash: hash("d") }));
    expect(await follow([source(), destination({ late: 1 })])).toMatchObject({
      phase: "refunded",
      substatus: "REFUNDED",
      refundTxHash: hash("d"),
    });
  });

  test("uses the API alone when no chain can be read", async () => {
    api.replyWith(says("filled", { fillTxnRef: FILL, actionsSucceeded: false }));
    expect(await line([])).toBe("delivered PARTIAL f -");
  });
});

describe("the bridge proof of trackAcrossTransfer()", () => {
  const delivery = {
    amount: deposited.outputAmount,
    logs: { first: 0, last: Number.POSITIVE_INFINITY },
    matchedBy: "id",
  };
  const { inputToken, inputAmount: amount, fillDeadline: deadline } = deposited;
  const taken = { token: wordToAddress(inputToken), amount, by: SPOKE_1, deadline, refundable: false };

  test.each<[string, Reply, ChainClient[], unknown]>([
    ["is null when the source chain cannot be read", says("filled", { fillTx: FILL }), [], null],
    ["is null for a transaction without deposit", silent, [source({ events: [] })], null],
    [
      "contains the amount taken on the source chain",
      silent,
      [source(), destination()],
      { delivery: null, taken },
    ],
    [
      "allows a refund only after the deadline",
      silent,
      [source(), destination({ late: 1 })],
      { delivery: null, taken: { ...taken, refundable: true } },
    ],
    [
      "contains the delivery even when the API is silent",
      silent,
      [source(), destination({ state: 2 })],
      { delivery, taken },
    ],
    [
      "has no delivery for a fill transaction that the API invented",
      says("filled", { fillTx: hash("9") }),
      [source(), destination({ state: 2, found: [] })],
      { delivery: null, taken },
    ],
    [
      "has no delivery when the destination chain cannot be read",
      says("filled", { fillTx: FILL }),
      [source()],
      { delivery: null, taken },
    ],
  ])("%s", async (_, reply, chains, proof) => {
    api.replyWith(reply);
    expect((await follow(chains)).proof).toEqual(proof);
  });
});

test.each<[Reply, string]>([
  [down, "upstream_unavailable"],
  [{ kind: "json", status: 429, body: {} }, "rate_limited"],
])("trackAcrossTransfer() throws only when both the API and the source chain fail", async (reply, code) => {
  api.replyWith(reply);
  expect((await failureOf(follow([]))).code).toBe(code);
  api.replyWith(silent);
  expect((await follow([])).phase).toBe("unknown");
});

test("trackAcrossTransfer() reads the destination SpokePool's fill status by relay hash", async () => {
  api.replyWith(silent);
  const there = destination();
  await follow([source(), there]);
  const asked = there.asked.find(([method]) => method === "eth_call")?.[1][0] as { to: Hex; data: Hex };
  expect(asked.to).toBe(SPOKE_42161);
  expect(asked.data.slice(10)).toBe(relayHash(deposited).slice(2));
});
