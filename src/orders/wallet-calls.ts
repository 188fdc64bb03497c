import { type Address, encodeFunctionData, erc20Abi, type Hex, numberToHex } from "viem";
import { isNative } from "../lib/address.ts";
import { mulDivDown } from "../lib/amount.ts";
import type { TransactionRequest, WalletCall } from "../schemas/transaction.ts";

/** One call of the user's on the vault's chain. `value` in wei. */
export interface UserCall {
  target: Address;
  value: bigint;
  data: Hex;
}

/** The approvals before the deposit, in order; `reset` puts a standing allowance to zero first (USDT's rule). */
export function encodeApprovals(approval: {
  token: Address;
  spender: Address;
  amount: bigint;
  reset: boolean;
}): UserCall[] {
  if (isNative(approval.token)) return [];
  const approve = (amount: bigint): UserCall => ({
    target: approval.token,
    value: 0n,
    data: encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [approval.spender, amount] }),
  });
  return approval.reset ? [approve(0n), approve(approval.amount)] : [approve(approval.amount)];
}

/** A transaction with the gas limit that its simulated use asks for. */
export function toTransactionRequest(
  call: UserCall,
  seen: { chainId: number; gasUsed: bigint },
): TransactionRequest {
  return {
    to: call.target,
    data: lowerHex(call.data),
    value: call.value.toString(),
    chain_id: seen.chainId,
    gas_limit: gasLimit(seen.gasUsed).toString(),
  };
}

/** One call of an EIP-5792 list. */
export function toWalletCall(call: UserCall, chainId: number): WalletCall {
  return {
    to: call.target,
    data: lowerHex(call.data),
    value: numberToHex(call.value),
    chain_id: numberToHex(chainId),
  };
}

/** As nodes write it: whoever compares a transaction's input with what was handed out compares text. */
const lowerHex = (data: Hex): Hex => data.toLowerCase() as Hex;

/** Refunds give back at most a fifth (EIP-3529) and calls keep back a 64th (EIP-150); the state may move on, too. */
const GAS_HEADROOM = { numerator: 14n, denominator: 10n, base: 60_000n } as const;

/** The gas limit for a transaction that was seen to use `gasUsed`. */
export function gasLimit(gasUsed: bigint): bigint {
  return mulDivDown(gasUsed, GAS_HEADROOM.numerator, GAS_HEADROOM.denominator) + GAS_HEADROOM.base;
}
