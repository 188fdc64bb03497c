import type { Context } from "../context.ts";
import type { Deposit } from "../schemas/status.ts";
import { toWireDeposit } from "./deposit-wire.ts";
import { followDeposit } from "./follow.ts";
import { getDeposit } from "./get.ts";
import { createLook } from "./look.ts";
import { nextStep } from "./next-step.ts";

/**
 * One tracked deposit as its chains show it now, with what the user signs next, built for the amount that really
 * arrived. Throws `deposit_not_found`, `store_unavailable`.
 */
export async function showDeposit(ctx: Context, trackingId: string): Promise<Deposit> {
  const stored = await getDeposit(ctx, trackingId);
  const { row } = await followDeposit(ctx, { row: stored, look: createLook(ctx) });
  const { next, refusal } = await nextStep(ctx, row);
  return { ...toWireDeposit(row, ctx.now()), next, next_refusal: refusal };
}
