import { type Hex, keccak256 } from "viem";
import { describe, expect, test } from "vitest";
import type { TransactionOnChain } from "../../src/chains/chain-transaction.ts";
import type { Context } from "../../src/context.ts";
import type { Database } from "../../src/db/database-client.ts";
import type { DepositRow } from "../../src/db/queries/deposit-queries.ts";
import { failure } from "../../src/errors.ts";
import type { Provider, ProviderStatus } from "../../src/providers/provider.ts";
import { getReplayStatus } from "../../src/status/status-replayed-deposit.ts";
import type { TransactionReader } from "../../src/tracking/deposits/deposit-transaction-reader.ts";
import { contractsClient } from "../support/chains/multicall.ts";
import { testChain } from "../support/chains/rpc-node.ts";
import { testContext } from "../support/context.ts";
import { row as built, NOW, OTHER, USER } from "../support/deposits/fixtures.ts";
import { executedLog, receiptOf } from "../support/deposits/logs.ts";

const hashOf = (digit: string): Hex => `0x${digit.repeat(64)}`;
const [FIRST, SECOND, DELIVERY, DELIVERY_OF_FIRST] = ["1", "2", "3", "4"].map(hashOf) as [Hex, Hex, Hex, Hex];
const input: Hex = "0x12345678";
const SOURCE_CHAIN = 10;

/** Of a deposit that came to its end by its first transaction. */
const row: DepositRow = {
  ...built,
  ...{ state: "completed", provider: "across", fromChainId: SOURCE_CHAIN, sourceTo: OTHER.toLowerCase() },
  ...{ sourceDataHash: keccak256(input), sourceTxHash: FIRST, sourceProven: true, shares: "1" },
  destinationTxHash: DELIVERY_OF_FIRST,
};
const deep = { confirmations: testChain.confirmations };
const repeated: TransactionOnChain = {
  transaction: { hash: SECOND, from: USER, to: OTHER, input, value: 0n, gas: 500_000n },
  receipt: receiptOf(),
  ...deep,
};

/** Who moves the money says where it was delivered. */
function contextOf(destinationTxHash: Hex): Context {
  const db = { run: async () => [] } as unknown as Database;
  const ctx = testContext({ db, nowMs: NOW, clients: [contractsClient(() => ({ ok: false, data: "0x" }))] });
  const said: ProviderStatus = {
    ...{ phase: "delivered", substatus: null, destinationTxHash, refundTxHash: null },
    ...{ amountReceived: null, explorerLink: null, proof: null, unread: false },
  };
  const provider = { name: "across", status: async () => said } as unknown as Provider;
  const served = new Map(
    [testChain.chainId, SOURCE_CHAIN].map((chainId) => [chainId, { ...testChain, chainId }]),
  );
  return {
    ...ctx,
    chains: { ...ctx.chains, definitions: served },
    providers: { ...ctx.providers, all: async () => [provider] },
  };
}

const delivered: TransactionReader = async () => ({
  transaction: null,
  receipt: receiptOf(executedLog()),
  ...deep,
});
const show = (destinationTxHash: Hex, readTransaction = delivered, seen = repeated) =>
  getReplayStatus(contextOf(destinationTxHash), {
    row,
    found: { hash: SECOND, chainId: SOURCE_CHAIN, seen },
    readTransaction,
  });

describe("getReplayStatus()", () => {
  test("completes a replay by its own delivery and names the deposit that it repeats", async () => {
    expect(await show(DELIVERY)).toMatchObject({
      ...{ status: "DONE", substatus: "COMPLETED" },
      deposit: {
        ...{ tracking_id: row.trackingId, state: "completed", next: null },
        shares: "99900000000000000000",
      },
      sending: { tx_hash: SECOND, amount: row.fromAmount },
      receiving: { tx_hash: DELIVERY, amount: "99900000000000000000" },
    });
  });

  const underWay = { status: "PENDING", substatus: "WAIT_DESTINATION_TRANSACTION", receiving: null };

  test("ignores the original deposit's delivery", async () => {
    expect(await show(DELIVERY_OF_FIRST)).toMatchObject(underWay);
  });

  test("stays PENDING while the destination chain cannot be read", async () => {
    const unreadable: TransactionReader = async () => {
      throw failure("upstream_unavailable", "the node does not answer");
    };
    expect(await show(DELIVERY, unreadable)).toMatchObject(underWay);
  });

  test("waits for the source chain's confirmations", async () => {
    const early = { ...repeated, confirmations: testChain.confirmations - 1 };
    const waits = { status: "PENDING", substatus: "WAIT_SOURCE_CONFIRMATIONS", receiving: null };
    expect(await show(DELIVERY, delivered, early)).toMatchObject(waits);
  });
});
