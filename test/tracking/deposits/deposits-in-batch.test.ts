import { expect, test } from "vitest";
import { ownRequestIn } from "../../../src/tracking/deposits/deposits-in-batch.ts";
import { OTHER, row, USDC, USER, WETH } from "../../support/deposits/fixtures.ts";
import { receiptOf, transferLog } from "../../support/deposits/logs.ts";

/** Requests of one account in one batch: one that pays in another token than the asset, and two in the asset. */
const [elsewhere, higher, lower] = [
  { requestId: "1", assets: null },
  { requestId: "2", assets: 60n },
  { requestId: "3", assets: 40n },
];

test.each([
  ["the asset, before a fee", USDC, "61", "2"],
  ["less of the asset, before a fee", USDC, "41", "3"],
  ["more of another token", WETH, "61", "1"],
])("ownRequestIn() returns the request of a deposit that pays %s", (_what, token, fromAmount, requestId) => {
  const of = { found: [elsewhere, lower, higher], asset: USDC, receipt: receiptOf(), others: [] };
  expect(ownRequestIn({ ...row, fromToken: token.toLowerCase(), fromAmount }, of)?.requestId).toBe(requestId);
});

test("ownRequestIn() returns the request of a deposit whose fee is a payment of its own", () => {
  const pay = (value: bigint) => transferLog({ token: USDC, from: USER, to: OTHER, value });
  const of = { found: [higher], asset: USDC, others: [] };
  const deposit = { ...row, fromToken: USDC.toLowerCase(), fromAmount: "61" };
  expect(ownRequestIn(deposit, { ...of, receipt: receiptOf(pay(60n), pay(1n)) })).toEqual(higher);
  expect(ownRequestIn(deposit, { ...of, receipt: receiptOf(pay(60n), pay(61n)) })).toBeNull();
});

test("ownRequestIn() returns no request for more than the deposit pays", () => {
  const of = { found: [higher, lower], asset: USDC, receipt: receiptOf(), others: [] };
  expect(ownRequestIn({ ...row, fromAmount: "39" }, of)).toBeNull();
});
