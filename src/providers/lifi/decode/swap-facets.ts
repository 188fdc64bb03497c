import { type Address, type Hex, parseAbiParameters } from "viem";
import { once } from "../../../lib/once.ts";
import { decodeCanonical } from "./lifi-canonical-decoding.ts";
import { SWAP_DATA, type SwapData } from "./lifi-structs.ts";

/**
 * Decoded calldata of a LI.FI swap on one chain. Amounts are in the tokens' smallest units. Source:
 * GenericSwapFacetV3.sol.
 */
export interface SwapCall {
  kind: "swap";
  /** True if the called function takes the native token. */
  fromNative: boolean;
  /** True if the called function pays out the native token. */
  toNative: boolean;
  transactionId: Hex;
  integrator: string;
  referrer: string;
  receiver: Address;
  /** Minimum output for the receiver; LI.FI's contract reverts below it. */
  minAmountOut: bigint;
  swaps: readonly SwapData[];
}

const SWAP_HEAD =
  "bytes32 transactionId, string integrator, string referrer, address receiver, uint256 minAmountOut";
const singleSwapParameters = once(() => parseAbiParameters([`${SWAP_HEAD}, SwapData swap`, SWAP_DATA]));
const multipleSwapParameters = once(() => parseAbiParameters([`${SWAP_HEAD}, SwapData[] swaps`, SWAP_DATA]));

/** Whether a swap function takes the native token, and whether it pays it out. */
type NativeEnds = Pick<SwapCall, "fromNative" | "toNative">;

/**
 * Returns a decoder for the arguments, without the selector, of GenericSwapFacetV3 2.0.0 `swapTokensSingleV3…`
 * (0x4666fc80, 0x733214a3, 0xaf7060fd). It returns null unless they are canonically encoded. Source:
 * lifinance/contracts ef00558f.
 */
export function decodeSingleSwap(ends: NativeEnds): (data: Hex) => SwapCall | null {
  return (data) => {
    const values = decodeCanonical(singleSwapParameters(), data);
    if (values === null) return null;
    const [transactionId, integrator, referrer, receiver, minAmountOut, swap] = values;
    const head = { transactionId, integrator, referrer, receiver, minAmountOut };
    return { kind: "swap", ...ends, ...head, swaps: [swap] };
  };
}

/**
 * Returns a decoder for the arguments, without the selector, of GenericSwapFacetV3 2.0.0 `swapTokensMultipleV3…`
 * (0x5fd9ae2e, 0x2c57e884, 0x736eac0b). It returns null unless they are canonically encoded. Source:
 * lifinance/contracts ef00558f.
 */
export function decodeMultipleSwap(ends: NativeEnds): (data: Hex) => SwapCall | null {
  return (data) => {
    const values = decodeCanonical(multipleSwapParameters(), data);
    if (values === null) return null;
    const [transactionId, integrator, referrer, receiver, minAmountOut, swaps] = values;
    return { kind: "swap", ...ends, transactionId, integrator, referrer, receiver, minAmountOut, swaps };
  };
}

/**
 * Decoded calldata of a contract call on one chain. LI.FI's Executor takes `amount` (in the smallest unit) of
 * `transferredAssetId` and makes the calls in `swaps`, the last of which is the requested contract call.
 */
export interface ExecuteCall {
  kind: "execute";
  transactionId: Hex;
  swaps: readonly SwapData[];
  transferredAssetId: Address;
  /** Receives all tokens that the calls leave over. */
  receiver: Address;
  amount: bigint;
}

const executeParameters = once(() =>
  parseAbiParameters([
    "bytes32 transactionId, SwapData[] swaps, address transferredAssetId, address receiver, uint256 amount",
    SWAP_DATA,
  ]),
);

/**
 * Decodes the arguments, without the selector, of Executor 2.0.0 and 2.1.0 `swapAndExecute` (selector 0xa83cbaa3).
 * Returns null if they are not canonically encoded. Source: lifinance/contracts ef00558f.
 */
export function decodeExecute(data: Hex): ExecuteCall | null {
  const values = decodeCanonical(executeParameters(), data);
  if (values === null) return null;
  const [transactionId, swaps, transferredAssetId, receiver, amount] = values;
  return { kind: "execute", transactionId, swaps, transferredAssetId, receiver, amount };
}
