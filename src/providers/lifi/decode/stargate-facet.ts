import { type Address, type Hex, hexToBigInt, hexToNumber, parseAbiParameters, size, slice } from "viem";
import { once } from "../../../lib/once.ts";
import { decodeCanonical } from "./canonical-decoding.ts";
import { BRIDGE_DATA, type BridgeData, SWAP_DATA, type SwapData } from "./lifi-structs.ts";

/** LayerZero execution options that buy gas. */
export interface LayerZeroOptions {
  /** Gas bought for the destination call; null when none was. */
  composeGas: bigint | null;
}

const LZ_EXECUTOR = 1;
const LZ_RECEIVE = 1;
const LZ_COMPOSE = 3;

/**
 * Decodes LayerZero execution options of type 3 that only buy gas; null for any other option, such as sending native
 * money to an address on the destination. Source: LayerZero V2 ExecutorOptions.sol.
 */
export function decodeLayerZeroOptions(options: Hex): LayerZeroOptions | null {
  if (options === "0x") return { composeGas: null };
  if (size(options) < 2 || slice(options, 0, 2) !== "0x0003") return null;
  let composeGas: bigint | null = null;
  for (let at = 2; at < size(options); ) {
    const option = readLayerZeroOption(options, at);
    if (option === null) return null;
    if (option.type === LZ_COMPOSE) composeGas = (composeGas ?? 0n) + option.gas;
    at = option.end;
  }
  return { composeGas };
}

/** Reads one option: worker, length, type, an index (2 bytes, destination calls only) and gas (16 bytes). */
function readLayerZeroOption(options: Hex, at: number): { type: number; gas: bigint; end: number } | null {
  if (size(options) < at + 4) return null;
  const worker = hexToNumber(slice(options, at, at + 1));
  const length = hexToNumber(slice(options, at + 1, at + 3));
  const type = hexToNumber(slice(options, at + 3, at + 4));
  const end = at + 3 + length;
  const gasAt = type === LZ_RECEIVE ? at + 4 : at + 6;
  if (worker !== LZ_EXECUTOR || (type !== LZ_RECEIVE && type !== LZ_COMPOSE)) return null;
  if (end !== gasAt + 16 || size(options) < end) return null;
  if (type === LZ_COMPOSE && slice(options, at + 4, at + 6) !== "0x0000") return null;
  return { type, gas: hexToBigInt(slice(options, gasAt, end)), end };
}

/** The facet's parameters for Stargate V2. */
export interface StargateData {
  assetId: number;
  sendParams: {
    /** LayerZero's id of the destination chain. */
    dstEid: number;
    /** Left-padded to 32 bytes. */
    to: Hex;
    /** Amount sent; the facet overwrites it with the bridged amount. */
    amountLD: bigint;
    /** Minimum delivered, in the source token's decimals. */
    minAmountLD: bigint;
    extraOptions: Hex;
    composeMsg: Hex;
    /** Empty for a taxi, one byte for a bus. */
    oftCmd: Hex;
  };
  /** Messaging fee in the source chain's native token (wei) and in LayerZero's token. */
  fee: { nativeFee: bigint; lzTokenFee: bigint };
  refundAddress: Address;
}

/** A decoded call of the Stargate facet. */
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

/** Decodes StargateFacetV2 1.0.1 `startBridgeTokensViaStargate` 0x14d53077. Source: lifinance/contracts ef00558f. */
export function decodeStargate(data: Hex): StargateCall | null {
  const values = decodeCanonical(started(), data);
  return values && { kind: "stargate", bridge: values[0], swaps: null, facet: values[1] };
}

/** Decodes StargateFacetV2 1.0.1 `swapAndStartBridgeTokensViaStargate` 0xa6010a66. */
export function decodeSwapStargate(data: Hex): StargateCall | null {
  const values = decodeCanonical(swapped(), data);
  return values && { kind: "stargate", bridge: values[0], swaps: values[1], facet: values[2] };
}
