import {
  type Address,
  concatHex,
  encodeAbiParameters,
  encodeEventTopics,
  type Hex,
  keccak256,
  type Log,
  numberToHex,
  zeroAddress,
  zeroHash,
} from "viem";
import {
  entryPoint06Address,
  entryPoint07Abi,
  entryPoint07Address,
  entryPoint08Address,
  entryPoint09Address,
} from "viem/account-abstraction";
import { describe, expect, test } from "vitest";
import type { Transaction, TransactionOnChain } from "../../../src/chains/chain-transaction.ts";
import { depositRouterAddress } from "../../../src/router/router-address.ts";
import { isSourceTransaction, matchesSource } from "../../../src/tracking/deposits/track-deposit-source.ts";
import { OTHER, row, USDC, USER } from "../../support/deposits/fixtures.ts";
import { log, receiptOf, transferLog } from "../../support/deposits/logs.ts";

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

test("matchesSource() accepts the built source transaction", () => {
  expect(isSourceTransaction(handedOut, sent)).toBe(true);
});

test.each<[string, Partial<Transaction>]>([
  ["by somebody else", { from: OTHER }],
  ["to another contract", { to: OTHER }],
  ["that creates a contract", { to: null }],
  ["with other calldata", { input: "0x12345679" }],
  ["with more calldata", { input: "0x1234567800" }],
])("matchesSource() rejects a transaction %s", (_what, change) => {
  expect(isSourceTransaction(handedOut, { ...sent, ...change })).toBe(false);
});

const call: Hex = `0xdeadbeef${"5a".repeat(96)}`;
const inBatch = { ...row, sourceDataHash: keccak256(call) };
const batch: TransactionOnChain = {
  transaction: { ...sent, from: OTHER, to: USER, input: concatHex([numberToHex(100, { size: 32 }), call]) },
  receipt: receiptOf(
    transferLog({ token: USDC, from: USER, to: depositRouterAddress, value: BigInt(row.fromAmount) }),
    log(depositRouterAddress, [], "0x"),
  ),
  confirmations: 1,
};
const withLogs = (...logs: Log[]): TransactionOnChain => ({ ...batch, receipt: receiptOf(...logs) });
const told = log(depositRouterAddress, [], "0x");

test("matchesSource() accepts a smart account's batch from any sender", () => {
  expect(matchesSource(inBatch, batch)).toBe(true);
});

test.each<[string, TransactionOnChain]>([
  ["that waits", { ...batch, receipt: null }],
  [
    "that reverted",
    { ...batch, receipt: { ...receiptOf(...(batch.receipt?.logs ?? [])), succeeded: false } },
  ],
  ["whose call did nothing", withLogs(...(batch.receipt?.logs.slice(0, 1) ?? []))],
  ["in which nothing was paid", withLogs(told)],
  ["that somebody else paid", withLogs(transferLog({ token: USDC, from: OTHER, value: 100_000_000n }), told)],
  ["that paid another amount", withLogs(transferLog({ token: USDC, from: USER, value: 99_999_999n }), told)],
  ["that paid in another token", withLogs(transferLog({ from: USER, value: 100_000_000n }), told)],
  ["of other calls", { ...batch, transaction: { ...sent, from: OTHER, to: USER, input } }],
  ["nobody knows", { ...batch, transaction: null }],
])("matchesSource() rejects a batch %s", (_what, seen) => {
  expect(matchesSource(inBatch, seen)).toBe(false);
});

test("matchesSource() accepts native money in a batch that the user's account ran", () => {
  const native = { ...inBatch, fromToken: zeroAddress };
  const by = (change: Partial<Transaction>): TransactionOnChain => ({
    ...withLogs(told),
    transaction: { ...sent, input: batch.transaction?.input ?? "0x", ...change },
  });
  expect(matchesSource(native, by({ from: OTHER, to: USER }))).toBe(true);
  expect(matchesSource(native, by({ from: USER, to: OTHER }))).toBe(true);
  expect(matchesSource(native, by({ from: OTHER, to: OTHER }))).toBe(false);
  expect(matchesSource(native, by({ from: OTHER, to: null }))).toBe(false);
});

describe("matchesSource() of native money in a user operation (ERC-4337)", () => {
  const native = { ...inBatch, fromToken: zeroAddress };
  const abi = entryPoint07Abi;
  /** What an entry point tells of an operation; of the user's, with success, unless changed. */
  const operation = (change: { by?: Address; sender?: Address; success?: boolean } = {}): Log => {
    const { by = entryPoint07Address, sender = USER, success = true } = change;
    const args = { userOpHash: zeroHash, sender, paymaster: zeroAddress };
    const topics = encodeEventTopics({ abi, eventName: "UserOperationEvent", args });
    const types = ["uint256", "bool", "uint256", "uint256"].map((type) => ({ type }));
    return log(by, topics, encodeAbiParameters(types, [1n, success, 2n, 3n]));
  };
  const ran = (to: Address, ...logs: Log[]): TransactionOnChain => ({
    ...withLogs(told, ...logs),
    transaction: { ...sent, from: OTHER, to, input: batch.transaction?.input ?? "0x" },
  });

  test.each([entryPoint06Address, entryPoint07Address, entryPoint08Address, entryPoint09Address])(
    "is accepted through entry point %s",
    (by) => {
      expect(matchesSource(native, ran(by, operation({ by })))).toBe(true);
    },
  );

  test.each<[string, TransactionOnChain]>([
    ["that failed", ran(entryPoint07Address, operation({ success: false }))],
    ["of another account", ran(entryPoint07Address, operation({ sender: OTHER }))],
    ["with an event of another contract", ran(entryPoint07Address, operation({ by: OTHER }))],
    ["through another contract", ran(OTHER, operation())],
    ["without an event", ran(entryPoint07Address)],
  ])("rejects an operation %s", (_what, seen) => {
    expect(matchesSource(native, seen)).toBe(false);
  });
});
