import { type Hex, numberToHex } from "viem";
import type { Approval, TransactionRequest, WalletCall } from "../schemas/transaction.ts";
import type { UserCall } from "./encode.ts";
import { gasLimit } from "./floors.ts";
import { approvedSpender, type Intent, paysNative } from "./intent.ts";
import type { DirectDeposit } from "./prepare-direct.ts";

/** What a wallet needs to send a prepared deposit. */
export interface Sendable {
  transaction_request: TransactionRequest;
  approval: Approval | null;
  calls: WalletCall[];
}

/** Writes a deposit on the vault's chain as the API hands it out. */
export function toSendable({ intent, deposit, simulated }: DirectDeposit): Sendable {
  const { chainId } = intent.vault;
  return {
    transaction_request: toTransactionRequest(deposit, { chainId, gasUsed: simulated.gasUsed }),
    approval: toApproval(intent),
    calls: simulated.calls.map((call) => toWalletCall(call, chainId)),
  };
}

/** The approval a plain wallet sends first; null for a native source. */
export function toApproval(intent: Intent): Approval | null {
  if (paysNative(intent)) return null;
  return {
    token_address: intent.token.address,
    spender_address: approvedSpender(intent),
    amount: intent.amount.toString(),
  };
}

/** A transaction with the gas limit that its simulated use asks for. */
export function toTransactionRequest(
  call: UserCall,
  seen: { chainId: number; gasUsed: bigint },
): TransactionRequest {
  return {
    to: call.target,
    data: plainHex(call.data),
    value: call.value.toString(),
    chain_id: seen.chainId,
    gas_limit: gasLimit(seen.gasUsed).toString(),
  };
}

/** One call of an EIP-5792 list. */
export function toWalletCall(call: UserCall, chainId: number): WalletCall {
  return {
    to: call.target,
    data: plainHex(call.data),
    value: numberToHex(call.value),
    chain_id: numberToHex(chainId),
  };
}

/** As nodes write it: whoever compares a transaction's input with what was handed out compares text. */
const plainHex = (data: Hex): Hex => data.toLowerCase() as Hex;
