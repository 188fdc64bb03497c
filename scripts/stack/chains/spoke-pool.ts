import { type Address, concatHex, encodeAbiParameters, encodeFunctionData, type Hex, parseAbi } from "viem";
import { publishedCode } from "./published-code.ts";

/** Seconds, as on the main networks. */
const QUOTE_TIME_BUFFER = 3_600;
const FILL_DEADLINE_BUFFER = 21_600;
const FIRST_DEPOSIT_ID = 1;

const initializerAbi = parseAbi([
  "function initialize(uint32 initialDepositId, address withdrawalRecipient)",
]);

/** Creates the code of Across' SpokePool; nothing is ever sent to it but through its proxy. */
export function spokePoolDeployData(wrappedNative: Address): Hex {
  const types = [{ type: "address" }, { type: "uint32" }, { type: "uint32" }] as const;
  const args = encodeAbiParameters(types, [wrappedNative, QUOTE_TIME_BUFFER, FILL_DEADLINE_BUFFER]);
  return concatHex([publishedCode("spokePool"), args]);
}

/** Creates the SpokePool that everybody uses. Its admin is who sends this; `hub` would get what is returned to L1. */
export function spokePoolProxyDeployData(implementation: Address, hub: Address): Hex {
  const args = [FIRST_DEPOSIT_ID, hub] as const;
  const initialize = encodeFunctionData({ abi: initializerAbi, functionName: "initialize", args });
  const types = [{ type: "address" }, { type: "bytes" }] as const;
  return concatHex([publishedCode("erc1967Proxy"), encodeAbiParameters(types, [implementation, initialize])]);
}
