import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startTestDeployment, type TestDeployment } from "../../../scripts/stack/test-deployment.ts";
import {
  isDeliveryOfAnother,
  isRefundOfAnother,
  selectOtherRequests,
  selectRefundedTogether,
} from "../../../src/db/queries/deposit-evidence-queries.ts";
import { deposits } from "../../../src/db/tables/deposit-tables.ts";
import { OTHER, row, USDC } from "../../support/deposits/fixtures.ts";
import { withdrawalRow } from "../../support/withdrawals/withdrawal-row.ts";

let causeway: TestDeployment;
beforeAll(async () => {
  causeway = await startTestDeployment();
});
afterAll(() => causeway?.close());
beforeEach(async () => {
  await causeway.db.delete(deposits);
});

/** A proven request of the user, made this many seconds after the first. */
const requestOf = (number: number, state: "requested" | "completed") => {
  const id = number.toString(16).padStart(4, "0");
  return {
    ...row,
    ...{ trackingId: `trk_${id.repeat(8)}`, ref: `0x${id.repeat(16)}`, state, depositProven: true },
    ...{ depositTxHash: `0xd${number}`, claimTxHash: state === "completed" ? `0xc${number}` : null },
    createdAt: new Date(row.createdAt.getTime() + number * 1_000),
  };
};

test("selectOtherRequests() lists open requests before those that were claimed, however many", async () => {
  const claimed = Array.from({ length: 55 }, (_, number) => requestOf(number + 1, "completed"));
  const open = [requestOf(80, "requested"), requestOf(81, "requested")];
  await causeway.db.insert(deposits).values([...claimed, ...open]);
  const found = await selectOtherRequests(causeway.context().db, row);
  const ids = found.map(({ trackingId }) => trackingId);
  expect(ids).toHaveLength(50);
  expect(ids.slice(0, 3)).toEqual([open[0], open[1], claimed.at(-1)].map((one) => one?.trackingId));
});

test("selectOtherRequests() lists what is not first in its transaction, and nothing that was taken over", async () => {
  const first = requestOf(1, "completed");
  const source = { sourceTxHash: first.depositTxHash, sourceProven: true };
  const unfirst = { depositTxHash: first.depositTxHash, depositProven: false };
  const later = { ...requestOf(2, "completed"), ...unfirst, ...source };
  const bridged = { ...requestOf(6, "completed"), depositTxHash: null, depositProven: false };
  const open = { ...requestOf(3, "requested"), depositTxHash: first.depositTxHash, depositProven: false };
  const parent = { ...requestOf(4, "completed"), depositTxHash: first.depositTxHash, depositProven: false };
  await causeway.db.insert(deposits).values([
    ...[first, later, open, { ...parent, provider: "across" }],
    // Nothing was asked of its vault: the bridge paid it back.
    { ...bridged, provider: "across", state: "refunded", refundTxHash: "0xe" },
    { ...requestOf(5, "completed"), ...source, parentTrackingId: parent.trackingId },
  ]);
  const found = await selectOtherRequests(causeway.context().db, row);
  const ids = found.map(({ trackingId }) => trackingId);
  expect(ids).toEqual([open, requestOf(5, "completed"), later, first].map(({ trackingId }) => trackingId));
});

test.each([
  ["the same transaction", "0x5", false],
  ["another transaction", "0x6", true],
])(
  "a delivery or refund of an equal deposit with %s is that of another: %s",
  async (_name, sourceTxHash, another) => {
    const sent = { ...row, state: "bridging", sourceProven: true, sourceTxHash: "0x5" } as const;
    const equal = {
      ...requestOf(1, "completed"),
      claimTxHash: null,
      depositProven: false,
      depositTxHash: null,
    };
    const ended = { sourceProven: true, sourceTxHash, refundTxHash: "0x7", destinationTxHash: "0x8" };
    await causeway.db.insert(deposits).values([sent, { ...equal, ...ended, state: "refunded" }]);
    const { db } = causeway.context();
    expect(await isRefundOfAnother(db, { row: sent, hash: "0x7" })).toBe(another);
    expect(await isDeliveryOfAnother(db, { row: sent, hash: "0x8" })).toBe(another);
  },
);

describe("selectRefundedTogether()", () => {
  const named = (letter: string) => ({
    trackingId: `trk_${letter.repeat(32)}`,
    ref: `0x${letter.repeat(64)}`,
  });
  const sent = { state: "bridging", sourceProven: true, toChainId: 10, minAssets: "70" } as const;
  const ordered = { ...withdrawalRow, ...named("b"), ...sent, sourceTxHash: "0x6" };
  const stepped = {
    ...{ ...ordered, ...named("c"), sourceTxHash: "0x7", depositTxHash: "0x8" },
    ...{ twoStep: true, depositProven: true, assets: "80" },
  };
  const among = async (rows: readonly (typeof deposits.$inferInsert)[], tokens = [USDC]) => {
    await causeway.db.insert(deposits).values([...rows]);
    return selectRefundedTogether(causeway.context().db, {
      row: { ...row, ...named("a"), sourceTxHash: "0x5" },
      ...{ hash: "0x9", tokens },
    });
  };

  test("finds withdrawals by what they sent into a bridge: a Router order its minimum, a second step what it was built for", async () => {
    const moving = [
      ordered,
      stepped,
      { ...row, ...named("d"), fromAmount: "90", state: "bridging" as const },
    ];
    const amounts = (await among(moving)).map(({ amount }) => amount);
    expect(amounts.sort()).toEqual([70n, 90n, null]);
  });

  test("finds a withdrawal that the payment refunded, an unknown amount, and none that sent another token", async () => {
    const found = await among([
      { ...ordered, state: "refunded", refundTxHash: "0x9" },
      { ...stepped, exitToken: OTHER.toLowerCase() },
      { ...stepped, ...named("d"), depositTxHash: "0xa", assets: null },
    ]);
    expect(found.map(({ amount, refunded }) => [amount, refunded])).toEqual([
      [70n, true],
      [null, false],
    ]);
  });
});
