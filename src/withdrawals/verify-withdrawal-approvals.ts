import { type Address, decodeFunctionData, erc20Abi, type Hex, isAddressEqual } from "viem";
import type { UserCall } from "../orders/order-wallet-calls.ts";
import { requireSame } from "./verify-withdrawal.ts";

/**
 * Verifies that each call but the last approves `token` for `spender`, with `amount` (in its smallest unit) or zero,
 * and sends no value. If `spender` is null, no approval is accepted. Throws `upstream_rejected`.
 */
export function verifyApprovals(
  calls: readonly UserCall[],
  of: { token: Address; spender: Address | null; amount: bigint },
): void {
  for (const { target, value, data } of calls.slice(0, -1)) {
    requireSame(of.spender !== null && value === 0n && isAddressEqual(target, of.token), "approval token");
    const approved = approvalIn(data);
    requireSame(approved !== null, "approval data");
    requireSame(isAddressEqual(approved.spender, of.spender), "approval spender");
    requireSame(approved.amount === 0n || approved.amount === of.amount, "approval amount");
  }
}

function approvalIn(data: Hex): { spender: Address; amount: bigint } | null {
  try {
    const { functionName, args } = decodeFunctionData({ abi: erc20Abi, data });
    return functionName === "approve" ? { spender: args[0], amount: args[1] } : null;
  } catch {
    return null;
  }
}
