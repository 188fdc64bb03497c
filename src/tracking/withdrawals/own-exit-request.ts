import type { WithdrawalRow } from "../../db/queries/deposit-queries.ts";
import type { PendingExit } from "../../vaults/vault-exits.ts";
import { sharesOf } from "./withdrawal-settlements.ts";
import { isOpenRequest } from "./withdrawal-state-machine.ts";

/**
 * Finds a withdrawal's request among the user's. If the row has a request id: the request with that id, otherwise the
 * only one whose id differs in nothing but that a queue precedes one of the two (`queue:id`), otherwise the first whose
 * claim returns shares, which is also preferred if it has the row's shares and the one with its id has fewer. If the row
 * has no id, the shares of the open `others` are deducted from the requests; of those with shares left, it is the first
 * with as many as the row, otherwise the only one, or `ambiguous` if there are several. Null if none matches. Pure.
 */
export function ownRequest(
  row: Pick<WithdrawalRow, "requestId" | "shares">,
  { open, others }: { open: readonly PendingExit[]; others: readonly WithdrawalRow[] },
): PendingExit | "ambiguous" | null {
  const { requestId: id } = row;
  if (id !== null) {
    const own = open.find(({ requestId }) => requestId === id);
    // Ids name a queue only if it is not the vault's main one, which may change.
    const renamed = open.filter(
      ({ requestId }) =>
        (requestId.endsWith(`:${id}`) || id.endsWith(`:${requestId}`)) &&
        others.every((other) => other.requestId !== requestId),
    );
    const sole = renamed.length === 1 ? renamed[0] : undefined;
    // The shares of a cancelled request wait to be claimed back under an id of their own.
    const back = open.find(({ pays }) => pays === "shares") ?? null;
    // Where requests have no ids, less than the row's shares is what a later request has there.
    const isReturned = row.shares !== null && back?.shares?.toString() === row.shares;
    const isLess = own?.shares != null && own.shares < BigInt(row.shares ?? "0");
    return isReturned && isLess ? back : (own ?? sole ?? back);
  }
  // A vault may hold several requests under one id.
  const leftOf = ({ requestId, shares }: PendingExit): bigint | null =>
    shares === null
      ? null
      : shares - sharesOf(others.filter((one) => isOpenRequest(one.state) && one.requestId === requestId));
  const free = open.filter((one) => (leftOf(one) ?? 1n) > 0n);
  const same = free.find((one) => leftOf(one)?.toString() === row.shares);
  return same ?? (free.length > 1 ? "ambiguous" : (free[0] ?? null));
}
