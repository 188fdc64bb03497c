import type { Context } from "../../context.ts";
import type { DepositRow } from "../../db/queries/deposits.ts";
import { AppError } from "../../errors.ts";
import { describeError } from "../../lib/logger.ts";
import type { TransferStatus } from "../../schemas/deposit.ts";
import { deliveryTransitions } from "../track/delivery.ts";
import { sourceTransitions } from "../track/source.ts";
import type { TransactionReader } from "../track/transaction-reader.ts";
import { previewTransitions, type Transition } from "../track/transitions.ts";
import type { FoundTransaction } from "./match.ts";
import { toTransferStatus } from "./transfer-status.ts";

/**
 * Tells where the money of a transaction is that does once more what another one did for a deposit, as when somebody
 * signs an answer twice. It is followed as the first is, but writes nothing: a record is of one transaction.
 * Throws `store_unavailable`.
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
  // The user has the token, and the second step that was handed out is the first one's.
  const state = replay.state === "awaiting_deposit" ? "partial" : replay.state;
  return { ...(await toTransferStatus(ctx, { ...replay, state })), deposit: null };
}

/** Nothing is concluded from a chain that cannot be read. */
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

/** The deposit as if nothing had been seen of it but that somebody sent this transaction. */
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

/** What brought the first transaction to its end brings the second nothing. */
const isOfOriginal = (first: DepositRow, { change }: Transition): boolean =>
  (change.destinationTxHash != null && change.destinationTxHash === first.destinationTxHash) ||
  (change.refundTxHash != null && change.refundTxHash === first.refundTxHash);
