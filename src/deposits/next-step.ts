import { type Address, getAddress } from "viem";
import type { Context } from "../context.ts";
import type { DepositRow } from "../db/queries/deposits.ts";
import { AppError } from "../errors.ts";
import { describeError } from "../lib/log.ts";
import type { NextStep, NextStepRefusal } from "../schemas/status.ts";
import { nextClaim } from "./claim.ts";
import { toSendable } from "./direct-wire.ts";
import { awaitsSecondStep } from "./observe-at-vault.ts";
import { isRequested } from "./requests.ts";
import { prepareSecondStep } from "./second-step.ts";
import { vaultOf } from "./vault-of.ts";

/** What the user signs next, or why there is nothing although something is left to be done. */
export interface NextOfDeposit {
  next: NextStep | null;
  refusal: NextStepRefusal | null;
}

const NOTHING: NextOfDeposit = { next: null, refusal: null };

/**
 * The step that follows where a deposit is: depositing what really arrived, or claiming what an asynchronous vault
 * has settled, built and simulated anew. A vault that refuses, or a chain that cannot be read, is told as the
 * refusal. Throws nothing but what is no AppError.
 */
export async function nextStep(ctx: Context, row: DepositRow): Promise<NextOfDeposit> {
  try {
    if (isRequested(row)) return await nextClaim(ctx, row);
    if (!awaitsSecondStep(row) || row.deliveredAmount === null || row.moveToken === null) return NOTHING;
    return await depositOf(ctx, {
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

async function depositOf(
  ctx: Context,
  arrival: { row: DepositRow; token: Address; amount: bigint },
): Promise<NextOfDeposit> {
  const { row, token, amount } = arrival;
  const prepared = await prepareSecondStep(ctx, {
    vault: await vaultOf(ctx, row),
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
  return { next: { kind: "deposit", ...toSendable(prepared) }, refusal: null };
}
