import { type Address, type Hex, isAddressEqual, parseAbiParameters, slice, zeroAddress } from "viem";
import { once } from "../../../lib/once.ts";
import { decodeCanonical } from "../decode/canonical-decoding.ts";
import type { SwapData } from "../decode/lifi-structs.ts";
import { feeRecipients } from "../lifi-deployments.ts";
import { requireMatch, type Verification } from "./lifi-verification.ts";

/**
 * Decoded calldata of a fee payment: the token, and the amount for each recipient in the token's smallest
 * unit.
 */
export interface FeePayment {
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

/** Divisor for the cap on LI.FI's fee: 1% of the amount. The actual fee is 0.25%. */
const FEE_CAP_DIVISOR = 100n;

/** Returns true if a call pays a fee instead of swapping: its input and output token are the same. */
export function isFeeStep(swap: SwapData): boolean {
  return isAddressEqual(swap.sendingAssetId, swap.receivingAssetId);
}

/**
 * Verifies the calldata of a fee payment and returns the fee, in the token's smallest unit. The payment must
 * use LI.FI's fee contract, pay only LI.FI's recipients, be at most 1% of the amount and equal the fee that
 * the quote claims. Throws `upstream_rejected` if it does not.
 */
export function checkFee(verification: Verification, swap: SwapData): bigint {
  const { request, claim, source } = verification;
  requireMatch(
    source.feeForwarders.some((address) => isAddressEqual(address, swap.callTo)),
    "fee.callTo",
  );
  requireMatch(isAddressEqual(swap.approveTo, swap.callTo), "fee.approveTo");
  const payment = decodeFee(swap.callData);
  requireMatch(payment !== null, "fee.callData");
  requireMatch(isAddressEqual(payment.token, request.fromToken), "fee.token");
  for (const { recipient } of payment.distributions) {
    requireMatch(
      feeRecipients.some((address) => isAddressEqual(address, recipient)),
      "fee.recipient",
    );
  }
  const total = payment.distributions.reduce((sum, { amount }) => sum + amount, 0n);
  requireMatch(total <= request.amount / FEE_CAP_DIVISOR, "fee.amount");
  if (claim.takenFees !== null) requireMatch(total === claim.takenFees, "fee.amount");
  return total;
}
