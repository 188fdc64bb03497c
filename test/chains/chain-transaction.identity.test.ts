import type { Hex } from "viem";
import { expect, test } from "vitest";
import { fetchTransaction } from "../../src/chains/chain-transaction.ts";
import { completeClient } from "../support/chains/complete-client.ts";
import { clientOn, startHonestNode, testChain } from "../support/chains/rpc-node.ts";

const HASH: Hex = `0x${"ab".repeat(32)}`;
const OTHER: Hex = `0x${"cd".repeat(32)}`;
const ADDRESS = "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed";
const transaction = (hash: Hex) => ({
  hash,
  from: ADDRESS,
  to: ADDRESS,
  input: "0x",
  value: "0x0",
  gas: "0x1",
});
const receipt = (transactionHash: Hex) => ({
  transactionHash,
  blockNumber: "0x1",
  status: "0x1",
  gasUsed: "0x1",
  logs: [],
});

test.each([
  ["receipt", transaction(HASH), receipt(OTHER)],
  ["transaction", transaction(OTHER), receipt(HASH)],
])("fetchTransaction() refuses another transaction's %s", async (_what, tx, rcpt) => {
  const said: Record<string, unknown> = {
    eth_getTransactionByHash: tx,
    eth_getTransactionReceipt: rcpt,
    eth_blockNumber: "0x5",
  };
  const client = completeClient({
    definition: testChain,
    observe: () => undefined,
    request: async (method: string) => said[method],
  });
  await expect(fetchTransaction(client, HASH)).rejects.toThrow();
});

test.each([
  ["another transaction", transaction(OTHER), receipt(HASH)],
  ["another receipt", transaction(HASH), receipt(OTHER)],
  ["half a receipt", transaction(HASH), { ...receipt(HASH), status: null }],
  ["a text", "yes", receipt(HASH)],
])("fetchTransaction() asks the next node if one returns %s", async (_what, tx, rcpt) => {
  const nodeWith = (byHash: unknown, of: unknown) =>
    startHonestNode(({ method }) => {
      if (method === "eth_blockNumber") return { result: "0x5" };
      return { result: method === "eth_getTransactionByHash" ? byHash : of };
    });
  const nodes = [await nodeWith(tx, rcpt), await nodeWith(transaction(HASH), receipt(HASH))];
  const seen = await fetchTransaction(clientOn(nodes).client, HASH);
  expect([seen.transaction?.hash, seen.receipt?.succeeded, seen.confirmations]).toEqual([HASH, true, 5]);
});
