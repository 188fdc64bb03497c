import { type Address, type Hex, parseAbiParameters } from "viem";
import { once } from "../../../lib/once.ts";
import { decodeCanonical } from "./canonical-decoding.ts";
import { SWAP_DATA, type SwapData } from "./lifi-structs.ts";

/** A decoded swap on one chain. Amounts in smallest units. */
export interface SwapCall {
  kind: "swap";
  /** True when the function takes the native token. */
  fromNative: boolean;
  /** True when the function pays out the native token. */
  toNative: boolean;
  transactionId: Hex;
  integrator: string;
  referrer: string;
  receiver: Address;
  minAmountOut: bigint;
  swaps: readonly SwapData[];
}

const SWAP_HEAD =
  "bytes32 transactionId, string integrator, string referrer, address receiver, uint256 minAmountOut";
const singleSwapParameters = once(() => parseAbiParameters([`${SWAP_HEAD}, SwapData swap`, SWAP_DATA]));
const multipleSwapParameters = once(() => parseAbiParameters([`${SWAP_HEAD}, SwapData[] swaps`, SWAP_DATA]));

type NativeEnds = Pick<SwapCall, "fromNative" | "toNative">;

/**
 * Returns a decoder for GenericSwapFacetV3 2.0.0 with one swap: `swapTokensSingleV3ERC20ToERC20` 0x4666fc80,
 * `…ERC20ToNative` 0x733214a3, `…NativeToERC20` 0xaf7060fd. Source: lifinance/contracts ef00558f.
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
 * Returns a decoder for GenericSwapFacetV3 2.0.0 with several swaps: `swapTokensMultipleV3ERC20ToERC20` 0x5fd9ae2e,
 * `…ERC20ToNative` 0x2c57e884, `…NativeToERC20` 0x736eac0b.
 */
export function decodeMultipleSwap(ends: NativeEnds): (data: Hex) => SwapCall | null {
  return (data) => {
    const values = decodeCanonical(multipleSwapParameters(), data);
    if (values === null) return null;
    const [transactionId, integrator, referrer, receiver, minAmountOut, swaps] = values;
    return { kind: "swap", ...ends, transactionId, integrator, referrer, receiver, minAmountOut, swaps };
  };
}

/** A decoded contract call on one chain: the Executor takes `amount`, runs the swaps and then the call. */
export interface ExecuteCall {
  kind: "execute";
  transactionId: Hex;
  swaps: readonly SwapData[];
  transferredAssetId: Address;
  /** Receives all tokens left over. */
  receiver: Address;
  amount: bigint;
}

const executeParameters = once(() =>
  parseAbiParameters([
    "bytes32 transactionId, SwapData[] swaps, address transferredAssetId, address receiver, uint256 amount",
    SWAP_DATA,
  ]),
);

/** Decodes Executor 2.0.0 and 2.1.0 `swapAndExecute` 0xa83cbaa3. Source: lifinance/contracts ef00558f. */
export function decodeExecute(data: Hex): ExecuteCall | null {
  const values = decodeCanonical(executeParameters(), data);
  if (values === null) return null;
  const [transactionId, swaps, transferredAssetId, receiver, amount] = values;
  return { kind: "execute", transactionId, swaps, transferredAssetId, receiver, amount };
}
