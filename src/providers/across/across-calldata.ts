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
import type { AcrossTerms } from "./across-quote-checks.ts";
import type { AcrossRoute } from "./across-route.ts";

/** One call that Across's multicall handler makes. `value` is in wei. */
export interface HandlerCall {
  target: Address;
  callData: Hex;
  value: bigint;
}

/**
 * The recipient of an Across delivery, and the message that the recipient executes: `0x` for the user, encoded
 * instructions for the multicall handler.
 */
export interface AcrossDelivery {
  recipient: Address;
  message: Hex;
}

/**
 * Byte offset of the amount in the calldata of `approve(address,uint256)`: after the selector (4) and the spender (32).
 */
export const APPROVE_AMOUNT_OFFSET = 36n;

/**
 * Encodes how a transfer is delivered: to the user if the route has no multicall handler, otherwise to the handler with
 * the calls to make. The handler sends the user what they leave over, or everything if one fails.
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
 * Returns the handler's calls for a destination call: clear the allowance, approve the delivered balance, make the
 * call. Anyone can make the handler leave an allowance behind, and USDT rejects changing one above zero.
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

/**
 * Three-byte marker that precedes the integrator id at the end of an Across deposit's calldata. Source:
 * Across integrator documentation.
 */
const INTEGRATOR_MARKER: Hex = "0x1dc0de";

/**
 * Encodes the bytes appended to the calldata of an Across deposit: the marker and the two-byte integrator id,
 * or `0x` without an id.
 */
export function encodeIntegratorSuffix(integratorId: Hex | null): Hex {
  return integratorId === null ? "0x" : concatHex([INTEGRATOR_MARKER, integratorId]);
}

/**
 * Encodes the calldata of the SpokePool's `deposit`, with the integrator id appended if there is one. Native currency
 * is paid through the transaction's value, which is not part of the calldata. Source: SpokePool.sol.
 */
export function encodeAcrossDeposit(input: {
  request: TransferRequest;
  route: AcrossRoute;
  terms: AcrossTerms;
  delivery: AcrossDelivery;
  integratorId: Hex | null;
}): Hex {
  const { request, route, terms, delivery } = input;
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
  return concatHex([data, encodeIntegratorSuffix(input.integratorId)]);
}

/**
 * Decoded calldata of the SpokePool's `deposit`. Amounts are in the tokens' smallest units, times in UNIX seconds;
 * `exclusivityParameter` as in `AcrossTerms`.
 */
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
  /** Bytes after the ABI-encoded arguments, which the SpokePool ignores. */
  trailing: Hex;
}

/** A decoded message to the multicall handler: the calls to make and the fallback recipient. */
export interface DecodedInstructions {
  calls: readonly HandlerCall[];
  /** Receives the delivered tokens if a call fails, otherwise what the calls leave over. */
  fallbackRecipient: Address;
}

/**
 * Decoded calldata of `makeCallWithBalance`: a call into whose calldata the multicall handler first writes its own
 * token balances. `value` is in wei.
 */
export interface DecodedBalanceCall {
  target: Address;
  callData: Hex;
  value: bigint;
  /**
   * Tokens whose balances are written into `callData`, each with the byte offset at which its balance is
   * written.
   */
  replacement: readonly { token: Address; offset: bigint }[];
}

/**
 * Decodes the calldata of the SpokePool's `deposit`; bytes after the arguments are returned as `trailing`. Throws an
 * Error for other calldata, for words that are not EVM addresses, and for encodings that are not canonical, because
 * they can hide data.
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

/**
 * Decodes a message to the multicall handler. Throws an Error if it is not one canonically encoded
 * `Instructions` struct.
 */
export function decodeInstructions(message: Hex): DecodedInstructions {
  const [instructions] = decodeAbiParameters(instructionsParameters, message);
  if (encodeAbiParameters(instructionsParameters, [instructions]) !== message.toLowerCase())
    throw new Error("the message is not encoded canonically");
  return instructions;
}

/**
 * Decodes the calldata of the multicall handler's `makeCallWithBalance`. Throws an Error if the calldata
 * calls another function or is not encoded canonically.
 */
export function decodeBalanceCall(data: Hex): DecodedBalanceCall {
  const { args } = decodeFunctionData({ abi: handlerAbi(), data });
  const canonical = encodeFunctionData({ abi: handlerAbi(), functionName: "makeCallWithBalance", args });
  if (canonical !== data.toLowerCase()) throw new Error("the call is not encoded canonically");
  const [target, callData, value, replacement] = args;
  return { target, callData, value, replacement };
}

/**
 * Returns the checksummed address in a left-padded 32-byte word. Throws an Error if the padding is not zero, as for
 * accounts on non-EVM chains.
 */
export function wordToAddress(word: Hex): Address {
  if (!/^0x0{24}/.test(word)) throw new Error("the 32-byte word is not an EVM address");
  return getAddress(`0x${word.slice(26)}`);
}
