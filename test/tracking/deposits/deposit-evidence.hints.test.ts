import { expect, test } from "vitest";
import type { DepositRow } from "../../../src/db/queries/deposit-queries.ts";
import { hintsOf } from "../../../src/tracking/deposits/deposit-evidence.ts";
import { NOW, row } from "../../support/deposits/fixtures.ts";

const refundTxHash = `0x${"5".repeat(64)}`;
const hinted = (of: Partial<DepositRow>) =>
  hintsOf({ ...row, sourceTxHash: null, depositTxHash: null, refundTxHash, ...of }, new Date(NOW)).map(
    ({ chainId, txHash }) => [chainId, txHash],
  );
const at = new Date(NOW).toISOString();

test("hintsOf() contains a vault's refund of a rejected request", () => {
  expect(hinted({ vaultChainId: 10, fromChainId: 1, history: [{ state: "requested", at }] })).toEqual([
    [10, refundTxHash],
  ]);
});

test("hintsOf() leaves out a bridge's refund", () => {
  expect(hinted({ vaultChainId: 10, fromChainId: 1, history: [{ state: "bridging", at }] })).toEqual([]);
});
