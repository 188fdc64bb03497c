import { type Address, type Hex, parseAbiParameters } from "viem";
import { once } from "../../../lib/once.ts";
import { decodeCanonical } from "./canonical.ts";
import { BRIDGE_DATA, type BridgeData, SWAP_DATA, type SwapData } from "./lifi-structs.ts";

/** CCTP through Celer's proxy, which takes a fee of its own that only its contract knows. */
export interface CelerCall {
  kind: "celer";
  bridge: BridgeData;
  swaps: readonly SwapData[] | null;
  /** `maxFee` in USDC's smallest unit; threshold 1000 fast, 2000 standard. */
  facet: { maxFee: bigint; minFinalityThreshold: number };
}

/** CCTP through Polymer's relayer. Fees in USDC's smallest unit. */
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
    /** Takes what swaps leave over. */
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

/** CelerCircleBridgeFacet 2.0.0: `startBridgeTokensViaCelerCircleBridge` 0xe0a4201c. Source: lifinance/contracts ef00558f. */
export function decodeCeler(data: Hex): CelerCall | null {
  const values = decodeCanonical(celerStarted(), data);
  return values && { kind: "celer", bridge: values[0], swaps: null, facet: values[1] };
}

/** CelerCircleBridgeFacet 2.0.0: `swapAndStartBridgeTokensViaCelerCircleBridge` 0x4f3b0759. */
export function decodeSwapCeler(data: Hex): CelerCall | null {
  const values = decodeCanonical(celerSwapped(), data);
  return values && { kind: "celer", bridge: values[0], swaps: values[1], facet: values[2] };
}

/** PolymerCCTPFacet 3.1.0: `startBridgeTokensViaPolymerCCTP` 0xf434d6ca. Source: lifinance/contracts ef00558f. */
export function decodePolymer(data: Hex): PolymerCall | null {
  const values = decodeCanonical(polymerStarted(), data);
  return values && { kind: "polymer", bridge: values[0], swaps: null, facet: values[1] };
}

/** PolymerCCTPFacet 3.1.0: `swapAndStartBridgeTokensViaPolymerCCTP` 0x17917a4e. */
export function decodeSwapPolymer(data: Hex): PolymerCall | null {
  const values = decodeCanonical(polymerSwapped(), data);
  return values && { kind: "polymer", bridge: values[0], swaps: values[1], facet: values[2] };
}
