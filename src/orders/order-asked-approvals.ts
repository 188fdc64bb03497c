import * as z from "zod";
import type { Context } from "../context.ts";
import { addAskedSpender } from "../db/queries/deposit-evidence-queries.ts";
import { describeError } from "../lib/logger.ts";
import type { NextStep } from "../schemas/deposit-schema.ts";
import type { StepLeg } from "./order-steps.ts";

/** The field that `addAskedSpender` adds to a stored step plan. */
const AskedPlan = z.object({ asked: z.array(z.string()) });

/** A second step's transaction as it is built now, with the approvals that are still needed. */
export type BuiltSecondStep = Pick<NextStep, "transaction_request" | "approval" | "calls">;

/**
 * Returns the spenders, in lowercase, for which an earlier build of an order's second step asked for an approval, and
 * stores that of this build (`next`, or null if there is none) if it asks for another. `kept` is the stored plan, in
 * which they are, or null. Never throws.
 */
export async function noteAskedSpenders(
  ctx: Context,
  { trackingId, kept, next }: { trackingId: string; kept: unknown; next: BuiltSecondStep | null },
): Promise<readonly string[]> {
  const asked = AskedPlan.safeParse(kept).data?.asked ?? [];
  const spender = next === null || next.calls.length < 2 ? null : (next.approval?.spender_address ?? null);
  if (spender === null || kept === null || asked.includes(spender.toLowerCase())) return asked;
  try {
    await addAskedSpender(ctx.db, { trackingId, spender: spender.toLowerCase() });
  } catch (error) {
    // Without it, the approval is shown as one that was not needed.
    ctx.log.warn("asked_approval_not_stored", { tracking_id: trackingId, error: describeError(error) });
  }
  return asked;
}

/**
 * Returns the leg of a second step as it is built now, and the allowance for it, or null if it does not suffice.
 * `planned` is the leg of the plan, `amount` what the step takes (null if unknown), and `asked` the spenders of
 * `noteAskedSpenders`: an approval that was asked for, and is no longer needed, has been given.
 */
export function builtSecondLeg(
  planned: StepLeg,
  { ready, amount, asked }: { ready: BuiltSecondStep; amount: string | null; asked: readonly string[] },
): { leg: StepLeg; allowance: bigint | null } {
  const approvals = ready.calls.length - 1;
  const spender = ready.approval?.spender_address ?? null;
  const given = approvals === 0 && spender !== null && asked.includes(spender.toLowerCase());
  const leg: StepLeg = {
    ...planned,
    ...{ amount, spender, allowed: approvals === 0 && !given, reset: approvals > 1 },
    transaction: ready.transaction_request,
  };
  return { leg, allowance: given ? BigInt(leg.approves ?? amount ?? 0) : null };
}
