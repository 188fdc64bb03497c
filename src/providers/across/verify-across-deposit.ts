import { type Address, encodeFunctionData, erc20Abi, type Hex, isAddressEqual } from "viem";
import type { DestinationCall, TransferRequest, VerifiedTransfer } from "../provider.ts";
import {
  APPROVE_AMOUNT_OFFSET,
  type DecodedAcrossDeposit,
  decodeAcrossDeposit,
  decodeBalanceCall,
  decodeInstructions,
  encodeIntegratorSuffix,
  type HandlerCall,
} from "./across-calldata.ts";
import { type AcrossTerms, acrossRejection } from "./across-quote-checks.ts";
import type { AcrossRoute } from "./across-route.ts";

/** Returns the names of the checks whose value is false. */
function failedChecks(checks: Readonly<Record<string, boolean>>): string[] {
  return Object.entries(checks).flatMap(([name, passed]) => (passed ? [] : [name]));
}

/**
 * Returns the names of the checks that an Across delivery's message fails, or an empty list if it matches the
 * request. Throws an Error if the message cannot be decoded.
 */
function findMessageFaults(
  message: Hex,
  { request, route }: { request: TransferRequest; route: AcrossRoute },
): string[] {
  if (route.handler === null) return failedChecks({ message: message === "0x" });
  const { calls, fallbackRecipient } = decodeInstructions(message);
  const fallback = failedChecks({ fallbackRecipient: isAddressEqual(fallbackRecipient, request.user) });
  if (request.call === null) return [...fallback, ...failedChecks({ calls: calls.length === 0 })];
  return [...fallback, ...findCallFaults(calls, { ...route, handler: route.handler, call: request.call })];
}

type ExpectedCall = Pick<AcrossRoute, "output"> & { handler: Address; call: DestinationCall };

/**
 * Returns the names of the checks that fail for the multicall handler's three calls: clear the allowance,
 * approve the delivered balance, make the destination call.
 */
function findCallFaults(calls: readonly HandlerCall[], { output, handler, call }: ExpectedCall): string[] {
  const [clear, approve, deposit] = calls;
  if (clear === undefined || approve === undefined || deposit === undefined || calls.length !== 3)
    return ["calls"];
  const approval = decodeBalanceCall(approve.callData);
  const [replacement] = approval.replacement;
  const token = output.address;
  return failedChecks({
    clear: isAddressEqual(clear.target, token) && isZeroApproval(clear.callData, call.target),
    approver: isAddressEqual(approve.target, handler),
    approvedToken: isAddressEqual(approval.target, token) && approval.value === 0n,
    approval: isZeroApproval(approval.callData, call.target),
    approvedAmount:
      replacement !== undefined &&
      approval.replacement.length === 1 &&
      isAddressEqual(replacement.token, token) &&
      replacement.offset === APPROVE_AMOUNT_OFFSET,
    callTarget: isAddressEqual(deposit.target, call.target),
    callData: deposit.callData === call.data.toLowerCase(),
    callValues: calls.every(({ value }) => value === 0n),
  });
}

/**
 * Returns true if calldata is exactly `approve(spender, 0)`. The multicall handler may write its own balance over the
 * amount when it executes the call.
 */
function isZeroApproval(data: Hex, spender: Address): boolean {
  return data === encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [spender, 0n] });
}

/**
 * The data that determines every field of an Across deposit transaction: request, route, quote terms and integrator id
 * (null if none is appended).
 */
export interface ExpectedDeposit {
  request: TransferRequest;
  route: AcrossRoute;
  terms: AcrossTerms;
  integratorId: Hex | null;
}

/**
 * Decodes an Across deposit transaction and compares every field with the expected value. Throws `upstream_rejected` if
 * one differs or the calldata cannot be decoded. The error's cause names the fields.
 */
export function verifyAcrossDeposit(
  transaction: VerifiedTransfer["transaction"],
  expected: ExpectedDeposit,
): void {
  const differences = findDepositDifferences(transaction, expected);
  if (differences.length > 0) throw acrossRejection(`the transaction differs: ${differences.join(", ")}`);
}

/**
 * Returns the names of the fields in which an Across deposit transaction differs from the expected one; empty if it
 * matches. If the calldata or its message cannot be decoded, the list has only the decoder's error message and what
 * differs in target and value.
 */
export function findDepositDifferences(
  transaction: VerifiedTransfer["transaction"],
  expected: ExpectedDeposit,
): string[] {
  const { request, route } = expected;
  const envelope = {
    to: isAddressEqual(transaction.to, route.origin.spokePool),
    value: transaction.value === (route.native ? request.amount : 0n),
  };
  try {
    const deposit = decodeAcrossDeposit(transaction.data);
    return [
      ...failedChecks(envelope),
      ...failedChecks(compareDeposit(deposit, expected)),
      ...findMessageFaults(deposit.message, expected),
    ];
  } catch (error) {
    return [...failedChecks(envelope), error instanceof Error ? error.message : "undecodable"];
  }
}

function compareDeposit(deposit: DecodedAcrossDeposit, expected: ExpectedDeposit): Record<string, boolean> {
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
    trailing: deposit.trailing === encodeIntegratorSuffix(expected.integratorId).toLowerCase(),
  };
}
