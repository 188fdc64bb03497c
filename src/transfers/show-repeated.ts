import type { Context } from "../context.ts";
import type { DepositRow } from "../db/queries/deposits.ts";
import type { Look } from "../deposits/look.ts";
import { moveInMemory, type Observation } from "../deposits/move.ts";
import { observeDelivery } from "../deposits/observe-delivery.ts";
import { observeSource } from "../deposits/observe-source.ts";
import { AppError } from "../errors.ts";
import { describeError } from "../lib/log.ts";
import type { TransferStatus } from "../schemas/status.ts";
import { showDeposit } from "./show-deposit.ts";
import type { FoundTransaction } from "./tracked-deposit.ts";

/**
 * Tells where the money of a transaction is that does once more what another one did for a deposit, as when somebody
 * signs an answer twice. It is followed as the first is, but writes nothing: a record is of one transaction.
 * Throws `store_unavailable`.
 */
export async function showRepeated(
  ctx: Context,
  input: { row: DepositRow; found: FoundTransaction; look: Look },
): Promise<TransferStatus> {
  const { row, found, look } = input;
  const { hash, seen } = found;
  let repeated = afresh(row, hash);
  if (seen !== null) {
    const observations = await observeSource(ctx, { row: repeated, hash, seen });
    repeated = moveInMemory(ctx, { row: repeated, observations });
  }
  if (repeated.state === "bridging") {
    const observations = (await observed(ctx, { row: repeated, look })).filter((one) => !isOfFirst(row, one));
    repeated = moveInMemory(ctx, { row: repeated, observations });
  }
  // The user has the token, and the second step that was handed out is the first one's.
  const state = repeated.state === "awaiting_deposit" ? "partial" : repeated.state;
  return { ...(await showDeposit(ctx, { ...repeated, state })), deposit: null };
}

/** Nothing is concluded from a chain that cannot be read. */
async function observed(ctx: Context, following: { row: DepositRow; look: Look }): Promise<Observation[]> {
  try {
    return await observeDelivery(ctx, following);
  } catch (error) {
    if (!(error instanceof AppError) || error.code === "store_unavailable") throw error;
    ctx.log.warn("deposit_unread", { tracking_id: following.row.trackingId, error: describeError(error) });
    return [];
  }
}

/** The deposit as if nothing had been seen of it but that somebody sent this transaction. */
const afresh = (row: DepositRow, sourceTxHash: string): DepositRow => ({
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
const isOfFirst = (first: DepositRow, { change }: Observation): boolean =>
  (change.destinationTxHash != null && change.destinationTxHash === first.destinationTxHash) ||
  (change.refundTxHash != null && change.refundTxHash === first.refundTxHash);
