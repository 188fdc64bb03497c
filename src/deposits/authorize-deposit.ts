import type { Hex } from "viem";
import type { Context } from "../context.ts";
import { selectStepPlan } from "../db/queries/deposit-hint-queries.ts";
import type { DepositRow } from "../db/queries/deposit-queries.ts";
import { failure } from "../errors.ts";
import { type AuthorizedOrder, authorizeOrder } from "../orders/authorization/authorize-order.ts";
import { cancelAuthorization } from "../orders/authorization/cancel-authorization.ts";
import type { PlannedAuthorization } from "../orders/authorization/planned-authorization.ts";
import { StepPlan } from "../orders/order-steps.ts";
import { BuiltDeposit } from "../schemas/quote-schema.ts";
import type { Step } from "../schemas/step-schema.ts";
import { createTransactionReader } from "../tracking/deposits/deposit-transaction-reader.ts";
import { trackDeposit } from "../tracking/deposits/track-deposit.ts";
import { explainSignedDeposit } from "./deposit-preflight.ts";
import { loadDeposit } from "./deposit-records.ts";
import { toSignedSteps } from "./deposit-step-plan.ts";

/** A built deposit that the user pays for with a signature, before it is sent. `planned` is the payload to sign. */
interface SignedDeposit {
  row: DepositRow;
  plan: StepPlan;
  planned: PlannedAuthorization;
}

/**
 * Loads a deposit that is paid with a signature and has not been sent. Throws `deposit_not_found`, `store_unavailable`,
 * and `deposit_state` for any other deposit.
 */
async function loadUnsent(ctx: Context, trackingId: string): Promise<SignedDeposit> {
  const [stored, kept] = await Promise.all([
    loadDeposit(ctx, trackingId),
    selectStepPlan(ctx.db, trackingId),
  ]);
  const plan = StepPlan.safeParse(kept);
  const planned = plan.data?.source.authorization;
  if (plan.data === undefined || planned === undefined)
    throw failure(
      "deposit_state",
      "this deposit does not wait for a signature: none pays for it, so nothing is to be signed or cancelled; its `steps` say what to do",
    );
  const { row } = await trackDeposit(ctx, { row: stored, readTransaction: createTransactionReader(ctx) });
  if (row.state !== "built" && row.state !== "abandoned" && row.state !== "expired")
    throw failure("deposit_state", `a deposit that is ${row.state} was already sent`);
  return { row, plan: plan.data, planned };
}

/**
 * Verifies the user's signature for a built deposit, simulates the signed Router call, and returns the build's response
 * with its transaction. Stores no signature. `explain` replaces `explainSignedDeposit` for moves. Throws
 * `deposit_not_found`, `deposit_state`, `quote_expired`, `store_unavailable`, and the errors of `authorizeOrder`;
 * errors of the RPC nodes propagate.
 */
export async function authorizeDeposit(
  ctx: Context,
  {
    trackingId,
    signature,
    explain = explainSignedDeposit,
  }: { trackingId: string; signature: Hex; explain?: typeof explainSignedDeposit },
): Promise<BuiltDeposit> {
  const { row, plan, planned } = await loadUnsent(ctx, trackingId);
  const built = BuiltDeposit.safeParse(plan.answer);
  if (!built.success || row.expiresAt.getTime() <= ctx.now())
    throw failure("quote_expired", "the quote of this deposit has expired; build it again");
  const amount = BigInt(built.data.estimate.deposit_amount);
  const signed = await authorizeOrder(ctx, {
    ...{ planned, signature, spent: "deposit_state" },
    explain: (revert) => explain(ctx, { row, planned, amount, revert }),
  });
  return toSignedDeposit(built.data, { plan, signed });
}

/** Fills the signed transaction, its steps and its simulation into the response to the build of a deposit. Pure. */
export function toSignedDeposit(
  built: BuiltDeposit,
  { plan, signed }: { plan: StepPlan; signed: AuthorizedOrder },
): BuiltDeposit {
  const { output, ...seen } = signed.simulation;
  // The order of a first step pays out the token that the second step deposits, not shares.
  const minted = plan.destination === null ? output : null;
  const shares = minted?.toString() ?? built.simulation.shares;
  return {
    ...built,
    transaction_request: signed.transaction,
    calls: [signed.call],
    steps: toSignedSteps(plan, signed.transaction),
    simulation: { ...built.simulation, ...seen, shares },
  };
}

/**
 * Returns the next step with which a user cancels a deposit's signed order: a transaction, or, for ERC-3009 without
 * `signature`, the message to sign. Throws `deposit_not_found`, `store_unavailable`, and `deposit_state` unless the
 * deposit is paid with a signature and unsent; errors of `cancelAuthorization` propagate.
 */
export async function cancelDeposit(
  ctx: Context,
  { trackingId, signature }: { trackingId: string; signature: Hex | null },
): Promise<{ tracking_id: string; steps: Step[] }> {
  const { plan, planned } = await loadUnsent(ctx, trackingId);
  const leg = plan.source;
  const step = await cancelAuthorization(ctx, { planned, leg, signature, spent: "deposit_state" });
  return { tracking_id: trackingId, steps: [step] };
}
