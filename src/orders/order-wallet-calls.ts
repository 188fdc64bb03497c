import { type Address, encodeFunctionData, erc20Abi, type Hex, numberToHex } from "viem";
import { isNative } from "../lib/address.ts";
import { mulDivDown } from "../lib/amount.ts";
import type { TransactionRequest, WalletCall } from "../schemas/transaction-schema.ts";

/** A call that the user's wallet, or the submitter of a signed order, sends as a transaction. `value` is in wei. */
export interface UserCall {
  target: Address;
  value: bigint;
  data: Hex;
}

/**
 * Encodes the ERC-20 approvals that precede a call: of zero if `reset` is true, as USDT requires where an allowance
 * remains, then of `amount` (smallest unit). Empty for the native currency.
 */
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

/**
 * Converts a call to a transaction request for a wallet. The value is a decimal string in wei; the calldata is
 * lowercase; the gas limit is `gasLimit(gasUsed)`, where `gasUsed` is the gas of the simulation.
 */
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

/**
 * Converts a call to an entry of a `wallet_sendCalls` request (EIP-5792): value and chain id in hexadecimal, calldata
 * in lowercase.
 */
export function toWalletCall(call: UserCall, chainId: number): WalletCall {
  return {
    to: call.target,
    data: lowerHex(call.data),
    value: numberToHex(call.value),
    chain_id: numberToHex(chainId),
  };
}

/** Returns calldata in lowercase, as nodes return a transaction's input, because callers compare the two as strings. */
const lowerHex = (data: Hex): Hex => data.toLowerCase() as Hex;

/**
 * Margin of the gas limit over the simulated gas: refunds return at most a fifth (EIP-3529), every call withholds 1/64
 * of the gas (EIP-150), and the state may change before inclusion.
 */
const GAS_HEADROOM = { numerator: 14n, denominator: 10n, base: 60_000n } as const;

/** Returns the gas limit for a transaction whose simulation used `gasUsed`: 1.4 times that plus 60,000. */
export function gasLimit(gasUsed: bigint): bigint {
  return mulDivDown(gasUsed, GAS_HEADROOM.numerator, GAS_HEADROOM.denominator) + GAS_HEADROOM.base;
}
