import { createWalletClient, custom } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { type FakeReply, fakeApi, type ReceivedRequest } from "./fake-api.ts";

export const account = privateKeyToAccount(`0x${"11".repeat(32)}`);
export const HASH = `0x${"ab".repeat(32)}`;
export const TRACKING = `trk_${"1".repeat(32)}`;

export type StepState = "required" | "waiting" | "done" | "skipped";
/** Returns a step in the API's format. */
export const step = (stepId: string, state: StepState, change: object = {}) => ({
  step_id: stepId,
  kind: "transaction",
  purpose: stepId.split(".")[1],
  title: stepId,
  chain_id: 1,
  token: null,
  amount: "5",
  spender: null,
  state,
  tx_hash: null,
  transaction_request: { to: account.address, data: "0x12", value: "0", chain_id: 1, gas_limit: "50000" },
  typed_data: null,
  ...change,
});
/** Returns an order with steps in the API's format. */
export const order = (steps: object[], state = "built") => ({
  tracking_id: TRACKING,
  state,
  user_address: account.address,
  steps,
  poll_after_ms: 1,
  updated_at: `${state}`,
});

/** Creates a wallet with fixed responses. Its receipts have the given status. */
export function fakeWallet(status: "0x1" | "0x0" = "0x1") {
  const asked: string[] = [];
  const answers: Record<string, unknown> = {
    eth_chainId: "0x1",
    eth_sendTransaction: HASH,
    eth_blockNumber: "0x10",
    eth_signTypedData_v4: `0x${"cd".repeat(65)}`,
    eth_getTransactionByHash: null,
    eth_getTransactionReceipt: {
      transactionHash: HASH,
      blockHash: HASH,
      blockNumber: "0x10",
      status,
      logs: [],
      from: account.address,
      to: account.address,
      type: "0x0",
      gasUsed: "0x1",
      cumulativeGasUsed: "0x1",
      effectiveGasPrice: "0x1",
      transactionIndex: "0x0",
      logsBloom: "0x",
      contractAddress: null,
    },
  };
  const request = async ({ method }: { method: string }) => {
    asked.push(method);
    if (method in answers) return answers[method];
    throw Object.assign(new Error(`no ${method}`), { code: 4200 });
  };
  const wallet = createWalletClient({
    account: account.address,
    transport: custom({ request }),
    pollingInterval: 5,
  });
  return { wallet, asked, sent: () => asked.filter((method) => method === "eth_sendTransaction").length };
}

/**
 * Returns an API that responds to each request for the order with the next item of a list, and to every other request
 * with `other`.
 */
export function readings(
  list: FakeReply[],
  other: (request: ReceivedRequest) => FakeReply = () => ({ body: {} }),
) {
  const queue = [...list];
  return fakeApi((request) => {
    if (request.method !== "GET") return other(request);
    return (queue.length > 1 ? queue.shift() : queue[0]) ?? { body: {} };
  });
}
