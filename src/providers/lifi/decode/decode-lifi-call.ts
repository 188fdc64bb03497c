import { type Hex, size, slice } from "viem";
import { type AcrossCall, decodeAcross, decodeSwapAcross } from "./across-facet.ts";
import {
  type CelerCall,
  decodeCeler,
  decodePolymer,
  decodeSwapCeler,
  decodeSwapPolymer,
  type PolymerCall,
} from "./cctp-facets.ts";
import { decodeRelay, decodeSwapRelay, type RelayCall } from "./relay-facet.ts";
import { decodeStargate, decodeSwapStargate, type StargateCall } from "./stargate-facet.ts";
import {
  decodeExecute,
  decodeMultipleSwap,
  decodeSingleSwap,
  type ExecuteCall,
  type SwapCall,
} from "./swap-facets.ts";

/** Decoded calldata of a bridge transfer through LI.FI's Diamond, one type per bridge facet. */
export type BridgeCall = AcrossCall | StargateCall | CelerCall | PolymerCall | RelayCall;
/** Decoded calldata of LI.FI's Diamond (a bridge transfer or a swap) or Executor (a contract call). */
export type LifiCall = BridgeCall | SwapCall | ExecuteCall;

const TOKENS = { fromNative: false, toNative: false } as const;
const TO_NATIVE = { fromNative: false, toNative: true } as const;
const FROM_NATIVE = { fromNative: true, toNative: false } as const;

/**
 * Decoders of functions of LI.FI's Diamond and Executor, by selector in lowercase hex. A decoder takes the calldata
 * without its selector, and returns null if the encoding is not canonical.
 */
export const lifiDecoders: Readonly<Record<string, (data: Hex) => LifiCall | null>> = {
  "0xa1f1ce43": decodeAcross,
  "0x1794958f": decodeSwapAcross,
  "0x14d53077": decodeStargate,
  "0xa6010a66": decodeSwapStargate,
  "0xe0a4201c": decodeCeler,
  "0x4f3b0759": decodeSwapCeler,
  "0xf434d6ca": decodePolymer,
  "0x17917a4e": decodeSwapPolymer,
  "0x092e8fa4": decodeRelay,
  "0xa3443faa": decodeSwapRelay,
  "0x4666fc80": decodeSingleSwap(TOKENS),
  "0x733214a3": decodeSingleSwap(TO_NATIVE),
  "0xaf7060fd": decodeSingleSwap(FROM_NATIVE),
  "0x5fd9ae2e": decodeMultipleSwap(TOKENS),
  "0x2c57e884": decodeMultipleSwap(TO_NATIVE),
  "0x736eac0b": decodeMultipleSwap(FROM_NATIVE),
  "0xa83cbaa3": decodeExecute,
};

/**
 * Decodes the calldata of a LI.FI transaction. Returns null if the selector is unknown, there are no arguments, or
 * their encoding is not canonical. Never throws.
 */
export function decodeLifiCall(data: Hex): LifiCall | null {
  if (size(data) <= 4) return null;
  const selector = slice(data, 0, 4).toLowerCase();
  if (!Object.hasOwn(lifiDecoders, selector)) return null;
  return lifiDecoders[selector]?.(slice(data, 4)) ?? null;
}
