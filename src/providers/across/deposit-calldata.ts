import {
  type Address,
  concatHex,
  decodeAbiParameters,
  decodeFunctionData,
  encodeAbiParameters,
  encodeFunctionData,
  erc20Abi,
  getAddress,
  type Hex,
  pad,
} from "viem";
import type { DestinationCall, TransferRequest } from "../provider.ts";
import { depositAbi, handlerAbi, instructionsParameters } from "./across-abi.ts";
import type { AcrossTerms } from "./quote-checks.ts";
import type { AcrossRoute } from "./route.ts";

/** One call of the handler; `value` in wei. */
export interface HandlerCall {
  target: Address;
  callData: Hex;
  value: bigint;
}

/** Where the bridge delivers to, and what it says to whoever receives. */
export interface AcrossDelivery {
  recipient: Address;
  message: Hex;
}

/** Where an `approve` has its amount. */
export const APPROVE_AMOUNT_OFFSET = 36n;

/**
 * Says how a request is delivered: to the user, or to the handler with calls to make. What the handler
 * still holds of the token afterwards, and all of it when a call fails, goes to the user.
 */
export function encodeAcrossDelivery(request: TransferRequest, route: AcrossRoute): AcrossDelivery {
  const { handler } = route;
  if (handler === null) return { recipient: request.user, message: "0x" };
  const calls =
    request.call === null ? [] : destinationCalls(request.call, { handler, token: route.output.address });
  const instructions = { calls, fallbackRecipient: request.user };
  return { recipient: handler, message: encodeAbiParameters(instructionsParameters, [instructions]) };
}

/**
 * The destination call with what is delivered approved, as much as it turns out to be. The allowance is
 * cleared first: anyone can make the handler leave one behind, and USDT refuses to change it then.
 */
function destinationCalls(
  call: DestinationCall,
  { handler, token }: { handler: Address; token: Address },
): HandlerCall[] {
  const approveNothing = encodeFunctionData({
    abi: erc20Abi,
    functionName: "approve",
    args: [call.target, 0n],
  });
  const replacement = [{ token, offset: APPROVE_AMOUNT_OFFSET }];
  const approveAll = encodeFunctionData({
    abi: handlerAbi(),
    functionName: "makeCallWithBalance",
    args: [token, approveNothing, 0n, replacement],
  });
  return [
    { target: token, callData: approveNothing, value: 0n },
    { target: handler, callData: approveAll, value: 0n },
    { target: call.target, callData: call.data, value: 0n },
  ];
}

/** The marker of an integrator's id behind the calldata. Source: Across integrator documentation. */
const INTEGRATOR_MARKER: Hex = "0x1dc0de";

/** What stands behind the calldata: nothing, or the integrator's id (two bytes) after its marker. */
export function encodeIntegratorSuffix(integratorId: Hex | null): Hex {
  return integratorId === null ? "0x" : concatHex([INTEGRATOR_MARKER, integratorId]);
}

/** Encodes the SpokePool's `deposit`. Source: SpokePool.sol. */
export function encodeAcrossDeposit(move: {
  request: TransferRequest;
  route: AcrossRoute;
  terms: AcrossTerms;
  delivery: AcrossDelivery;
  integratorId: Hex | null;
}): Hex {
  const { request, route, terms, delivery } = move;
  const data = encodeFunctionData({
    abi: depositAbi(),
    functionName: "deposit",
    args: [
      pad(request.user),
      pad(delivery.recipient),
      pad(route.input.address),
      pad(route.output.address),
      request.amount,
      terms.outputAmount,
      BigInt(request.toChainId),
      pad(terms.exclusiveRelayer),
      terms.quoteTimestamp,
      terms.fillDeadline,
      terms.exclusivityParameter,
      delivery.message,
    ],
  });
  return concatHex([data, encodeIntegratorSuffix(move.integratorId)]);
}

/** A SpokePool deposit as its calldata says it. Amounts in smallest units, times in unix seconds. */
export interface DecodedAcrossDeposit {
  depositor: Address;
  recipient: Address;
  inputToken: Address;
  outputToken: Address;
  inputAmount: bigint;
  outputAmount: bigint;
  destinationChainId: bigint;
  exclusiveRelayer: Address;
  quoteTimestamp: number;
  fillDeadline: number;
  exclusivityParameter: number;
  message: Hex;
  /** What stands behind the arguments; the SpokePool does not read it. */
  trailing: Hex;
}

export interface DecodedInstructions {
  calls: readonly HandlerCall[];
  fallbackRecipient: Address;
}

/** A call in which the handler writes its live balances. */
export interface DecodedBalanceCall {
  target: Address;
  callData: Hex;
  value: bigint;
  replacement: readonly { token: Address; offset: bigint }[];
}

/**
 * Reads the calldata of a SpokePool deposit. Throws when it is another function, an address is wider than
 * 20 bytes, or the encoding is not the canonical one, in which nothing can hide.
 */
export function decodeAcrossDeposit(calldata: Hex): DecodedAcrossDeposit {
  const data = calldata.toLowerCase() as Hex;
  const { args } = decodeFunctionData({ abi: depositAbi(), data });
  const canonical = encodeFunctionData({ abi: depositAbi(), functionName: "deposit", args });
  if (!data.startsWith(canonical)) throw new Error("the deposit is not encoded canonically");
  return {
    depositor: wordToAddress(args[0]),
    recipient: wordToAddress(args[1]),
    inputToken: wordToAddress(args[2]),
    outputToken: wordToAddress(args[3]),
    inputAmount: args[4],
    outputAmount: args[5],
    destinationChainId: args[6],
    exclusiveRelayer: wordToAddress(args[7]),
    quoteTimestamp: args[8],
    fillDeadline: args[9],
    exclusivityParameter: args[10],
    message: args[11],
    trailing: `0x${data.slice(canonical.length)}`,
  };
}

/** Reads a message to the handler. Throws when it is not exactly one canonical `Instructions`. */
export function decodeInstructions(message: Hex): DecodedInstructions {
  const [instructions] = decodeAbiParameters(instructionsParameters, message);
  if (encodeAbiParameters(instructionsParameters, [instructions]) !== message.toLowerCase())
    throw new Error("the message is not encoded canonically");
  return instructions;
}

/** Reads the calldata of `makeCallWithBalance`. Throws when it is not exactly that. */
export function decodeBalanceCall(data: Hex): DecodedBalanceCall {
  const { args } = decodeFunctionData({ abi: handlerAbi(), data });
  const canonical = encodeFunctionData({ abi: handlerAbi(), functionName: "makeCallWithBalance", args });
  if (canonical !== data.toLowerCase()) throw new Error("the call is not encoded canonically");
  const [target, callData, value, replacement] = args;
  return { target, callData, value, replacement };
}

/** The address in a 32-byte word. Throws when the other twelve bytes hold anything. */
export function wordToAddress(word: Hex): Address {
  if (!/^0x0{24}/.test(word)) throw new Error("the word is no address of this kind of chain");
  return getAddress(`0x${word.slice(26)}`);
}
