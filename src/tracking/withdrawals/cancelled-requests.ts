import type { WithdrawalRow } from "../../db/queries/deposit-queries.ts";
import { type EndSeen, partsOf, sharesOf } from "./withdrawal-settlements.ts";
import { isOpenRequest } from "./withdrawal-state-machine.ts";

/** The settlements that may be a request's; `decided` if the cancelled shares show that they are no other one's. */
export interface CancelledShares {
  seen: readonly EndSeen[];
  decided: boolean;
}

interface Shared {
  seen: readonly EndSeen[];
  /** The user's other withdrawals that are open or that settlements ended. */
  others: readonly WithdrawalRow[];
  /** Shares of cancelled requests that wait to be claimed back, in the share token's smallest unit. */
  returned: bigint;
  /** Block of the first request among those of `others` that are open; null if none is. */
  aloneUntil: bigint | null;
}

const isCancelled = ({ settlement }: EndSeen): boolean => settlement.outcome === "cancelled";

/**
 * Returns those of the settlements that may be this request's, where a vault holds a user's requests together and a
 * claim of cancelled shares does not name the requests. If several are open, the cancelled one is the one with as many
 * shares, or it is all of them. Null if that does not show whether this one was paid or cancelled. Pure.
 */
export function splitCancelled(
  row: WithdrawalRow,
  { seen, others, returned, aloneUntil }: Shared,
): CancelledShares | null {
  const [cancelled, paid] = [seen.filter(isCancelled), seen.filter((end) => !isCancelled(end))];
  const all = cancelled.reduce((sum, { settlement }) => sum + (settlement.shares ?? 0n), returned);
  if (all === 0n) return { seen, decided: false };
  if (others.some((other) => isUnclear(other, { cancelled, paid }))) return null;
  if (aloneUntil === null) return { seen, decided: false };
  const alone = seen.filter(({ receipt }) => receipt.blockNumber < aloneUntil);
  if (partsOf(row, { seen: alone, others, awaitsMore: true }).complete)
    return { seen: alone, decided: false };
  const open = others.filter(({ state }) => isOpenRequest(state));
  const back = others.filter(
    ({ refundTxHash, claimTxHash }) =>
      claimTxHash === null && cancelled.some(({ hash }) => hash === refundTxHash),
  );
  const left = all - sharesOf(back);
  if (left <= 0n) return { seen: paid, decided: false };
  const isEqual = open.some(({ shares }) => shares === left.toString());
  if (row.shares === left.toString()) return isEqual ? null : { seen: cancelled, decided: true };
  if (isEqual) return { seen: paid, decided: true };
  if (sharesOf([row, ...open]) === left) return { seen: cancelled, decided: true };
  // Without a payment, there is nothing to mix it up with.
  return paid.length === 0 ? { seen, decided: false } : null;
}

/** Returns true if a withdrawal ended as paid and cancelled by settlements because nothing showed which it was. */
function isUnclear(
  { claimTxHash, refundTxHash, assets }: WithdrawalRow,
  { cancelled, paid }: { cancelled: readonly EndSeen[]; paid: readonly EndSeen[] },
): boolean {
  const isAmong = (hash: string | null, ends: readonly EndSeen[]) => ends.some((end) => end.hash === hash);
  return assets === null && isAmong(claimTxHash, paid) && isAmong(refundTxHash, cancelled);
}
