import type { Hex } from "viem";
import type { Context } from "../../context.ts";
import type { DepositRow } from "../../db/queries/deposits.ts";
import { AppError } from "../../errors.ts";
import { describeError } from "../../lib/logger.ts";
import { isRejected, isRequested } from "./async-request.ts";
import { deliveryTransitions } from "./delivery.ts";
import { awaitsSecondStep, findSecondStepTransactions, vaultTransitions } from "./second-step.ts";
import { settlementTransitions } from "./settlement.ts";
import { sourceTransitions } from "./source.ts";
import type { TransactionReader } from "./transaction-reader.ts";
import { applyTransitions } from "./transitions.ts";

interface TrackInput {
  row: DepositRow;
  look: TransactionReader;
}

/** How a deposit is after it was followed; `unread` says why not all of it could be looked at. */
export interface TrackedDeposit {
  row: DepositRow;
  unread: AppError | null;
}

/**
 * Moves a deposit by all that its chains show now, from the source to the vault. What one chain showed is kept
 * when another cannot be read, and nothing is concluded from silence. `found` is a transaction of the vault's
 * chain in which the Router names the deposit. Throws `store_unavailable`.
 */
export async function trackDeposit(
  ctx: Context,
  { row, look, found = null }: TrackInput & { found?: Hex | null },
): Promise<TrackedDeposit> {
  let current = row;
  try {
    if (found !== null) current = await trackFound(ctx, { row, look, found });
    for (const follow of [trackSource, trackDelivery, trackSecondStep, trackRequest])
      current = await follow(ctx, { row: current, look });
    return { row: current, unread: null };
  } catch (error) {
    if (!(error instanceof AppError) || error.code === "store_unavailable") throw error;
    ctx.log.warn("deposit_unread", { tracking_id: row.trackingId, error: describeError(error) });
    return { row: current, unread: error };
  }
}

async function trackFound(
  ctx: Context,
  { row, look, found: hash }: TrackInput & { found: Hex },
): Promise<DepositRow> {
  const observations =
    row.provider === null
      ? await sourceTransitions(ctx, { row, hash, seen: await look(row.vaultChainId, hash) })
      : await vaultTransitions(ctx, { row, hash, look });
  return applyTransitions(ctx, { row, observations });
}

async function trackSource(ctx: Context, { row, look }: TrackInput): Promise<DepositRow> {
  if (row.sourceProven || row.sourceTxHash === null) return row;
  const hash = row.sourceTxHash as Hex;
  const observations = await sourceTransitions(ctx, { row, hash, seen: await look(row.fromChainId, hash) });
  return applyTransitions(ctx, { row, observations });
}

async function trackDelivery(ctx: Context, { row, look }: TrackInput): Promise<DepositRow> {
  if (row.state !== "bridging") return row;
  return applyTransitions(ctx, { row, observations: await deliveryTransitions(ctx, { row, look }) });
}

/** By the transaction that was reported; where that shows nothing, by what the user paid with what arrived. */
async function trackSecondStep(ctx: Context, { row, look }: TrackInput): Promise<DepositRow> {
  let current = row;
  const reported = row.depositTxHash === null ? [] : [row.depositTxHash as Hex];
  for (const candidates of [async () => reported, () => findSecondStepTransactions(ctx, { row, look })]) {
    if (!awaitsSecondStep(current)) return current;
    for (const hash of await candidates()) {
      const observations = await vaultTransitions(ctx, { row: current, hash, look });
      current = await applyTransitions(ctx, { row: current, observations });
    }
  }
  return current;
}

async function trackRequest(ctx: Context, { row, look }: TrackInput): Promise<DepositRow> {
  if (!isRequested(row) && !isRejected(row)) return row;
  return applyTransitions(ctx, { row, observations: await settlementTransitions(ctx, { row, look }) });
}
