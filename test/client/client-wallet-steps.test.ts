import { createClient, custom } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { describe, expect, test } from "vitest";
import { sendBatch } from "../../src/client/client-wallet-batches.ts";
import {
  receiptOf,
  sendStep,
  type TransactionStep,
  type WalletSource,
  walletOn,
} from "../../src/client/client-wallet-steps.ts";
import { scriptedWallet } from "../support/client/scripted-wallet.ts";

const account = privateKeyToAccount(`0x${"11".repeat(32)}`);
const steps = [
  {
    stepId: "source.deposit",
    chainId: 1,
    transactionRequest: { to: account.address, data: "0x", value: 0n, chainId: 1 },
  },
] as unknown as readonly TransactionStep[];

/** A wallet on a chain, and the parameters of the transactions and batches that it was asked to send. */
function walletAt(chainId: string) {
  const sent: unknown[] = [];
  const request = async ({ method, params }: { method: string; params?: unknown }) => {
    if (method === "eth_chainId") return chainId;
    if (method === "eth_accounts") return [account.address];
    sent.push((params as unknown[])[0]);
    throw Object.assign(new Error("no answer"), { code: -32_603 });
  };
  return { wallet: createClient({ transport: custom({ request }) }), sent };
}

describe("a wallet that another chain was selected in, after the switch", () => {
  test("is asked for no transaction and no batch of the first chain", async () => {
    const { wallet, sent } = walletAt("0xa");
    const [step] = steps;
    if (step === undefined) throw new Error("a step was expected");
    const refused = { code: "chain_unavailable" };
    await expect(sendStep(wallet, { step, user: account.address })).rejects.toMatchObject(refused);
    const batch = { steps, user: account.address, name: "order", keep: () => undefined };
    await expect(sendBatch(wallet, batch)).rejects.toMatchObject(refused);
    expect(sent).toEqual([]);
  });

  test("that stayed is asked once for each, and learns the chain of a batch", async () => {
    const { wallet, sent } = walletAt("0x1");
    const [step] = steps;
    if (step === undefined) throw new Error("a step was expected");
    await expect(sendStep(wallet, { step, user: account.address })).rejects.toMatchObject({
      code: "outcome_unknown",
    });
    const batch = { steps, user: account.address, name: "order", keep: () => undefined };
    await expect(sendBatch(wallet, batch)).rejects.toMatchObject({ code: "outcome_unknown" });
    expect(sent).toEqual([
      expect.objectContaining({ to: account.address }),
      expect.objectContaining({ chainId: "0x1", atomicRequired: true }),
    ]);
  });
});

test("walletOn() says that the wallet is missing where a program passes none", async () => {
  await expect(walletOn(undefined as unknown as WalletSource, 1)).rejects.toMatchObject({
    ...{ code: "invalid_input", message: expect.stringMatching(/^`wallet` must be a viem client/) },
  });
});

describe("sendStep()", () => {
  const [step] = steps as readonly [TransactionStep];
  const send = (failure: object) => {
    const { wallet } = scriptedWallet({
      eth_sendTransaction: () => {
        throw Object.assign(new Error("failed"), failure);
      },
    });
    return sendStep(wallet, { step, user: account.address });
  };

  test.each([
    [{ code: 4001 }, "user_rejected"],
    [{ code: 4100 }, "wrong_account"],
    [{ code: 4200 }, "wallet_failed"],
    [{ code: -32_603, message: "insufficient funds for gas * price + value" }, "wallet_failed"],
    [{ code: -32_603, message: "execution reverted: paused" }, "wallet_failed"],
  ])("with %o, nothing was sent: %s", async (failure, code) => {
    await expect(send(failure)).rejects.toMatchObject({ name: "CausewayError", code });
  });

  test.each([-32_000, -32_602, -32_601, -32_004])("with %i, the wallet is not asked again", async (code) => {
    const failing = () => {
      throw Object.assign(new Error("failed"), { code });
    };
    const { wallet, asked } = scriptedWallet({
      eth_sendTransaction: failing,
      wallet_sendTransaction: () => `0x${"ab".repeat(32)}`,
    });
    const expected = { code: code === -32_000 ? "outcome_unknown" : "wallet_failed" };
    await expect(sendStep(wallet, { step, user: account.address })).rejects.toMatchObject(expected);
    expect(asked).not.toContain("wallet_sendTransaction");
  });

  test.each([
    [{ code: -32_000 }],
    [{ code: -32_603 }],
    [{ code: -32_603, message: "already known" }],
    [{ code: -32_603, message: "nonce too low" }],
    [{ code: 4900 }],
    [{ message: "the request timed out" }],
  ])("with %o, it is not known whether it was sent", async (failure) => {
    await expect(send(failure)).rejects.toMatchObject({ code: "outcome_unknown" });
  });
});

describe("receiptOf() of a transaction that the user replaced in the wallet", () => {
  const [sent, other] = [`0x${"ab".repeat(32)}`, `0x${"cd".repeat(32)}`] as const;
  const order = {
    from: account.address,
    to: `0x${"33".repeat(20)}`,
    value: "0x0",
    input: "0x12",
    nonce: "0x7",
  };
  const block = { blockHash: sent, blockNumber: "0x10" };
  const receipt = { ...order, ...block, transactionHash: other, status: "0x1", logs: [], type: "0x2" };

  const wait = (change: object, status = "0x1") => {
    const { wallet } = scriptedWallet({
      eth_blockNumber: () => "0x10",
      eth_getTransactionReceipt: ([hash]) => (hash === other ? { ...receipt, status } : null),
      eth_getTransactionByHash: () => ({ ...order, hash: sent, blockNumber: null }),
      eth_getBlockByNumber: () => ({
        number: "0x10",
        transactions: [{ ...order, ...block, ...change, hash: other }],
      }),
    });
    return receiptOf(wallet, { hash: sent, sentBefore: false, user: account.address, to: order.to });
  };

  test("by the same with a higher fee: it goes on with the new hash", async () => {
    expect(await wait({ maxFeePerGas: "0xff" })).toBe(other);
  });

  test("by the same, which reverted", async () => {
    await expect(wait({}, "0x0")).rejects.toMatchObject({ code: "transaction_reverted" });
  });

  test("by a payment of nothing to themselves: it was cancelled", async () => {
    const cancelled = wait({ to: account.address, input: "0x" });
    await expect(cancelled).rejects.toMatchObject({ code: "transaction_cancelled" });
  });

  test.each([
    ["other calldata", { input: "0x34" }],
    ["another recipient", { to: `0x${"44".repeat(20)}` }],
    ["another value", { value: "0x1" }],
  ])("by one with %s: the step was not performed", async (_name, change) => {
    await expect(wait(change)).rejects.toMatchObject({ code: "transaction_replaced" });
  });
});
