import type { Context } from "../context.ts";
import { type DepositHint, selectHints } from "../db/queries/deposit-hint-queries.ts";
import type { WithdrawalRow } from "../db/queries/deposit-queries.ts";
import { sameAddress } from "../lib/address.ts";
import type { TransferStatus } from "../schemas/deposit-schema.ts";
import type { TransactionReader } from "../tracking/deposits/deposit-transaction-reader.ts";
import { trackWithdrawal } from "../tracking/withdrawals/track-withdrawal.ts";
import {
  currentWithdrawalState,
  isUnseenWithdrawal,
  statusOfWithdrawal,
} from "../tracking/withdrawals/withdrawal-state-machine.ts";
import { nextExitStep } from "../withdrawals/next-withdrawal-step.ts";
import { pollWithdrawalAfter, readWithdrawalSteps } from "../withdrawals/withdrawal-steps.ts";
import { followRepeatedTransfer, followReplayedWithdrawal } from "./status-replayed-withdrawal.ts";
import {
  type FoundTransaction,
  isLikelyOwn,
  isRevertedSource,
  isWithdrawalProvenBy,
  type MatchKind,
  UNCONFIRMED,
} from "./status-transaction-match.ts";
import { repeatedTransferSides, withdrawalSides } from "./status-transfer-sides.ts";

interface MatchedWithdrawal {
  row: WithdrawalRow;
  kind: MatchKind;
  found: FoundTransaction;
  readTransaction: TransactionReader;
}

/**
 * Returns the status of a transaction that may belong to a withdrawal; that is tracked first, except for a replay. Null
 * if the transaction does not count as the withdrawal's; a pending report, a replay or a repeated second step has
 * nothing to sign. Throws `store_unavailable`, `vault_not_found`, and `chain_unsupported`, `upstream_unavailable` or
 * `upstream_timeout` if a chain that the answer needs cannot be read.
 */
export async function getWithdrawalStatus(
  ctx: Context,
  { row: stored, kind, found, readTransaction }: MatchedWithdrawal,
): Promise<TransferStatus | null> {
  if (kind === "replayed") {
    const replay = await followReplayedWithdrawal(ctx, { row: stored, found, readTransaction });
    return replay === null ? null : toStatus(ctx, { row: replay, offers: false });
  }
  const { trackingId } = stored;
  const own: DepositHint = {
    ...{ trackingId, chainId: found.chainId, txHash: found.hash },
    ...{ origin: "logs", notedAt: new Date(ctx.now()), droppedAt: null },
  };
  const hints = [...(await selectHints(ctx.db, [trackingId])), own];
  const { row, unreadable } = await trackWithdrawal(ctx, { row: stored, readTransaction, hints });
  const carries = row.sourceTxHash === found.hash || isWithdrawalProvenBy(row, found.hash);
  if (carries) return toStatus(ctx, { row, offers: true });
  if (unreadable !== null && found.seen?.receipt != null && isLikelyOwn(row, { kind, found }))
    throw unreadable;
  if (isUnseenWithdrawal(row.state) && isRevertedSource(kind, found))
    return { ...(await toStatus(ctx, { row, offers: false })), ...UNCONFIRMED };
  // Its receipt shows neither a payment nor a request, or another transaction is this withdrawal's.
  const waits = kind !== "proven" && isPendingReport(row, found);
  if (waits) return toStatus(ctx, { row, offers: false });
  const again = await followRepeatedTransfer(ctx, { row, found, readTransaction });
  if (again === null) return null;
  const sides = await repeatedTransferSides(ctx, { ...again, hash: found.hash });
  return { ...(await toStatus(ctx, { row: again.row, offers: false })), ...sides };
}

/**
 * Returns true if a reported transaction without other evidence may be shown as the withdrawal's, with nothing to sign:
 * a pending one of the user or, while the withdrawal has not been seen, one that is not found on-chain.
 */
function isPendingReport(row: WithdrawalRow, { seen }: FoundTransaction): boolean {
  if (seen?.receipt != null) return false;
  const sender = seen?.transaction?.from ?? null;
  return sender === null ? isUnseenWithdrawal(row.state) : sameAddress(sender, row.userAddress);
}

async function toStatus(
  ctx: Context,
  { row, offers }: { row: WithdrawalRow; offers: boolean },
): Promise<TransferStatus> {
  const state = currentWithdrawalState(row, ctx.now());
  const { next, refusal } = offers ? await nextExitStep(ctx, row) : { next: null, refusal: null };
  const steps = offers ? await readWithdrawalSteps(ctx, { row, state, next }) : [];
  return {
    ...statusOfWithdrawal(state, row.substatus),
    ...(await withdrawalSides(ctx, row)),
    bridge: row.bridge,
    router_explorer: row.routerExplorer,
    deposit: null,
    withdrawal: {
      tracking_id: row.trackingId,
      state,
      assets: row.assets,
      next,
      next_refusal: refusal,
      steps,
    },
    poll_after_ms: pollWithdrawalAfter(state, next),
  };
}
