import { expect, test } from "vitest";
import type { Transaction } from "../../../src/chains/chain-transaction.ts";
import { mayRefund } from "../../../src/tracking/deposits/deposit-request-settlement.ts";
import { OTHER, USDC, USER, VAULT } from "../../support/deposits/fixtures.ts";

const transaction: Transaction = {
  hash: `0x${"11".repeat(32)}`,
  from: USER,
  to: VAULT,
  input: "0x",
  value: 0n,
  gas: 500_000n,
};
const request = { user: USER.toLowerCase(), contracts: [VAULT.toLowerCase()] };

test.each<[string, boolean, Partial<Transaction>]>([
  ["a call of the vault by the user", true, {}],
  ["a payment by the vault's operator, wherever it was sent to", true, { from: OTHER, to: USDC }],
  ["a sale of the user's elsewhere", false, { to: OTHER }],
  ["a contract that the user created", false, { to: null }],
])("mayRefund() for %s: %s", (_what, refunds, sent) => {
  expect(mayRefund({ ...transaction, ...sent }, request)).toBe(refunds);
});
