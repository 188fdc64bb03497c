import { type Address, type Hex, isAddressEqual, parseAbiParameters, slice, zeroAddress } from "viem";
import { once } from "../../../lib/once.ts";
import { decodeCanonical } from "../decode/lifi-canonical-decoding.ts";
import type { SwapData } from "../decode/lifi-structs.ts";
import type { Verification } from "./lifi-verification.ts";

/**
 * Decoded calldata of a fee payment: the token, and the amount for each recipient in the token's smallest
 * unit.
 */
interface FeePayment {
  /** The zero address for the native token. */
  token: Address;
  distributions: readonly { recipient: Address; amount: bigint }[];
}

const FEE_DISTRIBUTION = "struct FeeDistribution { address recipient; uint256 amount; }";
const erc20FeeParameters = once(() =>
  parseAbiParameters(["address token, FeeDistribution[] distributions", FEE_DISTRIBUTION]),
);
const nativeFeeParameters = once(() =>
  parseAbiParameters(["FeeDistribution[] distributions", FEE_DISTRIBUTION]),
);

/**
 * Decodes the calldata of LI.FI's FeeForwarder 1.0.0 and 2.0.0: `forwardERC20Fees` (selector 0x332d746b) and
 * `forwardNativeFees` (0x0e8ae67f). Returns null for any other call. Source: lifinance/contracts ef00558f.
 */
function decodeFee(callData: Hex): FeePayment | null {
  if (callData.length <= 10) return null;
  const body = slice(callData, 4);
  const selector = slice(callData, 0, 4).toLowerCase();
  if (selector === "0x332d746b") {
    const values = decodeCanonical(erc20FeeParameters(), body);
    return values && { token: values[0], distributions: values[1] };
  }
  if (selector !== "0x0e8ae67f") return null;
  const values = decodeCanonical(nativeFeeParameters(), body);
  return values && { token: zeroAddress, distributions: values[0] };
}

/** Returns true if a call does not swap, because its input and output token are the same, as for a fee payment. */
export function isFeeStep(swap: SwapData): boolean {
  return isAddressEqual(swap.sendingAssetId, swap.receivingAssetId);
}

/**
 * Returns the fee that a call takes, in the paid token's smallest unit; null if it is not below the amount, if the
 * calldata does not show it exactly in that token, as at an unknown fee contract, or if another contract is approved.
 * Its recipients are not checked, because they cannot lower the guaranteed amount.
 */
export function exactFee({ request, source }: Verification, swap: SwapData): bigint | null {
  if (!source.feeForwarders.some((address) => isAddressEqual(address, swap.callTo))) return null;
  if (!isAddressEqual(swap.approveTo, swap.callTo)) return null;
  const payment = decodeFee(swap.callData);
  if (payment === null || !isAddressEqual(payment.token, request.fromToken)) return null;
  const total = payment.distributions.reduce((sum, { amount }) => sum + amount, 0n);
  return total < swap.fromAmount ? total : null;
}
