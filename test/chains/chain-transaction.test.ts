import type { Hex } from "viem";
import { describe, expect, test } from "vitest";
import type { ChainClient } from "../../src/chains/chain-client.ts";
import { transactionLink } from "../../src/chains/chain-definitions.ts";
import { fetchTransaction } from "../../src/chains/chain-transaction.ts";
import { completeClient } from "../support/chains/complete-client.ts";
import { testChain } from "../support/chains/rpc-node.ts";

const HASH: Hex = `0x${"ab".repeat(32)}`;
const TOKEN = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
const USER = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
const transaction = {
  hash: HASH,
  from: USER.toLowerCase(),
  to: TOKEN.toLowerCase(),
  input: "0x1234",
  value: "0x5",
  gas: "0x5208",
  nonce: "0x1",
};
const receipt = {
  transactionHash: HASH,
  blockNumber: "0x64",
  status: "0x1",
  gasUsed: "0x5000",
  logs: [{ address: TOKEN.toLowerCase(), topics: [HASH], data: "0x01", logIndex: "0x7", removed: false }],
};

/** A client whose node answers the three questions so. */
function clientSaying(answers: { transaction?: unknown; receipt?: unknown; head?: unknown }): ChainClient {
  const { head = "0x64" } = answers;
  const said: Record<string, unknown> = {
    eth_getTransactionByHash: answers.transaction,
    eth_getTransactionReceipt: answers.receipt,
    eth_blockNumber: head,
  };
  const request = async (method: string): Promise<unknown> => said[method];
  return completeClient({ definition: testChain, observe: () => undefined, request });
}
const see = (answers: Parameters<typeof clientSaying>[0]) => fetchTransaction(clientSaying(answers), HASH);

describe("fetchTransaction()", () => {
  test("returns transaction, receipt and confirmations, addresses checksummed", async () => {
    expect(await see({ transaction, receipt, head: "0x66" })).toEqual({
      transaction: { hash: HASH, from: USER, to: TOKEN, input: "0x1234", value: 5n, gas: 21_000n },
      receipt: {
        blockNumber: 100n,
        succeeded: true,
        gasUsed: 0x5000n,
        logs: [
          {
            address: TOKEN,
            topics: [HASH],
            data: "0x01",
            logIndex: 7,
            blockNumber: 100n,
            transactionHash: HASH,
            blockHash: null,
            transactionIndex: null,
            removed: false,
          },
        ],
      },
      confirmations: 3,
    });
  });

  test.each([
    ["0x64", 1],
    ["0x65", 2],
    ["0x63", 0],
    ["0x0", 0],
  ])("counts for block 100 and head %s %i confirmations", async (head, confirmations) => {
    expect((await see({ transaction, receipt, head })).confirmations).toBe(confirmations);
  });

  test("returns no receipt for a pending transaction", async () => {
    const seen = await see({ transaction, receipt: null });
    expect([seen.transaction?.hash, seen.receipt, seen.confirmations]).toEqual([HASH, null, 0]);
  });

  test.each([null, undefined])("returns nulls for an unknown transaction (%s)", async (none) => {
    expect(await see({ transaction: none, receipt: none })).toEqual({
      transaction: null,
      receipt: null,
      confirmations: 0,
    });
  });

  test("returns failed transactions and contract creations", async () => {
    const seen = await see({
      transaction: { ...transaction, to: null },
      receipt: { ...receipt, status: "0x0" },
    });
    expect([seen.transaction?.to, seen.receipt?.succeeded]).toEqual([null, false]);
    const { to: _none, ...creating } = transaction;
    expect((await see({ transaction: creating, receipt })).transaction?.to).toBe(null);
  });

  test("asks again for a transaction of which only the receipt was known", async () => {
    const answers = [null, transaction];
    const client = clientSaying({ receipt });
    const request: ChainClient["request"] = async (method, params) =>
      method === "eth_getTransactionByHash" ? answers.shift() : client.request(method, params);
    const seen = await fetchTransaction({ ...client, request }, HASH);
    expect([seen.transaction?.from, seen.receipt?.blockNumber, answers]).toEqual([USER, 100n, []]);
  });

  test.each<[string, Parameters<typeof clientSaying>[0]]>([
    ["a receipt whose transaction no node knows", { transaction: null, receipt }],
    ["a transaction without sender", { transaction: { ...transaction, from: undefined }, receipt }],
    ["a transaction with half an address", { transaction: { ...transaction, to: "0x1234" }, receipt }],
    ["a value in decimals", { transaction: { ...transaction, value: 5 }, receipt }],
    ["a receipt without status", { transaction, receipt: { ...receipt, status: undefined } }],
    ["a receipt without logs", { transaction, receipt: { ...receipt, logs: null } }],
    [
      "a log without data",
      { transaction, receipt: { ...receipt, logs: [{ ...receipt.logs[0], data: null }] } },
    ],
    ["a head that is none", { transaction, receipt, head: null }],
    ["a text", { transaction: "yes", receipt }],
  ])("refuses %s", async (_what, answers) => {
    await expect(see(answers)).rejects.toThrow();
  });
});

test("transactionLink() links to the chain's explorer, null without one", () => {
  expect(transactionLink(testChain, HASH)).toBe(`https://explorer.example/tx/${HASH}`);
  expect(transactionLink({ ...testChain, explorer: "" }, HASH)).toBe(null);
});
