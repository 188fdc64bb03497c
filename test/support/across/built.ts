import { type Hex, zeroAddress } from "viem";
import { encodeAcrossDelivery, encodeAcrossDeposit } from "../../../src/providers/across/across-calldata.ts";
import type { AcrossTerms } from "../../../src/providers/across/across-quote-checks.ts";
import type { ExpectedDeposit } from "../../../src/providers/across/verify-across-deposit.ts";
import type { TransferRequest } from "../../../src/providers/provider.ts";
import { requestOf, routeOf, SPOKE_1, WETH_1, WETH_42161 } from "./stage.ts";

export const terms: AcrossTerms = {
  outputAmount: 99_900_000n,
  quoteTimestamp: 1_900_000_000,
  fillDeadline: 1_900_007_200,
  exclusiveRelayer: "0x394311A6Aaa0D8E3411D8b62DE4578D41322d1bD",
  exclusivityParameter: 1_900_000_030,
  estimatedSeconds: 3,
};

/** Builds a request's transaction, and returns it with the inputs from which its fields are derived. */
export function built(change: Partial<TransferRequest> = {}, integratorId: Hex | null = null) {
  const request = requestOf(change);
  const route = routeOf(request);
  const expected: ExpectedDeposit = { request, route, terms, integratorId };
  const data = encodeAcrossDeposit({ ...expected, delivery: encodeAcrossDelivery(request, route) });
  return { expected, transaction: { to: SPOKE_1, data, value: route.native ? request.amount : 0n } };
}

export const kinds: [name: string, change: Partial<TransferRequest>, integratorId: Hex | null][] = [
  ["with a call", {}, null],
  ["to the user", { call: null }, null],
  ["native with a call", { fromToken: zeroAddress, toToken: WETH_42161, amount: 10n ** 18n }, null],
  ["wrapped native to the user", { fromToken: WETH_1, toToken: WETH_42161, call: null }, null],
  ["with an integrator's id", {}, "0xab12"],
];
