import type { Hex } from "viem";
import type { Receipt, Transaction, TransactionOnChain } from "../../chains/chain-transaction.ts";
import type { DepositRow } from "../../db/queries/deposit-queries.ts";
import { countShareTransfers } from "./deposit-proofs.ts";
import { isClaimed, isRequested } from "./deposit-state-machine.ts";
import type { TransactionReader } from "./deposit-transaction-reader.ts";
import type { RequestState } from "./track-deposit-request.ts";

/**
 * The fields of a deposit by which its request at an asynchronous vault is followed. For a request that this service
 * did not build (`tracked` is false), `trackingId` is an id that no other request has, and `fromAmount` is in the asset's
 * smallest unit (empty if unknown).
 */
export type RequestSubject = Pick<
  DepositRow,
  | "trackingId"
  | "userAddress"
  | "vaultChainId"
  | "vaultAddress"
  | "shareToken"
  | "fromAmount"
  | "receivedAmount"
  | "requestId"
  | "depositTxHash"
  | "claimTxHash"
> & { tracked?: false };

/** A transaction that succeeded, and its receipt. */
interface Mined {
  transaction: Transaction;
  receipt: Receipt;
}

/** Returns a transaction that succeeded in block `since` or a later one; null for any other. */
export function minedSince({ transaction, receipt }: TransactionOnChain, since: bigint): Mined | null {
  if (transaction === null || receipt === null || !receipt.succeeded) return null;
  return receipt.blockNumber < since ? null : { transaction, receipt };
}

/** A transaction that may have settled a request, with the requests beside it. */
export interface Judged extends Mined {
  row: RequestSubject;
  readTransaction: TransactionReader;
  now: RequestState;
  /** The user's other requests at the vault. */
  others: readonly DepositRow[];
  hash: Hex;
}

/**
 * Whose shares a claim transaction sent: only those of the given request (`own`), perhaps those of other requests too
 * (`shared`), or only those of other requests (`another's`).
 */
export type ClaimOwnership = "own" | "shared" | "another's";

/**
 * Decides whose shares a claim transaction sent. `others` are the account's other requests at the vault. Errors of the
 * RPC nodes propagate.
 */
export async function claimOwnership(
  of: { row: RequestSubject; others: readonly DepositRow[]; receipt: Receipt; hash: Hex },
  readTransaction: TransactionReader,
): Promise<ClaimOwnership> {
  const { row, others, receipt, hash } = of;
  const several = countShareTransfers(row, receipt) > 1;
  // A vault with one balance per account settles all of its requests together, and no event says how the shares are
  // divided; one with request ids sends the shares of each request separately.
  const together = (other: DepositRow): boolean => other.requestId === row.requestId || several;
  const claimed = others.filter((other) => isClaimed(other) && other.claimTxHash === hash);
  if (claimed.some((other) => !together(other))) return "another's";
  if (claimed.length > 0) return "shared";
  const before = await openBefore({ others: others.filter(together), receipt, hash }, readTransaction);
  return before.length > 0 ? "shared" : "own";
}

/** Returns the open requests among `others` that were made up to a receipt's block, but not by its transaction. */
async function openBefore(
  { others, receipt, hash }: Pick<Judged, "others" | "receipt" | "hash">,
  readTransaction: TransactionReader,
): Promise<DepositRow[]> {
  const before: DepositRow[] = [];
  for (const other of others) {
    // A request is settled after its own transaction, which may claim an earlier one.
    if (!isRequested(other) || other.depositTxHash === null || other.depositTxHash === hash) continue;
    const asked = await readTransaction(other.vaultChainId, other.depositTxHash as Hex);
    // Its request is proven: a node that has forgotten the transaction does not show that it came later.
    if ((asked.receipt?.blockNumber ?? 0n) <= receipt.blockNumber) before.push(other);
  }
  return before;
}

/** Returns the assets of a request, in the asset's smallest unit. */
export const askedBy = ({
  receivedAmount,
  fromAmount,
}: Pick<RequestSubject, "receivedAmount" | "fromAmount">): bigint => BigInt(receivedAmount ?? fromAmount);

/** Returns the assets of a request as text, or null if they are unknown. */
export const askedOrNull = ({
  receivedAmount,
  fromAmount,
}: Pick<RequestSubject, "receivedAmount" | "fromAmount">): string | null =>
  receivedAmount ?? (fromAmount === "" ? null : fromAmount);

/**
 * Returns true if a deposit stands for the request of a row: one that was not built here, equal and in the same
 * transaction. Each tracked deposit has a request of its own. Pure.
 */
export const isSameRequest = (one: DepositRow, row: RequestSubject): boolean =>
  row.tracked === false && one.depositTxHash === row.depositTxHash && askedBy(one) === askedBy(row);

/** The assets of a request and of those beside it that a transaction may have settled too. */
interface AskedTogether {
  /** Their sum, in the asset's smallest unit. */
  assets: bigint;
  /** True if one of the others was made before it. */
  isLater: boolean;
}

/**
 * Returns the assets of a request and of the user's other open ones with its id that were made before a receipt. What is
 * paid for less than these counts for the earliest first. Errors of the RPC nodes propagate.
 */
export async function askedTogether(of: Judged): Promise<AskedTogether> {
  const { row, readTransaction } = of;
  const others = of.others.filter((other) => other.requestId === row.requestId && !isSameRequest(other, row));
  const before = await openBefore({ ...of, others }, readTransaction);
  const assets = [row, ...before].reduce((sum, one) => sum + askedBy(one), 0n);
  const own = await blockOf(row);
  const blocks = await Promise.all(before.map(blockOf));
  const isEarlier = (block: bigint, index: number) =>
    block < own || (block === own && (before[index]?.trackingId ?? "") < row.trackingId);
  return { assets, isLater: blocks.some(isEarlier) };

  async function blockOf({ vaultChainId, depositTxHash }: RequestSubject): Promise<bigint> {
    const { receipt } = await readTransaction(vaultChainId, depositTxHash as Hex);
    return receipt?.blockNumber ?? 0n;
  }
}
