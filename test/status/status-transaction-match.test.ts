import { type Hex, keccak256 } from "viem";
import { describe, expect, test } from "vitest";
import type { Transaction, TransactionOnChain } from "../../src/chains/chain-transaction.ts";
import type { Database } from "../../src/db/database-client.ts";
import type { DepositRow, WithdrawalRow } from "../../src/db/queries/deposit-queries.ts";
import { depositRouterAddress } from "../../src/router/router-address.ts";
import { isProvenBy, isWithdrawalProvenBy, matchDeposit } from "../../src/status/status-transaction-match.ts";
import { testContext } from "../support/context.ts";
import { OTHER, row, USDC, USER } from "../support/deposits/fixtures.ts";
import { executedLog, receiptOf } from "../support/deposits/logs.ts";
import { withdrawalRow } from "../support/withdrawals/withdrawal-row.ts";

const HASH: Hex = `0x${"11".repeat(32)}`;
const ELSE: Hex = `0x${"22".repeat(32)}`;
const input: Hex = "0x12345678";
const chainId = row.fromChainId;
const sent: Transaction = {
  ...{ hash: HASH, from: USER, to: depositRouterAddress, input, value: 0n, gas: 500_000n },
};
const seen: TransactionOnChain = {
  transaction: sent,
  receipt: null,
  confirmations: 0,
};
const handedOut: DepositRow = { ...row, trackingId: "handed out", sourceDataHash: keccak256(input) };
const reported: DepositRow = { ...handedOut, trackingId: "reported", sourceTxHash: HASH };
const claimed: DepositRow = { ...row, trackingId: "only_reported", depositTxHash: HASH };
const proven: DepositRow = { ...row, trackingId: "proven", destinationTxHash: HASH };
/** Built with the same calldata by somebody else, and named by a reference that anybody can copy. */
const unrelated: DepositRow = {
  ...handedOut,
  trackingId: "unrelated",
  userAddress: OTHER.toLowerCase(),
};
/** Selected because of a report alone. */
const hinted: DepositRow = { ...row, trackingId: "hinted" };

/** What is found among these rows, whatever the database would have picked. */
async function found(rows: readonly DepositRow[], as = seen) {
  const db: Database = { run: async <T>() => rows as T };
  const tracked = await matchDeposit(testContext({ db }), { hash: HASH, chainId, seen: as });
  return tracked && [tracked.row.trackingId, tracked.kind];
}

describe("matchDeposit()", () => {
  test("returns the deposit with the strongest match", async () => {
    const repeated = { ...handedOut, trackingId: "repeated", sourceProven: true, sourceTxHash: ELSE };
    const rising = [unrelated, hinted, repeated, handedOut, reported, proven];
    const bonds = [null, "only_reported", "replayed", "matched", "reported", "proven"];
    for (const [index, bond] of bonds.entries()) {
      const rows = rising.slice(0, index + 1);
      const expected = bond === null ? null : [rising[index]?.trackingId, bond];
      expect(await found(rows)).toEqual(expected);
      expect(await found(rows.toReversed())).toEqual(expected);
    }
  });

  test.each([
    ["a routed deposit", { provider: "across" }],
    ["a direct deposit", { provider: null }],
  ])("returns a replay when a second transaction repeats the source of %s", async (_what, change) => {
    const sent = { ...handedOut, ...change, sourceProven: true, sourceTxHash: ELSE };
    for (const receipt of [null, receiptOf(), { ...receiptOf(), succeeded: false }]) {
      const again = { ...seen, receipt };
      expect(await found([sent], again)).toEqual(["handed out", "replayed"]);
      expect(await found([sent, claimed], again)).toEqual(["handed out", "replayed"]);
      expect(await found([{ ...sent, fromChainId: chainId + 1 }], again)).toBe(null);
      expect(await found([{ ...sent, userAddress: OTHER.toLowerCase() }], again)).toBe(null);
    }
  });

  const receipt = receiptOf(executedLog());
  test("returns a deposit that the Router's event proves, and a replay once it is proven otherwise", async () => {
    const delivered = { ...seen, receipt, transaction: { ...sent, from: OTHER } };
    const bridging = { ...row, state: "bridging", provider: "across", fromChainId: 10 } as const;
    expect(await found([bridging], delivered)).toEqual([row.trackingId, "named"]);
    const done = { ...bridging, state: "completed", shares: "1", destinationTxHash: ELSE } as const;
    expect(await found([done], delivered)).toEqual([row.trackingId, "replayed"]);
  });

  test.each([
    ["for another receiver", { receiver: OTHER }],
    ["with other shares", { tokenOut: USDC }],
    ["with fewer shares than the minimum", { amountOut: 1n }],
  ])("ignores a copied reference in an event %s", async (_what, change) => {
    const copied = {
      ...seen,
      receipt: receiptOf(executedLog(change)),
      transaction: { ...sent, from: OTHER },
    };
    expect(await found([row], copied)).toBe(null);
  });

  test("finds the genuine event among events with the same reference", async () => {
    const logs = [executedLog({ receiver: OTHER }), executedLog(), executedLog({ amountOut: 1n })];
    const mixed = { ...seen, receipt: receiptOf(...logs), transaction: { ...sent, from: OTHER } };
    expect(await found([row], mixed)).toEqual([row.trackingId, "named"]);
  });
});

test.each<[string, Partial<DepositRow>, boolean]>([
  ["delivered", { destinationTxHash: HASH }, true],
  ["paid back", { refundTxHash: HASH }, true],
  ["was reported as its source", { sourceTxHash: HASH }, false],
  ["is its proven source", { sourceTxHash: HASH, sourceProven: true }, true],
  ["was reported as its second step", { depositTxHash: HASH }, false],
  ["is its proven second step", { depositTxHash: HASH, depositProven: true }, true],
  ["sent its shares", { depositTxHash: HASH, shares: "1" }, true],
  [
    "made its request, but was the first for another one",
    { depositTxHash: HASH, history: [{ state: "requested", at: "2026-01-02T03:04:05.678Z" }] },
    true,
  ],
  ["was reported as its claim", { claimTxHash: HASH }, false],
  ["was reported as a claim without a request", { claimTxHash: HASH, shares: "1" }, false],
  [
    "claimed its request",
    { claimTxHash: HASH, shares: "1", history: [{ state: "requested", at: "2026-01-02T03:04:05.678Z" }] },
    true,
  ],
])("isProvenBy() for a transaction that %s", (_what, change, is) => {
  expect(isProvenBy({ ...row, ...change }, HASH)).toBe(is);
});

test.each<[string, Partial<WithdrawalRow>, boolean]>([
  ["was reported as its first transaction", { sourceTxHash: HASH }, false],
  ["is its proven first transaction", { sourceTxHash: HASH, sourceProven: true }, true],
  ["was reported as its second step", { depositTxHash: HASH }, false],
  ["is its proven second step", { depositTxHash: HASH, depositProven: true }, true],
  ["claimed its payment", { claimTxHash: HASH }, true],
  ["delivered it on another chain", { destinationTxHash: HASH }, true],
  ["paid it back or cancelled it", { refundTxHash: HASH }, true],
])("isWithdrawalProvenBy() of a transaction that %s", (_what, change, proves) => {
  expect(isWithdrawalProvenBy({ ...withdrawalRow, ...change }, HASH)).toBe(proves);
  expect(isWithdrawalProvenBy({ ...withdrawalRow, ...change }, ELSE)).toBe(false);
});
