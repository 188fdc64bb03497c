import { type Address, getAddress } from "viem";
import type { Context } from "../../context.ts";
import type { DepositRow } from "../../db/queries/deposits.ts";
import { AppError } from "../../errors.ts";
import { describeError } from "../../lib/logger.ts";
import { prepareNextClaim } from "../../orders/claim.ts";
import type { NextStep, NextStepRefusal } from "../../schemas/deposit.ts";
import { prepareSecondStep } from "../build/two-step.ts";
import { toSignableDeposit } from "../build/wire.ts";
import { findVaultOfDeposit, isRequested } from "./async-request.ts";
import { awaitsSecondStep } from "./second-step.ts";

/** What the user signs next, or why there is nothing although something is left to be done. */
export interface NextStepResult {
  next: NextStep | null;
  refusal: NextStepRefusal | null;
}

const NO_NEXT_STEP: NextStepResult = { next: null, refusal: null };

/**
 * The step that follows where a deposit is: depositing what really arrived, or claiming what an asynchronous vault
 * has settled, built and simulated anew. A vault that refuses, or a chain that cannot be read, is told as the
 * refusal. Throws nothing but what is no AppError.
 */
export async function nextStep(ctx: Context, row: DepositRow): Promise<NextStepResult> {
  try {
    if (isRequested(row)) return await prepareNextClaim(ctx, row);
    if (!awaitsSecondStep(row) || row.deliveredAmount === null || row.moveToken === null) return NO_NEXT_STEP;
    return await nextDeposit(ctx, {
      row,
      token: getAddress(row.moveToken),
      amount: BigInt(row.deliveredAmount),
    });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    ctx.log.warn("next_step_refused", { tracking_id: row.trackingId, error: describeError(error) });
    return { next: null, refusal: { code: error.code, detail: error.message } };
  }
}

async function nextDeposit(
  ctx: Context,
  arrival: { row: DepositRow; token: Address; amount: bigint },
): Promise<NextStepResult> {
  const { row, token, amount } = arrival;
  const prepared = await prepareSecondStep(ctx, {
    vault: await findVaultOfDeposit(ctx, row),
    user: getAddress(row.userAddress),
    token,
    amount,
    slippage: row.slippage,
    trackingId: row.trackingId,
    partnerId: row.partnerId,
    partnerType: row.partnerType,
  });
  const { balance } = prepared.checked;
  if (balance !== null && balance < amount) {
    const detail = "the account does not hold what arrived any more";
    return { next: null, refusal: { code: "balance_insufficient", detail } };
  }
  return { next: { kind: "deposit", ...toSignableDeposit(prepared) }, refusal: null };
}
