import type { Context } from "../context.ts";
import type { DepositRow } from "../db/queries/deposit-queries.ts";
import { AppError } from "../errors.ts";
import { describeError } from "../lib/logger.ts";
import type { TransferStatus } from "../schemas/deposit-schema.ts";
import type { TransactionReader } from "../tracking/deposits/deposit-transaction-reader.ts";
import { previewTransitions, type Transition } from "../tracking/deposits/deposit-transitions.ts";
import { deliveryTransitions } from "../tracking/deposits/track-deposit-delivery.ts";
import { vaultTransitions } from "../tracking/deposits/track-deposit-destination.ts";
import { sourceTransitions } from "../tracking/deposits/track-deposit-source.ts";
import { toStatusWithoutSteps } from "./status-tracked-deposit.ts";
import type { FoundTransaction } from "./status-transaction-match.ts";

/**
 * Returns the status of a replay: a second transaction that repeats a deposit which another one has proven. It has
 * nothing to sign, and the deposit's row is not changed. Throws `store_unavailable`, `vault_not_found`, and errors of
 * reading its own transactions.
 */
export async function getReplayStatus(ctx: Context, replayed: Replay): Promise<TransferStatus> {
  const { row } = replayed;
  const replay = await followSource(ctx, replayed);
  // The user has the token, but the second step belongs to the original deposit.
  const state = replay.state === "awaiting_deposit" ? "partial" : replay.state;
  // What the Router measured is what was sent, because an order can be repeated with another amount.
  const byRouter = replay.provider === null && replay.receivedAmount !== null;
  const fromAmount = byRouter ? (replay.receivedAmount ?? row.fromAmount) : row.fromAmount;
  return toStatusWithoutSteps(ctx, { ...replay, state, fromAmount });
}

interface Replay {
  /** The stored deposit, which the original transaction proves. */
  row: DepositRow;
  /** The second transaction. */
  found: FoundTransaction;
  readTransaction: TransactionReader;
}

/** Returns the deposit's row as if the replay were its only known transaction. */
async function followSource(ctx: Context, { row, found, readTransaction }: Replay): Promise<DepositRow> {
  const { hash, chainId, seen } = found;
  const isSource = seen !== null && chainId === row.fromChainId;
  const first = resetDeposit(row, isSource ? hash : null);
  const atSource = isSource ? await sourceTransitions(ctx, { row: first, hash, seen }) : [];
  const atVault =
    atSource.length === 0 && chainId === row.vaultChainId && row.provider !== null
      ? await vaultTransitions(ctx, { row: resetDeposit(row, null), hash, readTransaction })
      : [];
  const replay = previewTransitions(ctx, { row: first, transitions: [...atSource, ...atVault] });
  if (replay.state !== "bridging") return replay;
  const transitions = (await replayTransitions(ctx, { row: replay, readTransaction })).filter(
    (one) => !isOfOriginal(row, one),
  );
  return previewTransitions(ctx, { row: replay, transitions });
}

/**
 * Returns the transitions of a replay's delivery or refund. Empty if a chain cannot be read. Throws
 * `store_unavailable`.
 */
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

/** Returns the deposit's row in state `built`, with no known transaction except `sourceTxHash`, if given. */
const resetDeposit = (row: DepositRow, sourceTxHash: string | null): DepositRow => ({
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
 * Returns true if a transition was caused by the delivery or refund of the original deposit, which proves nothing about
 * the replay.
 */
const isOfOriginal = (first: DepositRow, { change }: Transition): boolean =>
  (change.destinationTxHash != null && change.destinationTxHash === first.destinationTxHash) ||
  (change.refundTxHash != null && change.refundTxHash === first.refundTxHash);
