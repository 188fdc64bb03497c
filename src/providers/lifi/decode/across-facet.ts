import { type Hex, parseAbiParameters } from "viem";
import { once } from "../../../lib/once.ts";
import { decodeCanonical } from "./lifi-canonical-decoding.ts";
import { BRIDGE_DATA, type BridgeData, SWAP_DATA, type SwapData } from "./lifi-structs.ts";

/**
 * The Across-specific parameters of LI.FI's Across facet. Addresses are left-padded to 32 bytes; timestamps are in UNIX
 * seconds; `exclusivityParameter` is as in `AcrossTerms`. Source: AcrossFacetV4.sol.
 */
export interface AcrossData {
  receiverAddress: Hex;
  refundAddress: Hex;
  sendingAssetId: Hex;
  receivingAssetId: Hex;
  /** Amount to deliver, in the smallest unit of `receivingAssetId`. */
  outputAmount: bigint;
  /**
   * Ratio of the delivered to the bridged amount, both in smallest units, times 10^18. If swaps precede the bridge, the
   * facet derives the delivered amount from it and ignores `outputAmount`.
   */
  outputAmountMultiplier: bigint;
  exclusiveRelayer: Hex;
  quoteTimestamp: number;
  fillDeadline: number;
  exclusivityParameter: number;
  message: Hex;
}

/** Decoded calldata of LI.FI's Across facet. */
export interface AcrossCall {
  kind: "across";
  bridge: BridgeData;
  /** The swaps before the bridge, or null for the function without swaps. */
  swaps: readonly SwapData[] | null;
  facet: AcrossData;
}

const ACROSS_DATA =
  "struct AcrossV4Data { bytes32 receiverAddress; bytes32 refundAddress; bytes32 sendingAssetId; bytes32 receivingAssetId; uint256 outputAmount; uint128 outputAmountMultiplier; bytes32 exclusiveRelayer; uint32 quoteTimestamp; uint32 fillDeadline; uint32 exclusivityParameter; bytes message; }";
const started = once(() =>
  parseAbiParameters(["BridgeData bridge, AcrossV4Data facet", BRIDGE_DATA, ACROSS_DATA]),
);
const swapped = once(() =>
  parseAbiParameters([
    "BridgeData bridge, SwapData[] swaps, AcrossV4Data facet",
    BRIDGE_DATA,
    SWAP_DATA,
    ACROSS_DATA,
  ]),
);

/**
 * Decodes the arguments, without the selector, of AcrossFacetV4 1.0.0 `startBridgeTokensViaAcrossV4` (selector
 * 0xa1f1ce43). Returns null if they are not canonically encoded. Source: lifinance/contracts ef00558f.
 */
export function decodeAcross(data: Hex): AcrossCall | null {
  const values = decodeCanonical(started(), data);
  return values && { kind: "across", bridge: values[0], swaps: null, facet: values[1] };
}

/**
 * Decodes the arguments, without the selector, of AcrossFacetV4 1.0.0 `swapAndStartBridgeTokensViaAcrossV4` (selector
 * 0x1794958f). Returns null if they are not canonically encoded. Source: lifinance/contracts ef00558f.
 */
export function decodeSwapAcross(data: Hex): AcrossCall | null {
  const values = decodeCanonical(swapped(), data);
  return values && { kind: "across", bridge: values[0], swaps: values[1], facet: values[2] };
}
