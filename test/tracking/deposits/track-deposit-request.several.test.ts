import type { Hex } from "viem";
import { expect, test } from "vitest";
import type { DepositRow } from "../../../src/db/queries/deposit-queries.ts";
import { requestTransitions } from "../../../src/tracking/deposits/track-deposit-request.ts";
import { testContext } from "../../support/context.ts";
import { OTHER, row, USDC, vault } from "../../support/deposits/fixtures.ts";
import { depositRequestLog, receiptOf, transferLog } from "../../support/deposits/logs.ts";
import { clientOf, home } from "../../support/withdrawals/fixtures.ts";
import { fixedDatabase, storedOf } from "../../support/withdrawals/withdrawing.ts";

/** Deposit requests of one account at one vault in one batch: each deposit has the one for its amount. */
const HASH: Hex = `0x${"11".repeat(32)}`;
const stored = storedOf({ ...vault, adapter: "lagoon", caller: "user" });
const paid = transferLog({ token: USDC, value: 1n });
const receipt = receiptOf(
  ...[paid, depositRequestLog({ requestId: 1n, assets: 60n })],
  ...[paid, depositRequestLog({ requestId: 2n, assets: 40n })],
);

const receivedBy = async (change: Partial<DepositRow>, seen = receipt) => {
  const ctx = testContext({ db: fixedDatabase(() => [stored]), clients: [clientOf(home)] });
  const of = { row: { ...row, ...change }, hash: HASH, receipt: seen, confirmed: true };
  return (await requestTransitions(ctx, of)).map(({ change: { receivedAmount } }) => receivedAmount);
};

test.each<[string, Partial<DepositRow>, string]>([
  ["the first amount", { fromAmount: "60" }, "60"],
  ["the second amount", { fromAmount: "40" }, "40"],
  ["what a bridge delivered", { provider: "across", fromAmount: "60", deliveredAmount: "40" }, "40"],
  ["the guaranteed minimum", { provider: "across", deliveredAmount: "41", moveMin: "40" }, "40"],
  ["an amount that none is for, which a fee may have lowered", { fromAmount: "61" }, "60"],
])("a deposit of %s", async (_what, change, received) => {
  expect(await receivedBy(change)).toEqual([received]);
});

test("a deposit in a bundle with any number of others' requests", async () => {
  const others = Array.from({ length: 200 }, () =>
    depositRequestLog({ requestId: 1n, assets: 60n, controller: OTHER }),
  );
  const bundle = receiptOf(...others, paid, depositRequestLog({ requestId: 2n, assets: 60n }));
  expect(await receivedBy({ fromAmount: "60" }, bundle)).toEqual(["60"]);
});
