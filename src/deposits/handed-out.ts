import { keccak256, zeroAddress } from "viem";
import type { Receipt, SeenTransaction, Transaction } from "../chains/transaction.ts";
import type { DepositRow } from "../db/queries/deposits.ts";
import { sameAddress } from "../lib/address.ts";
import { transfersOf } from "./evidence.ts";
import { innerDataHashes } from "./inner-calldata.ts";

type HandedOut = Pick<DepositRow, "userAddress" | "sourceTo" | "sourceDataHash" | "fromToken" | "fromAmount">;

/**
 * Whether a transaction does what build handed out: it is that one, or the batch of a smart account that made this
 * call among others, whoever sent it.
 */
export function carriesHandedOut(row: HandedOut, { transaction, receipt }: SeenTransaction): boolean {
  if (transaction === null) return false;
  if (isHandedOut(row, transaction)) return true;
  return receipt !== null && isBatched(row, { transaction, receipt });
}

/** Whether a transaction is the one that build handed out: same sender, target and calldata. */
export function isHandedOut(row: HandedOut, transaction: Transaction): boolean {
  return (
    sameAddress(transaction.from, row.userAddress) &&
    transaction.to !== null &&
    sameAddress(transaction.to, row.sourceTo) &&
    keccak256(transaction.input) === row.sourceDataHash
  );
}

/**
 * Whether a transaction that succeeded made the call: the calldata is among what it hands on, the call's target has
 * told of something, and the user has paid. Calldata alone anybody can repeat, and a batch may swallow a failure.
 */
function isBatched(
  row: HandedOut,
  { transaction, receipt }: { transaction: Transaction; receipt: Receipt },
): boolean {
  return (
    receipt.succeeded &&
    receipt.logs.some(({ address }) => sameAddress(address, row.sourceTo)) &&
    hasPaid(row, { transaction, receipt }) &&
    [...innerDataHashes(transaction.input)].some((hash) => hash === row.sourceDataHash)
  );
}

/** By the token's own Transfer; native money leaves no trace, so that the user's own account has to have run it. */
function hasPaid(
  { userAddress, fromToken, fromAmount }: HandedOut,
  { transaction, receipt }: { transaction: Transaction; receipt: Receipt },
): boolean {
  if (sameAddress(fromToken, zeroAddress))
    return [transaction.from, transaction.to ?? zeroAddress].some((own) => sameAddress(own, userAddress));
  return transfersOf(receipt.logs, fromToken).some(
    ({ from, value }) => sameAddress(from, userAddress) && value === BigInt(fromAmount),
  );
}
