import { type Address, type Hex, parseAbiParameters, slice, zeroAddress } from "viem";
import { once } from "../../../lib/once.ts";
import { decodeExact } from "./exact.ts";

export interface FeePayment {
  /** The zero address for native. */
  token: Address;
  distributions: readonly { recipient: Address; amount: bigint }[];
}

const DISTRIBUTION = "struct FeeDistribution { address recipient; uint256 amount; }";
const erc20 = once(() =>
  parseAbiParameters(["address token, FeeDistribution[] distributions", DISTRIBUTION]),
);
const native = once(() => parseAbiParameters(["FeeDistribution[] distributions", DISTRIBUTION]));

/**
 * FeeForwarder 1.0.0 and 2.0.0: `forwardERC20Fees` 0x332d746b, `forwardNativeFees` 0x0e8ae67f; null for any
 * other call. Source: lifinance/contracts ef00558f.
 */
export function decodeFee(callData: Hex): FeePayment | null {
  if (callData.length <= 10) return null;
  const body = slice(callData, 4);
  const selector = slice(callData, 0, 4).toLowerCase();
  if (selector === "0x332d746b") {
    const values = decodeExact(erc20(), body);
    return values && { token: values[0], distributions: values[1] };
  }
  if (selector !== "0x0e8ae67f") return null;
  const values = decodeExact(native(), body);
  return values && { token: zeroAddress, distributions: values[0] };
}
