import { type Hex, zeroAddress } from "viem";
import { expect, test } from "vitest";
import type { WithdrawalRow } from "../../../src/db/queries/deposit-queries.ts";
import { secondExitTransitions } from "../../../src/tracking/withdrawals/track-withdrawal-transfer.ts";
import { contractsClient } from "../../support/chains/multicall.ts";
import { testContext } from "../../support/context.ts";
import { USER } from "../../support/deposits/fixtures.ts";
import { withdrawalRow } from "../../support/withdrawals/withdrawal-row.ts";
import { fixedDatabase } from "../../support/withdrawals/withdrawing.ts";

const SOURCE: Hex = `0x${"11".repeat(32)}`;
/** A withdrawal that the vault has paid in native currency, which has no transfer event by which to search. */
const row: WithdrawalRow = {
  ...withdrawalRow,
  ...{ state: "awaiting_transfer", sourceTxHash: SOURCE, sourceProven: true, twoStep: true },
  exitToken: zeroAddress,
};
const built = { target: USER, dataHash: SOURCE, amount: "1", least: "1", provider: "lifi" };

test("secondExitTransitions() throws while no node has the receipt of the proven payment", async () => {
  const ctx = testContext({
    db: fixedDatabase(() => [built]),
    clients: [contractsClient(() => ({ ok: false, data: "0x" }))],
  });
  const readTransaction = async () => ({ transaction: null, receipt: null, confirmations: 0 });
  await expect(secondExitTransitions(ctx, { row, readTransaction, hints: [] })).rejects.toMatchObject({
    code: "upstream_unavailable",
  });
});
