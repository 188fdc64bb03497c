import type { Hex } from "viem";
import type { Receipt } from "../../chains/chain-transaction.ts";
import type { Context } from "../../context.ts";
import type { WithdrawalRow } from "../../db/queries/deposit-queries.ts";
import { requireReceipts, type TransactionReader } from "../deposits/deposit-transaction-reader.ts";
import type { SharedRequest } from "./cancelled-requests.ts";
import type { ExitSubject } from "./read-exit-request.ts";
import { type EndSeen, endedBy } from "./withdrawal-settlements.ts";
import { isOpenRequest } from "./withdrawal-state-machine.ts";

/**
 * Reads when the requests were made that a vault holds together: `row`, and those of `others` that are open or that
 * settlements ended. The oldest is first. Throws `upstream_unavailable` if no node knows a proven one.
 */
export async function readSharedRequests(
  ctx: Context,
  of: {
    row: ExitSubject;
    others: readonly WithdrawalRow[];
    seen: readonly EndSeen[];
    readTransaction: TransactionReader;
  },
): Promise<SharedRequest[]> {
  const { row, others, seen, readTransaction } = of;
  const isSame = (one: ExitSubject, other: ExitSubject): boolean =>
    one.sourceTxHash !== null &&
    one.sourceTxHash === other.sourceTxHash &&
    one.sourceDataHash === other.sourceDataHash;
  const shared = others.filter(
    (other, index) =>
      (isOpenRequest(other.state) || seen.some(({ hash }) => endedBy(other, hash))) &&
      // Equal withdrawals with one transaction stand for one request.
      !others.slice(0, index).some((earlier) => isSame(earlier, other)),
  );
  const rows: ExitSubject[] = [row, ...shared];
  // A request at an unknown time would decide which of them was cancelled.
  const hashes = rows.flatMap((one) => (one.sourceProven ? (one.sourceTxHash ?? []) : []));
  const read = requireReceipts(ctx, { readTransaction, chainId: row.vaultChainId, hashes });
  const made = await Promise.all(
    rows.map(async (one) => {
      if (one.sourceTxHash === null) return { row: one, receipt: null };
      const { receipt } = await read(one.vaultChainId, one.sourceTxHash as Hex);
      return { row: one, receipt };
    }),
  );
  made.sort(inTime);
  return made.map(({ row: one, receipt }) => ({
    row: one,
    // Shares that are returned in the transaction of a request are not its own.
    mayEndBy: (end) => end.hash !== one.sourceTxHash && (receipt === null || !isBefore(end.receipt, receipt)),
  }));
}

type Made = { row: ExitSubject; receipt: Receipt | null };

function inTime(one: Made, other: Made): number {
  const [first, second] = [one.receipt, other.receipt];
  if (first === null || second === null) return Number(first !== null) - Number(second !== null);
  if (isBefore(first, second)) return -1;
  if (isBefore(second, first)) return 1;
  return one.row.trackingId < other.row.trackingId ? -1 : 1;
}

/** Returns true if a transaction is known to come before another one. */
function isBefore(one: Receipt, other: Receipt): boolean {
  if (one.blockNumber !== other.blockNumber) return one.blockNumber < other.blockNumber;
  const [place, otherPlace] = [placeOf(one), placeOf(other)];
  return place !== null && otherPlace !== null && place < otherPlace;
}

/** Returns a transaction's place in its block, which only its logs show. */
const placeOf = ({ logs }: Receipt): number | null => logs[0]?.transactionIndex ?? null;
