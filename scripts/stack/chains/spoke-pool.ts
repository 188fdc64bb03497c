import { type Address, concatHex, encodeAbiParameters, encodeFunctionData, type Hex, parseAbi } from "viem";
import { publishedCode } from "./published-code.ts";

/** Maximum age of a quote in seconds, as on mainnet. */
const QUOTE_TIME_BUFFER = 3_600;
const FILL_DEADLINE_BUFFER = 21_600;
const FIRST_DEPOSIT_ID = 1;

const initializerAbi = parseAbi([
  "function initialize(uint32 initialDepositId, address withdrawalRecipient)",
]);

/** Encodes the deployment of the SpokePool's implementation, which is used only through its proxy. */
export function spokePoolDeployData(wrappedNative: Address): Hex {
  const types = [{ type: "address" }, { type: "uint32" }, { type: "uint32" }] as const;
  const args = encodeAbiParameters(types, [wrappedNative, QUOTE_TIME_BUFFER, FILL_DEADLINE_BUFFER]);
  return concatHex([publishedCode("spokePool"), args]);
}

/**
 * Encodes the deployment of the SpokePool's proxy. The sender becomes its admin; `hub` would receive returns to L1.
 */
export function spokePoolProxyDeployData(implementation: Address, hub: Address): Hex {
  const args = [FIRST_DEPOSIT_ID, hub] as const;
  const initialize = encodeFunctionData({ abi: initializerAbi, functionName: "initialize", args });
  const types = [{ type: "address" }, { type: "bytes" }] as const;
  return concatHex([publishedCode("erc1967Proxy"), encodeAbiParameters(types, [implementation, initialize])]);
}
