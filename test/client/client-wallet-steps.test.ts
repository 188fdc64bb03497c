import { createClient, custom } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { sendBatch, sendStep, type TransactionStep } from "../../src/client/client-wallet-steps.ts";

const account = privateKeyToAccount(`0x${"11".repeat(32)}`);
const MINUTE_MS = 60_000;
const steps = [
  {
    stepId: "source.deposit",
    chainId: 1,
    transactionRequest: { to: account.address, data: "0x", value: 0n },
  },
] as unknown as readonly TransactionStep[];

/** Sends a batch to a wallet whose batches never end, or whose status cannot be read. */
function sendTo(status: () => unknown) {
  const answers: Readonly<Record<string, () => unknown>> = {
    eth_chainId: () => "0x1",
    wallet_sendCalls: () => ({ id: "0x01" }),
    wallet_getCallsStatus: status,
  };
  const request = async ({ method }: { method: string }) => answers[method]?.();
  const wallet = createClient({ account, transport: custom({ request }, { retryCount: 0 }) });
  return sendBatch(wallet, { steps, user: account.address });
}

/** A wallet on a chain, and the parameters of the transactions and batches that it was asked to send. */
function walletAt(chainId: string) {
  const sent: unknown[] = [];
  const request = async ({ method, params }: { method: string; params?: unknown }) => {
    if (method === "eth_chainId") return chainId;
    if (method === "eth_accounts") return [account.address];
    sent.push((params as unknown[])[0]);
    throw Object.assign(new Error("internal"), { code: -32_603 });
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
    await expect(sendBatch(wallet, { steps, user: account.address })).rejects.toMatchObject(refused);
    expect(sent).toEqual([]);
  });

  test("that stayed is asked once for each, and learns the chain of a batch", async () => {
    const { wallet, sent } = walletAt("0x1");
    const [step] = steps;
    if (step === undefined) throw new Error("a step was expected");
    await expect(sendStep(wallet, { step, user: account.address })).rejects.toMatchObject({
      code: "wallet_failed",
    });
    expect(await sendBatch(wallet, { steps, user: account.address })).toBeNull();
    expect(sent).toEqual([
      expect.objectContaining({ to: account.address }),
      expect.objectContaining({ chainId: "0x1", atomicRequired: true }),
    ]);
  });
});

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("sendBatch()", () => {
  test("throws wallet_failed when the wallet reports no end of the batch for ten minutes", async () => {
    const running = { version: "2.0.0", id: "0x01", chainId: "0x1", status: 100, atomic: true, receipts: [] };
    const sent = expect(sendTo(() => running)).rejects.toMatchObject({
      name: "CausewayError",
      code: "wallet_failed",
      message: expect.stringContaining("Timed out"),
    });
    await vi.advanceTimersByTimeAsync(10 * MINUTE_MS);
    await sent;
  });

  test("throws wallet_failed when the status of the batch cannot be read", async () => {
    const failing = () => {
      throw Object.assign(new Error("disconnected"), { code: 4900 });
    };
    const sent = expect(sendTo(failing)).rejects.toMatchObject({
      name: "CausewayError",
      code: "wallet_failed",
    });
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    await sent;
  });
});
