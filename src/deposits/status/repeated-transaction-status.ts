import type { Context } from "../../context.ts";
import type { DepositRow } from "../../db/queries/deposit-queries.ts";
import { AppError } from "../../errors.ts";
import { describeError } from "../../lib/logger.ts";
import type { TransferStatus } from "../../schemas/deposit-schema.ts";
import { deliveryTransitions } from "../track/bridge-delivery.ts";
import type { TransactionReader } from "../track/deposit-transaction-reader.ts";
import { previewTransitions, type Transition } from "../track/deposit-transitions.ts";
import { sourceTransitions } from "../track/source-transaction.ts";
import type { FoundTransaction } from "./find-deposit-of-transaction.ts";
import { toTransferStatus } from "./tracked-deposit-status.ts";

/**
 * Returns the transfer status of a replay: a transaction that repeats a deposit's source transaction, for example
 * because the user signed it twice. The replay is tracked like the original, but nothing is stored, because a deposit
 * records only one source transaction. Throws `store_unavailable`.
 */
export async function getReplayStatus(
  ctx: Context,
  input: { row: DepositRow; found: FoundTransaction; readTransaction: TransactionReader },
): Promise<TransferStatus> {
  const { row, found, readTransaction } = input;
  const { hash, seen } = found;
  let replay = resetDeposit(row, hash);
  if (seen !== null) {
    const transitions = await sourceTransitions(ctx, { row: replay, hash, seen });
    replay = previewTransitions(ctx, { row: replay, transitions });
  }
  if (replay.state === "bridging") {
    const transitions = (await replayTransitions(ctx, { row: replay, readTransaction })).filter(
      (one) => !isOfOriginal(row, one),
    );
    replay = previewTransitions(ctx, { row: replay, transitions });
  }
  // The user has the token, but the second step belongs to the original deposit.
  const state = replay.state === "awaiting_deposit" ? "partial" : replay.state;
  return { ...(await toTransferStatus(ctx, { ...replay, state })), deposit: null };
}

/** Returns the status transitions of a replay's delivery or refund, or an empty list if a chain cannot be read. */
async function replayTransitions(
  ctx: Context,
  following: { row: DepositRow; readTransaction: TransactionReader },
): Promise<Transition[]> {
  try {
    return await deliveryTransitions(ctx, following);
  } catch (error) {
    if (!(error instanceof AppError) || error.code === "store_unavailable") throw error;
    ctx.log.warn("deposit_unread", { tracking_id: following.row.trackingId, error: describeError(error) });
    return [];
  }
}

/** Returns the deposit's row as if only the replay's source transaction were known. */
const resetDeposit = (row: DepositRow, sourceTxHash: string): DepositRow => ({
  ...row,
  state: "built",
  substatus: null,
  history: [],
  sourceTxHash,
  sourceProven: false,
  depositTxHash: null,
  depositProven: false,
  claimTxHash: null,
  destinationTxHash: null,
  refundTxHash: null,
  deliveredAmount: null,
  receivedAmount: null,
  shares: null,
  requestId: null,
  routerExplorer: null,
});

/**
 * Returns true if a status transition belongs to the delivery or refund of the original deposit, which does not prove
 * anything for the replay.
 */
const isOfOriginal = (first: DepositRow, { change }: Transition): boolean =>
  (change.destinationTxHash != null && change.destinationTxHash === first.destinationTxHash) ||
  (change.refundTxHash != null && change.refundTxHash === first.refundTxHash);
