import type { Hex } from "viem";
import { describe, expect, test } from "vitest";
import type { DepositRow } from "../../../src/db/queries/deposit-queries.ts";
import { claimOwnership } from "../../../src/tracking/deposits/deposit-request-siblings.ts";
import { OTHER, row } from "../../support/deposits/fixtures.ts";
import { receiptOf, transferLog } from "../../support/deposits/logs.ts";

const CLAIM: Hex = `0x${"33".repeat(32)}`;
/** A claim in block 100 that sent the account shares once, or so many times. */
const receipt = (times = 1) => receiptOf(...Array.from({ length: times }, () => transferLog()));
const own: DepositRow = { ...row, state: "requested", depositTxHash: `0x${"11".repeat(32)}`, requestId: "7" };
const another = (change: Partial<DepositRow> = {}): DepositRow => ({
  ...{ ...own, trackingId: `trk_${"2".repeat(32)}`, depositTxHash: `0x${"22".repeat(32)}` },
  ...change,
});

/** How the claim stands to an own request when the other one was made in this block; null: no node has its receipt. */
function share(other: DepositRow, { block = 99n as bigint | null, times = 1 } = {}) {
  const asked = block === null ? null : { ...receipt(), blockNumber: block };
  const look = async () => ({ transaction: null, receipt: asked, confirmations: 9 });
  return claimOwnership({ row: own, others: [other], receipt: receipt(times), hash: CLAIM }, look);
}

describe("claimOwnership()", () => {
  test("returns own without another request under the same request id", async () => {
    expect(await share(another({ requestId: "8" }))).toBe("own");
    expect(await share(another({ state: "failed" }))).toBe("own");
    expect(await share(another({ depositTxHash: null }))).toBe("own");
  });

  test("returns shared for every request made up to the claim's block", async () => {
    expect(await share(another())).toBe("shared");
    expect(await share(another({ state: "claimable" }))).toBe("shared");
    expect(await share(another(), { block: 100n })).toBe("shared");
    expect(await share(another(), { block: 101n })).toBe("own");
    // The other request is proven, and nothing shows that it came later.
    expect(await share(another(), { block: null })).toBe("shared");
  });

  test("returns own for a request that the claim's own transaction made: it is claimed later", async () => {
    expect(await share(another({ depositTxHash: CLAIM }), { block: 100n })).toBe("own");
    expect(await share(another({ depositTxHash: CLAIM }), { block: 100n, times: 2 })).toBe("own");
  });

  test("returns shared with a request that the same claim completed", async () => {
    const completed = { state: "completed", shares: "1" } as const;
    expect(await share(another({ ...completed, claimTxHash: CLAIM }))).toBe("shared");
    expect(await share(another({ ...completed, claimTxHash: own.depositTxHash }))).toBe("own");
  });

  test("returns another's for a claim that completed a different request id", async () => {
    const done = { state: "completed", claimTxHash: CLAIM, requestId: "8" } as const;
    expect(await share(another(done))).toBe("another's");
    expect(await share(another(done), { times: 2 })).toBe("shared");
  });

  test("returns shared when several share transfers arrive", async () => {
    expect(await share(another({ requestId: "8" }), { times: 2 })).toBe("shared");
    const toOther = receiptOf(transferLog(), transferLog({ to: OTHER }));
    const look = async () => ({
      transaction: null,
      receipt: { ...toOther, blockNumber: 99n },
      confirmations: 9,
    });
    const of = { row: own, others: [another({ requestId: "8" })], receipt: toOther, hash: CLAIM };
    expect(await claimOwnership(of, look)).toBe("own");
  });
});
