import { type Address, type Hex, parseAbiParameters } from "viem";
import { once } from "../../../lib/once.ts";
import { decodeCanonical } from "./lifi-canonical-decoding.ts";
import { BRIDGE_DATA, type BridgeData, SWAP_DATA, type SwapData } from "./lifi-structs.ts";

/**
 * Decoded calldata of LI.FI's facet for CCTP through Celer. Celer's proxy deducts a fee that the calldata does not
 * contain. `swaps` is null for the function without swaps.
 */
export interface CelerCall {
  kind: "celer";
  bridge: BridgeData;
  swaps: readonly SwapData[] | null;
  /**
   * `maxFee` is in USDC's smallest unit. `minFinalityThreshold` is 1000 for a fast transfer, 2000 for a
   * standard one.
   */
  facet: { maxFee: bigint; minFinalityThreshold: number };
}

/**
 * Decoded calldata of LI.FI's facet for CCTP through Polymer. Fees are in USDC's smallest unit. `swaps` is null for the
 * function without swaps.
 */
export interface PolymerCall {
  kind: "polymer";
  bridge: BridgeData;
  swaps: readonly SwapData[] | null;
  facet: {
    polymerTokenFee: bigint;
    maxCCTPFee: bigint;
    nonEVMReceiver: Hex;
    solanaReceiverATA: Hex;
    minFinalityThreshold: number;
    /** Receives the tokens that swaps leave over. */
    refundRecipient: Address;
    hookData: Hex;
  };
}

const CELER = "struct CelerCircleData { uint256 maxFee; uint32 minFinalityThreshold; }";
const POLYMER =
  "struct PolymerCCTPData { uint256 polymerTokenFee; uint256 maxCCTPFee; bytes32 nonEVMReceiver; bytes32 solanaReceiverATA; uint32 minFinalityThreshold; address refundRecipient; bytes hookData; }";
const celerStarted = once(() =>
  parseAbiParameters(["BridgeData bridge, CelerCircleData facet", BRIDGE_DATA, CELER]),
);
const celerSwapped = once(() =>
  parseAbiParameters([
    "BridgeData bridge, SwapData[] swaps, CelerCircleData facet",
    BRIDGE_DATA,
    SWAP_DATA,
    CELER,
  ]),
);
const polymerStarted = once(() =>
  parseAbiParameters(["BridgeData bridge, PolymerCCTPData facet", BRIDGE_DATA, POLYMER]),
);
const polymerSwapped = once(() =>
  parseAbiParameters([
    "BridgeData bridge, SwapData[] swaps, PolymerCCTPData facet",
    BRIDGE_DATA,
    SWAP_DATA,
    POLYMER,
  ]),
);

/**
 * Decodes the arguments, without the selector, of CelerCircleBridgeFacet 2.0.0 `startBridgeTokensViaCelerCircleBridge`
 * (0xe0a4201c). Returns null if they are not canonically encoded. Source: lifinance/contracts ef00558f.
 */
export function decodeCeler(data: Hex): CelerCall | null {
  const values = decodeCanonical(celerStarted(), data);
  return values && { kind: "celer", bridge: values[0], swaps: null, facet: values[1] };
}

/**
 * Decodes the arguments, without the selector, of CelerCircleBridgeFacet 2.0.0
 * `swapAndStartBridgeTokensViaCelerCircleBridge` (0x4f3b0759). Returns null unless canonically encoded. Source:
 * lifinance/contracts ef00558f.
 */
export function decodeSwapCeler(data: Hex): CelerCall | null {
  const values = decodeCanonical(celerSwapped(), data);
  return values && { kind: "celer", bridge: values[0], swaps: values[1], facet: values[2] };
}

/**
 * Decodes the arguments, without the selector, of PolymerCCTPFacet 3.1.0 `startBridgeTokensViaPolymerCCTP` (selector
 * 0xf434d6ca). Returns null if they are not canonically encoded. Source: lifinance/contracts ef00558f.
 */
export function decodePolymer(data: Hex): PolymerCall | null {
  const values = decodeCanonical(polymerStarted(), data);
  return values && { kind: "polymer", bridge: values[0], swaps: null, facet: values[1] };
}

/**
 * Decodes the arguments, without the selector, of PolymerCCTPFacet 3.1.0 `swapAndStartBridgeTokensViaPolymerCCTP`
 * (0x17917a4e). Returns null if they are not canonically encoded. Source: lifinance/contracts ef00558f.
 */
export function decodeSwapPolymer(data: Hex): PolymerCall | null {
  const values = decodeCanonical(polymerSwapped(), data);
  return values && { kind: "polymer", bridge: values[0], swaps: values[1], facet: values[2] };
}
