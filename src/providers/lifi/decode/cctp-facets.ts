import { type Address, type Hex, parseAbiParameters } from "viem";
import { once } from "../../../lib/once.ts";
import { decodeCanonical } from "./canonical-decoding.ts";
import { BRIDGE_DATA, type BridgeData, SWAP_DATA, type SwapData } from "./lifi-structs.ts";

/** A decoded call of Celer's CCTP facet; Celer's proxy takes a fee that the calldata does not contain. */
export interface CelerCall {
  kind: "celer";
  bridge: BridgeData;
  swaps: readonly SwapData[] | null;
  /** `maxFee` in USDC's smallest unit; `minFinalityThreshold` 1000 for fast, 2000 for standard. */
  facet: { maxFee: bigint; minFinalityThreshold: number };
}

/** A decoded call of Polymer's CCTP facet. Fees in USDC's smallest unit. */
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
    /** Receives tokens left over by swaps. */
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
 * Decodes CelerCircleBridgeFacet 2.0.0 `startBridgeTokensViaCelerCircleBridge` 0xe0a4201c. Source:
 * lifinance/contracts ef00558f.
 */
export function decodeCeler(data: Hex): CelerCall | null {
  const values = decodeCanonical(celerStarted(), data);
  return values && { kind: "celer", bridge: values[0], swaps: null, facet: values[1] };
}

/** Decodes CelerCircleBridgeFacet 2.0.0 `swapAndStartBridgeTokensViaCelerCircleBridge` 0x4f3b0759. */
export function decodeSwapCeler(data: Hex): CelerCall | null {
  const values = decodeCanonical(celerSwapped(), data);
  return values && { kind: "celer", bridge: values[0], swaps: values[1], facet: values[2] };
}

/**
 * Decodes PolymerCCTPFacet 3.1.0 `startBridgeTokensViaPolymerCCTP` 0xf434d6ca. Source: lifinance/contracts ef00558f.
 */
export function decodePolymer(data: Hex): PolymerCall | null {
  const values = decodeCanonical(polymerStarted(), data);
  return values && { kind: "polymer", bridge: values[0], swaps: null, facet: values[1] };
}

/** Decodes PolymerCCTPFacet 3.1.0 `swapAndStartBridgeTokensViaPolymerCCTP` 0x17917a4e. */
export function decodeSwapPolymer(data: Hex): PolymerCall | null {
  const values = decodeCanonical(polymerSwapped(), data);
  return values && { kind: "polymer", bridge: values[0], swaps: values[1], facet: values[2] };
}
