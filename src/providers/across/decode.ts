import {
  type Address,
  decodeAbiParameters,
  decodeFunctionData,
  encodeAbiParameters,
  encodeFunctionData,
  getAddress,
  type Hex,
} from "viem";
import { depositAbi, handlerAbi, instructionsParameters } from "./abi.ts";
import type { HandlerCall } from "./delivery.ts";

/** A SpokePool deposit as its calldata says it. Amounts in smallest units, times in unix seconds. */
export interface DecodedDeposit {
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
export function decodeDeposit(calldata: Hex): DecodedDeposit {
  const data = calldata.toLowerCase() as Hex;
  const { args } = decodeFunctionData({ abi: depositAbi(), data });
  const canonical = encodeFunctionData({ abi: depositAbi(), functionName: "deposit", args });
  if (!data.startsWith(canonical)) throw new Error("the deposit is not encoded canonically");
  return {
    depositor: toAddress(args[0]),
    recipient: toAddress(args[1]),
    inputToken: toAddress(args[2]),
    outputToken: toAddress(args[3]),
    inputAmount: args[4],
    outputAmount: args[5],
    destinationChainId: args[6],
    exclusiveRelayer: toAddress(args[7]),
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
export function toAddress(word: Hex): Address {
  if (!/^0x0{24}/.test(word)) throw new Error("the word is no address of this kind of chain");
  return getAddress(`0x${word.slice(26)}`);
}
