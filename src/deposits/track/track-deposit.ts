import type { Hex } from "viem";
import type { Context } from "../../context.ts";
import type { DepositRow } from "../../db/queries/deposit-queries.ts";
import { AppError } from "../../errors.ts";
import { describeError } from "../../lib/logger.ts";
import { isRejected, isRequested } from "./async-deposit-request.ts";
import { deliveryTransitions } from "./bridge-delivery.ts";
import { settlementTransitions } from "./deposit-request-settlement.ts";
import type { TransactionReader } from "./deposit-transaction-reader.ts";
import { applyTransitions } from "./deposit-transitions.ts";
import { sourceTransitions } from "./source-transaction.ts";
import { awaitsSecondStep, findSecondStepTransactions, vaultTransitions } from "./vault-transaction.ts";

interface TrackInput {
  row: DepositRow;
  readTransaction: TransactionReader;
}

/** A deposit after tracking. `unreadable` is the error of a chain that could not be read, or null if no read failed. */
export interface TrackedDeposit {
  row: DepositRow;
  unreadable: AppError | null;
}

/**
 * Tracks a deposit: updates it from on-chain data, from the source transaction to the vault, and stores the changes.
 * Progress on one chain is kept if another chain cannot be read. `found` is the hash of a vault-chain transaction with
 * the Router's event of the deposit, or null. Throws `store_unavailable`.
 */
export async function trackDeposit(
  ctx: Context,
  { row, readTransaction, found = null }: TrackInput & { found?: Hex | null },
): Promise<TrackedDeposit> {
  let current = row;
  try {
    if (found !== null) current = await trackFound(ctx, { row, readTransaction, found });
    for (const follow of [trackSource, trackDelivery, trackSecondStep, trackRequest])
      current = await follow(ctx, { row: current, readTransaction });
    return { row: current, unreadable: null };
  } catch (error) {
    if (!(error instanceof AppError) || error.code === "store_unavailable") throw error;
    ctx.log.warn("deposit_unread", { tracking_id: row.trackingId, error: describeError(error) });
    return { row: current, unreadable: error };
  }
}

async function trackFound(
  ctx: Context,
  { row, readTransaction, found: hash }: TrackInput & { found: Hex },
): Promise<DepositRow> {
  const transitions =
    row.provider === null
      ? await sourceTransitions(ctx, { row, hash, seen: await readTransaction(row.vaultChainId, hash) })
      : await vaultTransitions(ctx, { row, hash, readTransaction });
  return applyTransitions(ctx, { row, transitions });
}

async function trackSource(ctx: Context, { row, readTransaction }: TrackInput): Promise<DepositRow> {
  if (row.sourceProven || row.sourceTxHash === null) return row;
  const hash = row.sourceTxHash as Hex;
  const transitions = await sourceTransitions(ctx, {
    row,
    hash,
    seen: await readTransaction(row.fromChainId, hash),
  });
  return applyTransitions(ctx, { row, transitions });
}

async function trackDelivery(ctx: Context, { row, readTransaction }: TrackInput): Promise<DepositRow> {
  if (row.state !== "bridging") return row;
  return applyTransitions(ctx, {
    row,
    transitions: await deliveryTransitions(ctx, { row, readTransaction }),
  });
}

/**
 * Tracks the second step of a deposit by the transaction that was reported for it and, if that is not enough, by the
 * transactions in which the user paid the delivered amount.
 */
async function trackSecondStep(ctx: Context, { row, readTransaction }: TrackInput): Promise<DepositRow> {
  let current = row;
  const reported = row.depositTxHash === null ? [] : [row.depositTxHash as Hex];
  for (const candidates of [
    async () => reported,
    () => findSecondStepTransactions(ctx, { row, readTransaction }),
  ]) {
    if (!awaitsSecondStep(current)) return current;
    for (const hash of await candidates()) {
      const transitions = await vaultTransitions(ctx, { row: current, hash, readTransaction });
      current = await applyTransitions(ctx, { row: current, transitions });
    }
  }
  return current;
}

async function trackRequest(ctx: Context, { row, readTransaction }: TrackInput): Promise<DepositRow> {
  if (!isRequested(row) && !isRejected(row)) return row;
  return applyTransitions(ctx, {
    row,
    transitions: await settlementTransitions(ctx, { row, readTransaction }),
  });
}
