import { type Address, type Hex, parseAbiParameters } from "viem";
import { once } from "../../../lib/once.ts";
import { decodeExact } from "./exact.ts";
import { SWAP_DATA, type SwapData } from "./structs.ts";

/** A swap on one chain. Amounts in smallest units. */
export interface SwapCall {
  kind: "swap";
  /** Whether the entry takes or gives the native token. */
  fromNative: boolean;
  toNative: boolean;
  transactionId: Hex;
  integrator: string;
  referrer: string;
  receiver: Address;
  minAmountOut: bigint;
  swaps: readonly SwapData[];
}

const HEAD =
  "bytes32 transactionId, string integrator, string referrer, address receiver, uint256 minAmountOut";
const single = once(() => parseAbiParameters([`${HEAD}, SwapData swap`, SWAP_DATA]));
const multiple = once(() => parseAbiParameters([`${HEAD}, SwapData[] swaps`, SWAP_DATA]));

type Ends = Pick<SwapCall, "fromNative" | "toNative">;

/**
 * GenericSwapFacetV3 2.0.0, one swap: `swapTokensSingleV3ERC20ToERC20` 0x4666fc80, `…ERC20ToNative` 0x733214a3,
 * `…NativeToERC20` 0xaf7060fd. Source: lifinance/contracts ef00558f.
 */
export function decodeSingleSwap(ends: Ends): (data: Hex) => SwapCall | null {
  return (data) => {
    const values = decodeExact(single(), data);
    if (values === null) return null;
    const [transactionId, integrator, referrer, receiver, minAmountOut, swap] = values;
    const head = { transactionId, integrator, referrer, receiver, minAmountOut };
    return { kind: "swap", ...ends, ...head, swaps: [swap] };
  };
}

/**
 * GenericSwapFacetV3 2.0.0, several: `swapTokensMultipleV3ERC20ToERC20` 0x5fd9ae2e, `…ERC20ToNative` 0x2c57e884,
 * `…NativeToERC20` 0x736eac0b.
 */
export function decodeMultipleSwap(ends: Ends): (data: Hex) => SwapCall | null {
  return (data) => {
    const values = decodeExact(multiple(), data);
    if (values === null) return null;
    const [transactionId, integrator, referrer, receiver, minAmountOut, swaps] = values;
    return { kind: "swap", ...ends, transactionId, integrator, referrer, receiver, minAmountOut, swaps };
  };
}
