import { type Address, type Hex, hexToBigInt, hexToNumber, parseAbiParameters, size, slice } from "viem";
import { once } from "../../../lib/once.ts";
import { decodeCanonical } from "./lifi-canonical-decoding.ts";
import { BRIDGE_DATA, type BridgeData, SWAP_DATA, type SwapData } from "./lifi-structs.ts";

/** LayerZero execution options that only buy gas on the destination chain. */
export interface LayerZeroOptions {
  /** Total gas bought for the destination call, or null if none was bought. */
  composeGas: bigint | null;
}

const LZ_EXECUTOR = 1;
const LZ_RECEIVE = 1;
const LZ_COMPOSE = 3;

/**
 * Decodes LayerZero execution options (type 3) that only buy gas, for the delivery and for at most one destination
 * call; empty options (`0x`) buy none. Returns null for all other options. Source: LayerZero V2 ExecutorOptions.sol.
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

/**
 * Reads the LayerZero option at byte `at`: worker, length, type, an index (2 bytes, only for destination
 * calls) and gas (16 bytes). Returns null if it is malformed or does anything other than buy gas.
 */
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

/** The Stargate-specific parameters of LI.FI's Stargate facet. Sources: StargateFacetV2.sol, IStargate.sol. */
export interface StargateData {
  /** Stargate's id of the asset, as in `StargatePool`. */
  assetId: number;
  sendParams: {
    /** LayerZero's endpoint id of the destination chain. */
    dstEid: number;
    /** Receiver on the destination chain, left-padded to 32 bytes. */
    to: Hex;
    /** Amount sent, in the source token's smallest unit. The facet overwrites it with the bridged amount. */
    amountLD: bigint;
    /** Minimum amount delivered, in the source token's decimals. */
    minAmountLD: bigint;
    /** LayerZero execution options, see `decodeLayerZeroOptions`. */
    extraOptions: Hex;
    /** Message for LI.FI's receiver contract; `0x` without a destination call. */
    composeMsg: Hex;
    /**
     * Stargate's mode: empty for a taxi (sent at once), one byte for a bus (batched with other transfers).
     */
    oftCmd: Hex;
  };
  /** Messaging fee in the source chain's native token (wei) and in LayerZero's token. */
  fee: { nativeFee: bigint; lzTokenFee: bigint };
  refundAddress: Address;
}

/** Decoded calldata of LI.FI's Stargate facet. `swaps` is null for the function without swaps. */
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

/**
 * Decodes the arguments, without the selector, of StargateFacetV2 1.0.1 `startBridgeTokensViaStargate` (selector
 * 0x14d53077). Returns null if they are not canonically encoded. Source: lifinance/contracts ef00558f.
 */
export function decodeStargate(data: Hex): StargateCall | null {
  const values = decodeCanonical(started(), data);
  return values && { kind: "stargate", bridge: values[0], swaps: null, facet: values[1] };
}

/**
 * Decodes the arguments, without the selector, of StargateFacetV2 1.0.1 `swapAndStartBridgeTokensViaStargate` (selector
 * 0xa6010a66). Returns null if they are not canonically encoded. Source: lifinance/contracts ef00558f.
 */
export function decodeSwapStargate(data: Hex): StargateCall | null {
  const values = decodeCanonical(swapped(), data);
  return values && { kind: "stargate", bridge: values[0], swaps: values[1], facet: values[2] };
}
