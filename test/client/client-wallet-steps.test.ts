import { createClient, custom } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { sendBatch, type TransactionStep } from "../../src/client/client-wallet-steps.ts";

const account = privateKeyToAccount(`0x${"11".repeat(32)}`);
const MINUTE_MS = 60_000;
const steps = [
  { stepId: "source.deposit", transactionRequest: { to: account.address, data: "0x", value: 0n } },
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
