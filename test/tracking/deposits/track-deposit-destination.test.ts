import type { Log } from "viem";
import { expect, test } from "vitest";
import type { Transaction } from "../../../src/chains/chain-transaction.ts";
import { callsVault } from "../../../src/tracking/deposits/track-deposit-destination.ts";
import { OTHER, row, USDC, USER, VAULT } from "../../support/deposits/fixtures.ts";
import { executedLog, receiptOf, transferLog } from "../../support/deposits/logs.ts";

const AMOUNT = 99_000_000n;
const awaiting = {
  ...row,
  moveToken: USDC.toLowerCase(),
  deliveredAmount: String(AMOUNT),
  moveMin: "98000000",
};
const batch: Transaction = {
  hash: `0x${"11".repeat(32)}`,
  from: OTHER,
  to: USER,
  input: "0x",
  value: 0n,
  gas: 500_000n,
};
const paid = transferLog({ token: USDC, from: USER, to: VAULT, value: AMOUNT });
const minted = transferLog();

const calls = (logs: readonly Log[], transaction: Partial<Transaction> = {}, requested = false) =>
  callsVault(awaiting, {
    ...{ entryPoint: VAULT, requested },
    transaction: { ...batch, ...transaction },
    receipt: receiptOf(...logs),
  });

test("callsVault() accepts the user's own transaction to the vault", () => {
  expect(calls([paid], { from: USER, to: VAULT })).toBe(true);
  expect(calls([paid], { from: USER, to: OTHER })).toBe(false);
  expect(calls([paid], { from: OTHER, to: VAULT })).toBe(false);
});

test("callsVault() rejects the user's own deposit of another amount", () => {
  const other = transferLog({ token: USDC, from: USER, to: VAULT, value: AMOUNT + 1n });
  expect(calls([other, minted], { from: USER, to: VAULT })).toBe(false);
  expect(calls([minted], { from: USER, to: VAULT })).toBe(false);
});

test("callsVault() accepts a smart account's batch from any sender", () => {
  expect(calls([paid, minted])).toBe(true);
  const least = transferLog({ token: USDC, from: USER, to: VAULT, value: 98_000_000n });
  expect(calls([least, minted])).toBe(true);
});

test("callsVault() accepts a batch with an async request", () => {
  expect(calls([paid, transferLog({ token: VAULT, to: OTHER })])).toBe(true);
  // Lagoon sends the shares of an earlier request from its own balance.
  const claimed = transferLog({ from: VAULT });
  expect(calls([paid, claimed], {}, true)).toBe(true);
  expect(calls([paid, claimed], {}, false)).toBe(false);
  expect(calls([claimed], {}, true)).toBe(false);
});

test.each<[string, Log[]]>([
  ["in which nothing was paid", [minted]],
  [
    "that paid another amount",
    [transferLog({ token: USDC, from: USER, to: VAULT, value: AMOUNT + 1n }), minted],
  ],
  ["that somebody else paid", [transferLog({ token: USDC, from: OTHER, to: VAULT, value: AMOUNT }), minted]],
  [
    "that paid in another token",
    [transferLog({ token: OTHER, from: USER, to: VAULT, value: AMOUNT }), minted],
  ],
  ["in which the vault told of nothing", [paid]],
  ["that bought its shares", [paid, transferLog({ from: OTHER })]],
  ["that brought shares twice", [paid, minted, minted]],
  ["that made a deposit through the Router", [paid, minted, executedLog()]],
])("callsVault() rejects a batch %s", (_what, logs) => {
  expect(calls(logs)).toBe(false);
});
