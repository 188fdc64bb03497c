import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startTestDeployment, type TestDeployment } from "../../../scripts/stack/test-deployment.ts";
import {
  isDeliveryOfAnother,
  isRefundOfAnother,
  selectOtherRequests,
} from "../../../src/db/queries/deposit-evidence-queries.ts";
import { deposits } from "../../../src/db/tables/deposit-tables.ts";
import { row } from "../../support/deposits/fixtures.ts";

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
