import { type Hex, keccak256 } from "viem";
import { describe, expect, test } from "vitest";
import type { TransactionOnChain } from "../../../src/chains/chain-transaction.ts";
import type { Database } from "../../../src/db/database-client.ts";
import type { DepositRow } from "../../../src/db/queries/deposit-queries.ts";
import { isProvenBy, matchDeposit } from "../../../src/deposits/status/find-deposit-of-transaction.ts";
import { depositRouterAddress } from "../../../src/router/router-address.ts";
import { testContext } from "../../support/context.ts";
import { OTHER, row, USER } from "../../support/deposits/fixtures.ts";
import { receiptOf } from "../../support/deposits/logs.ts";

const HASH: Hex = `0x${"11".repeat(32)}`;
const ELSE: Hex = `0x${"22".repeat(32)}`;
const input: Hex = "0x12345678";
const chainId = row.fromChainId;
const seen: TransactionOnChain = {
  transaction: { hash: HASH, from: USER, to: depositRouterAddress, input, value: 0n, gas: 500_000n },
  receipt: null,
  confirmations: 0,
};
const handedOut: DepositRow = { ...row, trackingId: "handed out", sourceDataHash: keccak256(input) };
const reported: DepositRow = { ...handedOut, trackingId: "reported", sourceTxHash: HASH };
const claimed: DepositRow = { ...row, trackingId: "claimed", depositTxHash: HASH };
const proven: DepositRow = { ...row, trackingId: "proven", destinationTxHash: HASH };
const unrelated: DepositRow = { ...row, trackingId: "unrelated" };

/** What is found among these rows, whatever the database would have picked. */
async function found(rows: readonly DepositRow[], as = seen) {
  const db: Database = { run: async <T>() => rows as T };
  const tracked = await matchDeposit(testContext({ db }), { hash: HASH, chainId, seen: as });
  return tracked && [tracked.row.trackingId, tracked.kind];
}

describe("matchDeposit()", () => {
  test("returns the deposit with the strongest match", async () => {
    const rising = [unrelated, claimed, handedOut, reported, proven];
    const bonds = [null, "claimed", "matched", "reported", "proven"];
    for (const [index, bond] of bonds.entries()) {
      const rows = rising.slice(0, index + 1);
      const expected = bond === null ? null : [rising[index]?.trackingId, bond];
      expect(await found(rows)).toEqual(expected);
      expect(await found(rows.toReversed())).toEqual(expected);
    }
  });

  test("does not match a deposit whose source is proven already", async () => {
    expect(await found([{ ...handedOut, sourceProven: true, sourceTxHash: ELSE }])).toBe(null);
  });

  test("returns a replay when a second transaction repeats the source", async () => {
    const routed = { ...handedOut, provider: "across", sourceProven: true, sourceTxHash: ELSE };
    const left = { ...seen, receipt: receiptOf() };
    expect(await found([routed], left)).toEqual(["handed out", "replayed"]);
    expect(await found([routed, claimed], left)).toEqual(["claimed", "claimed"]);
    expect(await found([{ ...routed, provider: null }], left)).toBe(null);
    expect(await found([{ ...routed, fromChainId: chainId + 1 }], left)).toBe(null);
    expect(await found([routed], { ...left, receipt: { ...receiptOf(), succeeded: false } })).toBe(null);
    expect(await found([{ ...routed, userAddress: OTHER.toLowerCase() }], left)).toBe(null);
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
