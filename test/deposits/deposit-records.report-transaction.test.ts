import type { Hex } from "viem";
import { describe, expect, test } from "vitest";
import type { DepositRow } from "../../src/db/queries/deposit-queries.ts";
import { type DepositStep, reportTransaction } from "../../src/deposits/deposit-records.ts";
import { depositStates } from "../../src/schemas/deposit-schema.ts";
import { testContext } from "../support/context.ts";
import { NOW, row, TRACKING_ID } from "../support/deposits/fixtures.ts";
import { oneRow } from "../support/deposits/one-row.ts";

const HASH: Hex = `0x${"11".repeat(32)}`;
const ELSE: Hex = `0x${"22".repeat(32)}`;

/** Reports a hash for a step of a deposit like this; gives what was written. */
async function report(step: DepositStep, like: Partial<DepositRow>) {
  const { db, changes } = oneRow({ ...row, ...like });
  const ctx = testContext({ db, nowMs: NOW });
  await reportTransaction(ctx, { trackingId: TRACKING_ID, txHash: HASH, step });
  return changes;
}
const soon = { nextCheckAt: new Date(NOW + 5_000), checks: 0 };

describe("reportTransaction()", () => {
  test("stores a source hash as unproven", async () => {
    const like = { state: "failed", sourceTxHash: ELSE, sourceProven: true, checks: 9 } as const;
    expect(await report("source", like)).toEqual([{ sourceTxHash: HASH, sourceProven: false, ...soon }]);
  });

  test("keeps the source proven when a later step is reported", async () => {
    const proven = { sourceTxHash: ELSE, sourceProven: true };
    const like = { state: "awaiting_deposit", twoStep: true, ...proven } as const;
    expect(await report("deposit", like)).toEqual([{ depositTxHash: HASH, ...soon }]);
    expect(await report("deposit", { state: "partial" })).toEqual([{ depositTxHash: HASH, ...soon }]);
    expect(await report("claim", { state: "claimable" })).toEqual([{ claimTxHash: HASH, ...soon }]);
  });

  test("changes nothing for a known hash in any state", async () => {
    for (const state of depositStates)
      expect(await report("source", { state, sourceTxHash: HASH })).toEqual([]);
  });
});

describe("reportTransaction() refusals", () => {
  const settled: readonly [DepositStep, string, Partial<DepositRow>][] = [
    ...(["source", "deposit", "claim"] as const).flatMap((step) =>
      (["completed", "refunded"] as const).map((state): [DepositStep, string, Partial<DepositRow>] => [
        step,
        `is ${state}`,
        { state },
      ]),
    ),
    [
      "source",
      "is proven to travel under another",
      { state: "bridging", sourceProven: true, sourceTxHash: ELSE },
    ],
    [
      "deposit",
      "was made by another",
      { state: "requested", twoStep: true, depositProven: true, depositTxHash: ELSE },
    ],
    ["deposit", "has its shares", { state: "partial", shares: "1" }],
    ["deposit", "is one transaction", { state: "built" }],
    ["deposit", "the bridge makes", { state: "bridging", provider: "across", destinationCall: true }],
    ["claim", "needs none", { state: "partial" }],
  ];

  test.each(settled)("refuses a %s for a deposit that %s", async (step, _what, like) => {
    await expect(report(step, like)).rejects.toMatchObject({ code: "deposit_state" });
  });
});
