import type { Hex } from "viem";
import type { Context } from "../context.ts";
import type { DepositRow } from "../db/queries/deposits.ts";
import { AppError } from "../errors.ts";
import { describeError } from "../lib/log.ts";
import { findSecondStep } from "./find-second-step.ts";
import type { Look } from "./look.ts";
import { moveDeposit } from "./move.ts";
import { awaitsSecondStep, observeAtVault } from "./observe-at-vault.ts";
import { observeDelivery } from "./observe-delivery.ts";
import { observeSettlement } from "./observe-settlement.ts";
import { observeSource } from "./observe-source.ts";
import { isRejected, isRequested } from "./requests.ts";

interface Followed {
  row: DepositRow;
  look: Look;
}

/** How a deposit is after it was followed; `unread` says why not all of it could be looked at. */
export interface Outcome {
  row: DepositRow;
  unread: AppError | null;
}

/**
 * Moves a deposit by all that its chains show now, from the source to the vault. What one chain showed is kept
 * when another cannot be read, and nothing is concluded from silence. `found` is a transaction of the vault's
 * chain in which the Router names the deposit. Throws `store_unavailable`.
 */
export async function followDeposit(
  ctx: Context,
  { row, look, found = null }: Followed & { found?: Hex | null },
): Promise<Outcome> {
  let current = row;
  try {
    if (found !== null) current = await followFound(ctx, { row, look, found });
    for (const follow of [followSource, followDelivery, followSecondStep, followRequest])
      current = await follow(ctx, { row: current, look });
    return { row: current, unread: null };
  } catch (error) {
    if (!(error instanceof AppError) || error.code === "store_unavailable") throw error;
    ctx.log.warn("deposit_unread", { tracking_id: row.trackingId, error: describeError(error) });
    return { row: current, unread: error };
  }
}

async function followFound(
  ctx: Context,
  { row, look, found: hash }: Followed & { found: Hex },
): Promise<DepositRow> {
  const observations =
    row.provider === null
      ? await observeSource(ctx, { row, hash, seen: await look(row.vaultChainId, hash) })
      : await observeAtVault(ctx, { row, hash, look });
  return moveDeposit(ctx, { row, observations });
}

async function followSource(ctx: Context, { row, look }: Followed): Promise<DepositRow> {
  if (row.sourceProven || row.sourceTxHash === null) return row;
  const hash = row.sourceTxHash as Hex;
  const observations = await observeSource(ctx, { row, hash, seen: await look(row.fromChainId, hash) });
  return moveDeposit(ctx, { row, observations });
}

async function followDelivery(ctx: Context, { row, look }: Followed): Promise<DepositRow> {
  if (row.state !== "bridging") return row;
  return moveDeposit(ctx, { row, observations: await observeDelivery(ctx, { row, look }) });
}

/** By the transaction that was reported; where that shows nothing, by what the user paid with what arrived. */
async function followSecondStep(ctx: Context, { row, look }: Followed): Promise<DepositRow> {
  let current = row;
  const reported = row.depositTxHash === null ? [] : [row.depositTxHash as Hex];
  for (const candidates of [async () => reported, () => findSecondStep(ctx, { row, look })]) {
    if (!awaitsSecondStep(current)) return current;
    for (const hash of await candidates()) {
      const observations = await observeAtVault(ctx, { row: current, hash, look });
      current = await moveDeposit(ctx, { row: current, observations });
    }
  }
  return current;
}

async function followRequest(ctx: Context, { row, look }: Followed): Promise<DepositRow> {
  if (!isRequested(row) && !isRejected(row)) return row;
  return moveDeposit(ctx, { row, observations: await observeSettlement(ctx, { row, look }) });
}
