import { type Hex, isAddressEqual } from "viem";
import type { BuiltMove, MoveRequest } from "../provider.ts";
import { type DecodedDeposit, decodeDeposit } from "./decode.ts";
import { encodeTrailing } from "./encode.ts";
import type { Route } from "./route.ts";
import { rejected, type Terms } from "./terms.ts";
import { messageFaults, wrong } from "./verify-message.ts";

/** What a transaction must say, from the request, our own addresses and the accepted price. */
export interface Expected {
  request: MoveRequest;
  route: Route;
  terms: Terms;
  integratorId: Hex | null;
}

/**
 * Decodes a transaction and compares every field of it with what it must be. Throws `upstream_rejected`
 * naming the differences in its cause.
 */
export function verifyDeposit(transaction: BuiltMove["transaction"], expected: Expected): void {
  const found = findDifferences(transaction, expected);
  if (found.length > 0) throw rejected(`the transaction differs: ${found.join(", ")}`);
}

/** Names the fields in which a transaction differs; empty when it is exactly what was asked for. */
export function findDifferences(transaction: BuiltMove["transaction"], expected: Expected): string[] {
  const { request, route } = expected;
  const outside = {
    to: isAddressEqual(transaction.to, route.origin.spokePool),
    value: transaction.value === (route.native ? request.amount : 0n),
  };
  try {
    const deposit = decodeDeposit(transaction.data);
    return [
      ...wrong(outside),
      ...wrong(compareDeposit(deposit, expected)),
      ...messageFaults(deposit.message, expected),
    ];
  } catch (error) {
    return [...wrong(outside), error instanceof Error ? error.message : "undecodable"];
  }
}

function compareDeposit(deposit: DecodedDeposit, expected: Expected): Record<string, boolean> {
  const { request, route, terms } = expected;
  return {
    depositor: isAddressEqual(deposit.depositor, request.user),
    recipient: isAddressEqual(deposit.recipient, route.handler ?? request.user),
    inputToken: isAddressEqual(deposit.inputToken, route.input.address),
    outputToken: isAddressEqual(deposit.outputToken, request.toToken),
    inputAmount: deposit.inputAmount === request.amount,
    outputAmount: deposit.outputAmount === terms.outputAmount,
    destinationChainId: deposit.destinationChainId === BigInt(request.toChainId),
    exclusiveRelayer: isAddressEqual(deposit.exclusiveRelayer, terms.exclusiveRelayer),
    quoteTimestamp: deposit.quoteTimestamp === terms.quoteTimestamp,
    fillDeadline: deposit.fillDeadline === terms.fillDeadline,
    exclusivityParameter: deposit.exclusivityParameter === terms.exclusivityParameter,
    trailing: deposit.trailing === encodeTrailing(expected.integratorId).toLowerCase(),
  };
}
