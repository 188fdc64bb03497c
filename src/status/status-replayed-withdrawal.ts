import type { Context } from "../context.ts";
import type { WithdrawalRow } from "../db/queries/deposit-queries.ts";
import { selectBuiltTransfers } from "../db/queries/withdrawal-queries.ts";
import { AppError } from "../errors.ts";
import { describeError } from "../lib/logger.ts";
import type { TransactionReader } from "../tracking/deposits/deposit-transaction-reader.ts";
import { exitSourceTransitions } from "../tracking/withdrawals/track-withdrawal-source.ts";
import {
  exitDeliveryTransitions,
  findBuiltTransfer,
} from "../tracking/withdrawals/track-withdrawal-transfer.ts";
import { secondStepOf } from "../tracking/withdrawals/withdrawal-state-machine.ts";
import {
  previewWithdrawal,
  type WithdrawalTransition,
} from "../tracking/withdrawals/withdrawal-transitions.ts";
import type { FoundTransaction } from "./status-transaction-match.ts";

interface ReplayedWithdrawal {
  /** The stored withdrawal, which the original transaction proves. */
  row: WithdrawalRow;
  /** The second transaction. */
  found: FoundTransaction;
  readTransaction: TransactionReader;
}

/**
 * Follows a second transaction that repeats a withdrawal through a bridge. Returns the row as if that transaction were
 * the only known one; null if it does not show the withdrawal or its chain was not read. The stored row is not changed.
 * Throws `store_unavailable`, `vault_not_found` and errors of the RPC nodes.
 */
export async function followReplayedWithdrawal(
  ctx: Context,
  { row, found, readTransaction }: ReplayedWithdrawal,
): Promise<WithdrawalRow | null> {
  const { hash, seen } = found;
  if (seen === null) return null;
  const first = resetWithdrawal(row);
  const transitions = await exitSourceTransitions(ctx, { row: first, hash, seen });
  if (transitions.length === 0) return null;
  const replay = await previewWithdrawal(ctx, { row: first, transitions });
  return followDelivery(ctx, { row, replay, readTransaction });
}

/**
 * Follows a confirmed transaction that repeats a withdrawal's proven second step. Returns the row as if it were that
 * step, and the amount that it took, in the smallest unit of the vault's payment token. Null for any other transaction.
 * Stores nothing. Throws `store_unavailable`.
 */
export async function followRepeatedTransfer(
  ctx: Context,
  { row, found, readTransaction }: ReplayedWithdrawal,
): Promise<{ row: WithdrawalRow; amount: string } | null> {
  const { hash, chainId, seen } = found;
  const proven = secondStepOf(row);
  if (proven === null || proven === hash || chainId !== row.vaultChainId || seen === null) return null;
  const built = await selectBuiltTransfers(ctx.db, row.trackingId);
  const first: WithdrawalRow = { ...row, ...NO_TRANSFER, state: "awaiting_transfer" };
  const sent = findBuiltTransfer(ctx, { row: first, built, hash, seen });
  if (sent === null) return null;
  const replay = await previewWithdrawal(ctx, { row: first, transitions: [sent.transition] });
  return { row: await followDelivery(ctx, { row, replay, readTransaction }), amount: sent.built.amount };
}

/** Column values of a withdrawal whose second step is not known. */
const NO_TRANSFER = {
  ...{ substatus: null, routerExplorer: null, depositTxHash: null, depositProven: false },
  ...{ destinationTxHash: null, refundTxHash: null, deliveredAmount: null, receivedAmount: null },
} as const;

/** Returns the row of a replay with what became of its tokens in a bridge, if they are in one. */
async function followDelivery(
  ctx: Context,
  of: { row: WithdrawalRow; replay: WithdrawalRow; readTransaction: TransactionReader },
): Promise<WithdrawalRow> {
  const { row, replay, readTransaction } = of;
  if (replay.state !== "bridging") return replay;
  const later = await deliveryOf(ctx, { row: replay, readTransaction });
  const own = later.filter((one) => !isOfOriginal(row, one));
  return previewWithdrawal(ctx, { row: replay, transitions: own });
}

/** Returns the transitions of a replay's delivery or refund; none if a chain is unread. Throws `store_unavailable`. */
async function deliveryOf(
  ctx: Context,
  following: { row: WithdrawalRow; readTransaction: TransactionReader },
): Promise<WithdrawalTransition[]> {
  try {
    return await exitDeliveryTransitions(ctx, { ...following, hints: [] });
  } catch (error) {
    if (!(error instanceof AppError) || error.code === "store_unavailable") throw error;
    ctx.log.warn("withdrawal_unread", { tracking_id: following.row.trackingId, error: describeError(error) });
    return [];
  }
}

/** Returns the withdrawal's row in state `built`, with no known transaction. */
const resetWithdrawal = (row: WithdrawalRow): WithdrawalRow => ({
  ...row,
  ...{ state: "built", substatus: null, history: [], routerExplorer: null, requestId: null },
  ...{ sourceTxHash: null, sourceProven: false, depositTxHash: null, depositProven: false },
  ...{ claimTxHash: null, destinationTxHash: null, refundTxHash: null },
  ...{ deliveredAmount: null, receivedAmount: null, shares: null, assets: null },
});

/** Returns true if a transition was caused by the delivery or refund of the original withdrawal. */
const isOfOriginal = (first: WithdrawalRow, { change }: WithdrawalTransition): boolean =>
  (change.destinationTxHash != null && change.destinationTxHash === first.destinationTxHash) ||
  (change.refundTxHash != null && change.refundTxHash === first.refundTxHash);
