import type { ExitSettlement, PendingExit } from "../../vaults/vault-exits.ts";
import type { ExitSubject } from "./read-exit-request.ts";
import { paysRequestedToken } from "./withdrawal-proofs.ts";
import { type EndSeen, sharesPaid } from "./withdrawal-settlements.ts";
import type { OnchainWithdrawalEvent } from "./withdrawal-state-machine.ts";
import type { WithdrawalTransition } from "./withdrawal-transitions.ts";

/** Returns the transition to the state in which the vault reports an open request. */
export function reportedTransition(row: ExitSubject, request: PendingExit): WithdrawalTransition {
  const pending = row.mode === "cooldown" ? "cooldown_pending" : "request_pending";
  // Some vaults show the id of a request only in their views, and positions name a withdrawal by it.
  const named = row.requestId === null ? { requestId: request.requestId } : {};
  const as = (shows: OnchainWithdrawalEvent, substatus: string | null = null): WithdrawalTransition => ({
    event: { kind: "chain", shows, confirmed: true },
    change: { substatus, ...named },
    write: row.requestId === null ? "always" : "on_change",
  });
  switch (request.state) {
    case "claimable":
      return as("request_claimable");
    case "rejected":
      return as("request_rejected");
    case "expired":
      return request.inWallet ? as("request_expired", "EXPIRED") : as(pending);
    case "pending":
      return as(pending);
  }
}

/**
 * Returns the transition of a request that has ended. `assets` is the payment in the paid token's smallest unit, or
 * null if unknown or shared with other requests. `kept`: the user still has a part of the shares, which is not paid.
 */
export function endTransition(
  row: ExitSubject,
  { parts, assets, kept }: { parts: readonly EndSeen[]; assets: bigint | null; kept: boolean },
): WithdrawalTransition {
  const last = (outcome: ExitSettlement["outcome"]) =>
    parts.findLast(({ settlement }) => settlement.outcome === outcome)?.hash;
  const as = (
    shows: OnchainWithdrawalEvent,
    change: WithdrawalTransition["change"],
  ): WithdrawalTransition => ({
    event: { kind: "chain", shows, confirmed: true },
    change: { substatus: null, ...change },
    write: "on_change",
  });
  const [claim, rejection, cancellation] = [last("paid"), last("rejected"), last("cancelled")];
  const refundTxHash = rejection ?? cancellation;
  if (claim === undefined && refundTxHash !== undefined)
    return as(rejection === undefined ? "request_cancelled" : "request_rejected", { refundTxHash });
  // What a vault paid at once belongs to the same withdrawal.
  const total = assets === null ? null : (assets + BigInt(row.assets ?? "0")).toString();
  const redeemed = kept && assets !== null ? sharesPaid(parts) : null;
  const shares = redeemed === null ? {} : { shares: redeemed.toString() };
  const paid = { claimTxHash: claim ?? null, assets: total, ...shares };
  if (total === "0" && refundTxHash === undefined && !kept)
    return as("request_unpaid", { ...paid, substatus: "UNKNOWN_ERROR" });
  if (refundTxHash !== undefined) return as("partly_paid", { ...paid, refundTxHash });
  return paysRequestedToken(row)
    ? as(kept ? "partly_paid" : "token_paid", { ...paid, deliveredAmount: total })
    : as("assets_paid", paid);
}
