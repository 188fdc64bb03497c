import { type Address, type Hex, parseAbiParameters } from "viem";
import { once } from "../../../lib/once.ts";
import { decodeExact } from "./exact.ts";
import { BRIDGE_DATA, type BridgeData, SWAP_DATA, type SwapData } from "./structs.ts";

/** What Stargate V2 is told. */
export interface StargateData {
  assetId: number;
  sendParams: {
    /** LayerZero endpoint of the destination. */
    dstEid: number;
    /** Left-padded to 32 bytes. */
    to: Hex;
    /** Overwritten by the facet with what is bridged. */
    amountLD: bigint;
    /** The least that arrives, in the source token's decimals. */
    minAmountLD: bigint;
    extraOptions: Hex;
    composeMsg: Hex;
    /** Empty: taxi, one byte: bus. */
    oftCmd: Hex;
  };
  /** Wei of the source chain's native token, and of LayerZero's own. */
  fee: { nativeFee: bigint; lzTokenFee: bigint };
  refundAddress: Address;
}

export interface StargateCall {
  kind: "stargate";
  bridge: BridgeData;
  swaps: readonly SwapData[] | null;
  facet: StargateData;
}

const STRUCTS = [
  "struct SendParam { uint32 dstEid; bytes32 to; uint256 amountLD; uint256 minAmountLD; bytes extraOptions; bytes composeMsg; bytes oftCmd; }",
  "struct MessagingFee { uint256 nativeFee; uint256 lzTokenFee; }",
  "struct StargateData { uint16 assetId; SendParam sendParams; MessagingFee fee; address refundAddress; }",
] as const;
const started = once(() =>
  parseAbiParameters(["BridgeData bridge, StargateData facet", BRIDGE_DATA, ...STRUCTS]),
);
const swapped = once(() =>
  parseAbiParameters([
    "BridgeData bridge, SwapData[] swaps, StargateData facet",
    BRIDGE_DATA,
    SWAP_DATA,
    ...STRUCTS,
  ]),
);

/** StargateFacetV2 1.0.1: `startBridgeTokensViaStargate` 0x14d53077. Source: lifinance/contracts ef00558f. */
export function decodeStargate(data: Hex): StargateCall | null {
  const values = decodeExact(started(), data);
  return values && { kind: "stargate", bridge: values[0], swaps: null, facet: values[1] };
}

/** StargateFacetV2 1.0.1: `swapAndStartBridgeTokensViaStargate` 0xa6010a66. */
export function decodeSwapStargate(data: Hex): StargateCall | null {
  const values = decodeExact(swapped(), data);
  return values && { kind: "stargate", bridge: values[0], swaps: values[1], facet: values[2] };
}
