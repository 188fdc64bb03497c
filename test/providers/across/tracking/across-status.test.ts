import { type Hex, pad, toHex } from "viem";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { ChainClient } from "../../../../src/chains/client.ts";
import { wordToAddress } from "../../../../src/providers/across/deposit-calldata.ts";
import { trackAcrossTransfer } from "../../../../src/providers/across/tracking/across-status.ts";
import { relayHash } from "../../../../src/providers/across/tracking/spoke-pool.ts";
import { type Api, type Reply, startApi } from "../../../support/across/emulator.ts";
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

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());
beforeEach(() => {
  api.requests.length = 0;
});

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
])("with the API %s, the chains tell that", (_, reply) => {
  beforeEach(() => api.replyWith(reply));

  test.each<[string, ChainClient[], string]>([
    ["nobody knows the transaction", [source({ seen: false, events: null })], "unknown - - -"],
    ["it waits", [source({ events: null })], "source_pending WAIT_SOURCE_CONFIRMATIONS - -"],
    ["it reverted", [source({ reverted: true })], "failed UNKNOWN_ERROR - -"],
    ["it is no transfer", [source({ events: [] })], "unknown - - -"],
    ["it is on its way", [source(), destination()], MOVING],
    ["a slow fill was asked for", [source(), destination({ state: 1 })], MOVING],
    ["the deadline is over", [source(), destination({ late: 1 })], "refunding REFUND_IN_PROGRESS - -"],
    ["the last second is not over", [source(), destination({ late: 0 })], MOVING],
    ["it arrived", [source(), destination({ state: 2 })], "delivered COMPLETED f 99900000"],
    [
      "it arrived, and the call failed",
      [source(), destination({ state: 2, events: [filledRelay(), callsFailed(), drained()] })],
      "delivered PARTIAL f 99900000",
    ],
    ["it arrived somewhere", [source(), destination({ state: 2, found: [] })], "delivered - - -"],
    [
      "it arrived, whatever a made-up fill says",
      [source(), destination({ state: 2, events: [filledRelay({ outputAmount: 1n })] })],
      "delivered - - -",
    ],
    ["it left, where only the source can be read", [source()], MOVING],
    ["it left, where the SpokePool answers nonsense", [source(), destination({ state: 7 })], MOVING],
  ])("%s", async (_name, chains, expected) => {
    expect(await line(chains)).toBe(expected);
  });
});

describe("with the API's word", () => {
  test("the delivery is read from the receipt it names", async () => {
    api.replyWith(says("filled", { fillTx: FILL, actionsSucceeded: true }));
    const there = destination({ events: [filledRelay(), callsFailed(), drained()] });
    expect(await line([source(), there])).toBe("delivered PARTIAL f 99900000");
    expect(there.asked.map(([method]) => method)).not.toContain("eth_getLogs");
  });

  test.each<[string, Reply]>([
    ["a transaction that is not there", says("filled", { fillTx: hash("9") })],
    ["no transaction", says("filled", {})],
    ["another transfer's fill", says("filled", { fillTx: FILL })],
  ])("%s does not deliver what the SpokePool holds unfilled", async (_, reply) => {
    api.replyWith(reply);
    const there = destination({ events: [filledRelay({ depositId: 1n })] });
    expect(await line([source(), there])).toBe(MOVING);
  });

  test("a delivery it has not seen yet is found", async () => {
    api.replyWith(says("pending"));
    expect(await line([source(), destination({ state: 2 })])).toBe("delivered COMPLETED f 99900000");
  });

  test.each<[string, Reply]>([
    ["another source chain", says("refunded", { originChainId: 10 })],
    ["another destination", says("refunded", { destinationChainId: 10 })],
  ])("of %s is not believed", async (_, reply) => {
    api.replyWith(reply);
    expect(await line([source(), destination()])).toBe(MOVING);
  });

  test("the refund's transaction is passed on", async () => {
    api.replyWith(says("refunded", { depositRefundTxHash: hash("d") }));
    expect(await follow([source(), destination({ late: 1 })])).toMatchObject({
      phase: "refunded",
      substatus: "REFUNDED",
      refundTxHash: hash("d"),
    });
  });

  test("stands alone where no chain can be read", async () => {
    api.replyWith(says("filled", { fillTxnRef: FILL, actionsSucceeded: false }));
    expect(await line([])).toBe("delivered PARTIAL f -");
  });
});

describe("the bridge's contracts witness", () => {
  const delivery = {
    amount: deposited.outputAmount,
    logs: { first: 0, last: Number.POSITIVE_INFINITY },
    matchedBy: "id",
  };
  const taken = { token: wordToAddress(deposited.inputToken), amount: deposited.inputAmount, by: SPOKE_1 };

  test.each<[string, Reply, ChainClient[], unknown]>([
    ["nothing where the source cannot be read", says("filled", { fillTx: FILL }), [], null],
    ["nothing of a transaction that is no transfer", silent, [source({ events: [] })], null],
    ["what was taken", silent, [source(), destination()], { delivery: null, taken }],
    ["a delivery, said or not", silent, [source(), destination({ state: 2 })], { delivery, taken }],
    [
      "no delivery in a transaction that the API made up",
      says("filled", { fillTx: hash("9") }),
      [source(), destination({ state: 2, found: [] })],
      { delivery: null, taken },
    ],
    [
      "no delivery where the destination cannot be read",
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
])("fails only where neither the API nor the source chain answers", async (reply, code) => {
  api.replyWith(reply);
  expect((await failureOf(follow([]))).code).toBe(code);
  api.replyWith(silent);
  expect((await follow([])).phase).toBe("unknown");
});

test("asks the SpokePool of the destination for this transfer's hash", async () => {
  api.replyWith(silent);
  const there = destination();
  await follow([source(), there]);
  const asked = there.asked.find(([method]) => method === "eth_call")?.[1][0] as { to: Hex; data: Hex };
  expect(asked.to).toBe(SPOKE_42161);
  expect(asked.data.slice(10)).toBe(relayHash(deposited).slice(2));
});
