import { expect, test } from "vitest";
import type { Receipt, Transaction } from "../../../src/chains/chain-transaction.ts";
import { maySettle } from "../../../src/tracking/deposits/deposit-request-settlement.ts";
import { OTHER, USDC, USER, VAULT } from "../../support/deposits/fixtures.ts";

const transaction: Transaction = {
  hash: `0x${"11".repeat(32)}`,
  from: USER,
  to: VAULT,
  input: "0x",
  value: 0n,
  gas: 500_000n,
};
const receipt: Receipt = { blockNumber: 100n, succeeded: true, gasUsed: 1n, logs: [] };
const request = { user: USER.toLowerCase(), block: 100n, contracts: [VAULT.toLowerCase()] };

test.each<[string, boolean, Partial<Transaction>, Partial<Receipt>]>([
  ["a claim of the user's from the vault", true, {}, {}],
  ["a settlement by the vault's operator, wherever it was sent to", true, { from: OTHER, to: USDC }, {}],
  ["a purchase of the user's elsewhere", false, { to: OTHER }, {}],
  ["a contract that the user created", false, { to: null }, {}],
  ["what came before the request", false, {}, { blockNumber: 99n }],
  ["what came before it by another", false, { from: OTHER }, { blockNumber: 99n }],
  ["what reverted", false, {}, { succeeded: false }],
])("maySettle() for %s: %s", (_what, ends, sent, mined) => {
  const seen = { transaction: { ...transaction, ...sent }, receipt: { ...receipt, ...mined } };
  expect(maySettle(seen, request)).toBe(ends);
});
