import { type Hex, keccak256 } from "viem";
import { expect, test } from "vitest";
import type { Transaction } from "../../src/chains/transaction.ts";
import { isHandedOut } from "../../src/deposits/observe-source.ts";
import { depositRouterAddress } from "../../src/router/address.ts";
import { OTHER, row, USER } from "./fixtures.ts";

const input: Hex = "0x12345678";
const handedOut = { ...row, sourceDataHash: keccak256(input) };
const sent: Transaction = {
  hash: `0x${"11".repeat(32)}`,
  from: USER,
  to: depositRouterAddress,
  input,
  value: 0n,
  gas: 500_000n,
};

test("the transaction that was handed out carries the deposit", () => {
  expect(isHandedOut(handedOut, sent)).toBe(true);
});

test.each<[string, Partial<Transaction>]>([
  ["by somebody else", { from: OTHER }],
  ["to another contract", { to: OTHER }],
  ["that creates a contract", { to: null }],
  ["with other calldata", { input: "0x12345679" }],
  ["with more calldata", { input: "0x1234567800" }],
])("a transaction %s does not", (_what, change) => {
  expect(isHandedOut(handedOut, { ...sent, ...change })).toBe(false);
});
