import { hexToString } from "viem";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { batchOutcome, sendBatch } from "../../src/client/client-wallet-batches.ts";
import type { TransactionStep } from "../../src/client/client-wallet-steps.ts";
import { account, HASH } from "../support/client/fake-order.ts";
import { scriptedWallet } from "../support/client/scripted-wallet.ts";

const MINUTE_MS = 60_000;
const steps = [
  {
    stepId: "source.deposit",
    chainId: 1,
    transactionRequest: { to: account.address, data: "0x", value: 0n, chainId: 1 },
  },
] as unknown as readonly TransactionStep[];
const failure = (code?: number) => Object.assign(new Error("failed"), code === undefined ? {} : { code });
const statusOf = (status: number, receipts: object[] = []) => ({
  ...{ version: "2.0.0", id: "0x01", chainId: "0x1", status, atomic: true, receipts },
});

/** Asks a wallet to send a batch. `sendCalls` and `status` are its answers. */
function send(sendCalls: (id: string) => unknown, status: (id: string) => unknown = () => statusOf(100)) {
  const kept: string[] = [];
  const { wallet, asked } = scriptedWallet({
    wallet_sendCalls: ([batch]) => sendCalls((batch as { id: string }).id),
    wallet_getCallsStatus: ([id]) => status(String(id)),
  });
  const keep = (id: string) => void kept.push(id);
  return { asked, kept, sent: sendBatch(wallet, { steps, user: account.address, name: "trk_1", keep }) };
}

describe("sendBatch()", () => {
  test("keeps the id of the batch before the wallet is asked, and returns the wallet's", async () => {
    const { sent, kept } = send((id) => {
      expect(kept).toEqual([id]);
      return { id: "0x99" };
    });
    expect(await sent).toBe("0x99");
    expect(kept.map((id) => hexToString(id as `0x${string}`))).toEqual(["trk_1 1"]);
  });

  test.each([4200, -32_601, -32_602, -32_600, -32_004, 5700, 5710, 5740, 5750, 5760])(
    "returns null for the error %i, which proves that nothing was sent",
    async (code) => {
      const { sent } = send(() => {
        throw failure(code);
      });
      expect(await sent).toBeNull();
    },
  );

  test.each([[-32_603], [-32_000], [-32_002], [4900], [4901], [undefined], [12_345]])(
    "throws outcome_unknown for the error %s, after which the batch may be sent",
    async (code) => {
      const { sent, asked } = send(() => {
        throw failure(code);
      });
      await expect(sent).rejects.toMatchObject({ code: "outcome_unknown" });
      expect(asked.filter((method) => method === "wallet_sendCalls")).toHaveLength(1);
    },
  );

  test.each([
    [4001, "user_rejected"],
    [4100, "wrong_account"],
  ])("throws for the error %i", async (thrown, code) => {
    const { sent } = send(() => {
      throw failure(thrown);
    });
    await expect(sent).rejects.toMatchObject({ code });
  });

  test("returns the id of the same batch that the wallet has already (5720)", async () => {
    const { sent, kept } = send(() => {
      throw failure(5720);
    });
    expect(await sent).toBe(kept[0]);
  });

  test("sends with another id when the wallet has a batch that failed", async () => {
    const failed = new Set<string>();
    const { sent, kept } = send(
      (id) => {
        if (failed.size === 2) return { id };
        failed.add(id);
        throw failure(5720);
      },
      (id) => statusOf(failed.size === 1 && failed.has(id) ? 400 : 500),
    );
    expect(await sent).toBe(kept[2]);
    expect(new Set(kept).size).toBe(3);
  });
});

describe("batchOutcome()", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** Waits for a batch, and lets `ms` milliseconds pass. */
  const outcome = async (status: () => unknown, ms = MINUTE_MS) => {
    const { wallet } = scriptedWallet({ wallet_getCallsStatus: status });
    const settled = batchOutcome(wallet, "0x01").then(
      (hash) => ({ hash }),
      ({ name, code }: { name: string; code: string }) => ({ name, code }),
    );
    await vi.advanceTimersByTimeAsync(ms);
    return settled;
  };
  const receipt = { transactionHash: HASH, blockNumber: "0x1", gasUsed: "0x1", status: "0x1", logs: [] };
  const thrown = (code: string) => ({ name: "CausewayError", code });

  test("is the hash of the last receipt", async () => {
    expect(await outcome(() => statusOf(200, [receipt]))).toEqual({ hash: HASH });
  });

  test("is null for an executed batch without receipts", async () => {
    expect(await outcome(() => statusOf(200))).toEqual({ hash: null });
  });

  test.each([
    [400, "wallet_failed"],
    [500, "transaction_reverted"],
    [600, "outcome_unknown"],
    [300, "outcome_unknown"],
  ])("of the status %i is the error %s", async (status, code) => {
    expect(await outcome(() => statusOf(status))).toEqual(thrown(code));
  });

  test("is unknown when the batch does not end within ten minutes", async () => {
    expect(await outcome(() => statusOf(100), 10 * MINUTE_MS)).toEqual(thrown("outcome_unknown"));
  });

  test.each([[5730], [4900], [4001], [undefined]])(
    "is unknown when the wallet fails with %s",
    async (code) => {
      const failing = () => {
        throw failure(code);
      };
      expect(await outcome(failing)).toEqual(thrown("outcome_unknown"));
    },
  );
});
