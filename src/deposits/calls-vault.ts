import { zeroAddress } from "viem";
import type { Receipt, Transaction } from "../chains/transaction.ts";
import type { DepositRow } from "../db/queries/deposits.ts";
import { sameAddress } from "../lib/address.ts";
import { routerRefs, transfersOf } from "./evidence.ts";

interface Called {
  /** Of the vault: where deposits go that the user makes. */
  entryPoint: string;
  transaction: Transaction;
  receipt: Receipt;
}

/** Whether a successful transaction is the user's own call of a vault, by itself or in the batch of a smart account. */
export function callsVault(
  row: Pick<DepositRow, "userAddress" | "shareToken" | "moveToken" | "deliveredAmount" | "moveMin">,
  called: Called,
): boolean {
  const { entryPoint, transaction, receipt } = called;
  const { from, to } = transaction;
  if (sameAddress(from, row.userAddress) && to !== null && sameAddress(to, entryPoint)) return true;
  const told = receipt.logs.some(({ address }) => sameAddress(address, entryPoint));
  return (
    told && routerRefs(receipt).length === 0 && paidTheStep(row, receipt) && bringsOwnShares(row, receipt)
  );
}

/** Just what it was handed the step for: what arrived, or what was guaranteed. */
function paidTheStep(
  row: Pick<DepositRow, "userAddress" | "moveToken" | "deliveredAmount" | "moveMin">,
  { logs }: Receipt,
): boolean {
  return transfersOf(logs, row.moveToken).some(
    ({ from, value }) =>
      sameAddress(from, row.userAddress) && [row.deliveredAmount, row.moveMin].includes(value.toString()),
  );
}

/** All at once and newly minted, if any: several are of several calls, and what somebody sends was bought. */
function bringsOwnShares(row: Pick<DepositRow, "userAddress" | "shareToken">, { logs }: Receipt): boolean {
  const got = transfersOf(logs, row.shareToken).filter(({ to }) => sameAddress(to, row.userAddress));
  return got.length <= 1 && got.every(({ from }) => sameAddress(from, zeroAddress));
}
