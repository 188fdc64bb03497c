import { type Hex, keccak256 } from "viem";
import { expect, test } from "vitest";
import type { Transaction, TransactionOnChain } from "../../../src/chains/chain-transaction.ts";
import { depositRouterAddress } from "../../../src/router/router-address.ts";
import { encodeRouterCall, type RouterCall, routerBridgeOutput } from "../../../src/router/router-codec.ts";
import { type AuthorizationKind, encodeSignedCall } from "../../../src/router/router-signature-messages.ts";
import { builtDataHashes, matchesSource } from "../../../src/tracking/deposits/track-deposit-source.ts";
import { OTHER, REF, row, USDC, USER, VAULT } from "../../support/deposits/fixtures.ts";
import { executedLog, receiptOf } from "../../support/deposits/logs.ts";

const call: RouterCall = {
  order: {
    tokenIn: USDC,
    amountIn: 100_000_000n,
    minIn: 100_000_000n,
    nativeFee: 0n,
    tokenOut: VAULT,
    receiver: USER,
    minOut: 1n,
    minOutPerIn: 0n,
    deadline: 1_800_000_000n,
    direct: true,
    refundTo: USER,
    ref: REF,
    partnerId: REF,
    partnerType: 0,
  },
  steps: [],
  sweep: [],
};
const signature: Hex = `0x${"11".repeat(65)}`;
const signed = (kind: AuthorizationKind, of: RouterCall = call): Hex =>
  encodeSignedCall(of, { kind, owner: USER, signature });
const built = { ...row, sourceDataHash: keccak256(encodeRouterCall(call)) };
const sent = (input: Hex, from = USER): Transaction => ({
  hash: `0x${"11".repeat(32)}`,
  ...{ from, to: depositRouterAddress, input, value: 0n, gas: 500_000n },
});
const pending = (transaction: Transaction): TransactionOnChain => ({
  ...{ transaction, receipt: null, confirmations: 0 },
});

test.each(["erc3009", "permit2", "permit"] as const)(
  "an order that its user sends with a signature by %s is the one that was built",
  (kind) => {
    expect(builtDataHashes(signed(kind))).toContain(built.sourceDataHash);
    expect(matchesSource(built, pending(sent(signed(kind))))).toBe(true);
  },
);

test("another order with a signature is not, nor one that a stranger sends and no chain has run", () => {
  const other = { ...call, order: { ...call.order, amountIn: 1n } };
  expect(matchesSource(built, pending(sent(signed("erc3009", other))))).toBe(false);
  expect(matchesSource(built, pending(sent(signed("erc3009"), OTHER)))).toBe(false);
});

const bridged = (change: Parameters<typeof executedLog>[0] = {}, succeeded = true): TransactionOnChain => ({
  transaction: sent("0x12345678", OTHER),
  receipt: { ...receiptOf(executedLog({ tokenOut: routerBridgeOutput, ...change })), succeeded },
  confirmations: 1,
});

test("an order that its user paid into a bridge is its source, whoever sent it", () => {
  expect(matchesSource(built, bridged())).toBe(true);
});

test("an order that its user paid into a swap is its source", () => {
  expect(matchesSource({ ...built, moveToken: OTHER.toLowerCase() }, bridged({ tokenOut: OTHER }))).toBe(
    true,
  );
});

test.each<[string, TransactionOnChain]>([
  ["of another reference", bridged({ ref: `0x${"2".repeat(64)}` })],
  ["that somebody else paid", bridged({ payer: OTHER })],
  ["of another token", bridged({ tokenIn: VAULT })],
  ["that ends in shares", bridged({ tokenOut: VAULT })],
  ["of a contract that imitates the Router", bridged({ emitter: OTHER })],
  ["that reverted", bridged({}, false)],
])("an order into a bridge %s is not", (_what, seen) => {
  expect(matchesSource(built, seen)).toBe(false);
});

test("a deposit that was not built for the Router has no such source", () => {
  expect(matchesSource({ ...built, sourceTo: OTHER.toLowerCase() }, bridged())).toBe(false);
});
