import { type Hex, keccak256 } from "viem";
import { expect, test } from "vitest";
import type { WithdrawalRow } from "../../../src/db/queries/deposit-queries.ts";
import type { BuiltTransfer } from "../../../src/db/queries/withdrawal-queries.ts";
import { restateFromChains } from "../../../src/tracking/deposits/deposit-evidence.ts";
import { findBuiltTransfer } from "../../../src/tracking/withdrawals/track-withdrawal-transfer.ts";
import { testContext } from "../../support/context.ts";
import { OTHER, USER } from "../../support/deposits/fixtures.ts";
import { receiptOf } from "../../support/deposits/logs.ts";
import { away, clientOf, home } from "../../support/withdrawals/fixtures.ts";
import { withdrawalRow } from "../../support/withdrawals/withdrawal-row.ts";
import { fixedDatabase } from "../../support/withdrawals/withdrawing.ts";

/** A second step that takes a part of a payment for several requests, of which the row's own part is unknown. */
const [SENT, INPUT]: readonly [Hex, Hex] = [`0x${"22".repeat(32)}`, "0x1234"];
const row: WithdrawalRow = {
  ...{ ...withdrawalRow, state: "awaiting_transfer", twoStep: true, assets: null },
  moveToken: OTHER.toLowerCase(),
};
const part: BuiltTransfer = {
  ...{ trackingId: row.trackingId, dataHash: keccak256(INPUT), target: OTHER.toLowerCase() },
  ...{ provider: "lifi", bridge: null, tool: null, amount: "52", least: "1", builtAt: row.createdAt },
};

test.each([home.chainId, away.chainId])("a part that was sent to chain %i is stored", (toChainId) => {
  const found = findBuiltTransfer(testContext({ clients: [clientOf(home), clientOf(away)] }), {
    ...{ row: { ...row, toChainId }, hash: SENT },
    built: [{ ...part, dataHash: keccak256("0x"), amount: "53" }, part],
    seen: {
      transaction: { hash: SENT, from: USER, to: OTHER, input: INPUT, value: 0n, gas: 1n },
      receipt: receiptOf(),
      confirmations: 1_000,
    },
  });
  expect(found?.transition.change).toMatchObject({ depositTxHash: SENT, sentAssets: "52" });
});

test("a part whose transaction is in no block any more is forgotten", async () => {
  const db = fixedDatabase(() => []);
  const proven = { sourceTxHash: SENT, sourceProven: true, depositTxHash: SENT, depositProven: true };
  await restateFromChains(testContext({ db, clients: [clientOf(home)] }), {
    row: { ...row, ...proven, state: "completed", sentAssets: "52" },
    known: [],
    readTransaction: async () => ({ transaction: null, receipt: null, confirmations: 0 }),
  });
  expect(db.written.at(-1)).toMatchObject({ depositTxHash: null, sentAssets: null });
});
