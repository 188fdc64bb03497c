import { getAddress, type Hex } from "viem";
import type { Context } from "../context.ts";
import { selectStepPlan } from "../db/queries/deposit-hint-queries.ts";
import type { WithdrawalRow } from "../db/queries/deposit-queries.ts";
import { failure } from "../errors.ts";
import { authorizeOrder } from "../orders/authorization/authorize-order.ts";
import { cancelAuthorization } from "../orders/authorization/cancel-authorization.ts";
import type { PlannedAuthorization } from "../orders/authorization/planned-authorization.ts";
import { StepPlan, toBuiltWithdrawalSteps } from "../orders/order-steps.ts";
import type { Step } from "../schemas/step-schema.ts";
import { BuiltWithdrawal } from "../schemas/withdraw-build-schema.ts";
import { createTransactionReader } from "../tracking/deposits/deposit-transaction-reader.ts";
import { trackWithdrawal } from "../tracking/withdrawals/track-withdrawal.ts";
import { findStoredVault } from "../vaults/find-vault.ts";
import { explainSignedExit } from "./withdrawal-authorization.ts";
import { loadWithdrawal } from "./withdrawal-records.ts";

/** A built withdrawal that the user signs, before it is sent. `planned` is the payload to sign. */
interface SignedWithdrawal {
  row: WithdrawalRow;
  plan: StepPlan;
  planned: PlannedAuthorization;
}

/**
 * Loads a withdrawal that needs a signature and has not been sent. Throws `withdrawal_not_found`, `store_unavailable`,
 * and `withdrawal_state` for any other withdrawal.
 */
async function loadUnsent(ctx: Context, trackingId: string): Promise<SignedWithdrawal> {
  const [stored, kept] = await Promise.all([
    loadWithdrawal(ctx, trackingId),
    selectStepPlan(ctx.db, trackingId),
  ]);
  const plan = StepPlan.safeParse(kept);
  const planned = plan.data?.source.authorization;
  if (plan.data === undefined || planned === undefined)
    throw failure(
      "withdrawal_state",
      "this withdrawal does not wait for a signature: none pays for it, so nothing is to be signed or cancelled; its `steps` say what to do",
    );
  const { row } = await trackWithdrawal(ctx, { row: stored, readTransaction: createTransactionReader(ctx) });
  if (row.state !== "built" && row.state !== "abandoned" && row.state !== "expired")
    throw failure("withdrawal_state", `a withdrawal that is ${row.state} was already sent`);
  return { row, plan: plan.data, planned };
}

/**
 * Verifies the user's signature for a built withdrawal, simulates the signed Router call, and returns the build's
 * response with its transaction. Stores no signature. Throws `withdrawal_not_found`, `withdrawal_state`,
 * `quote_expired`, `store_unavailable`, and the errors of `authorizeOrder`; errors of the RPC nodes propagate.
 */
export async function authorizeWithdrawal(
  ctx: Context,
  { trackingId, signature }: { trackingId: string; signature: Hex },
): Promise<BuiltWithdrawal> {
  const { row, plan, planned } = await loadUnsent(ctx, trackingId);
  const built = BuiltWithdrawal.safeParse(plan.answer);
  if (!built.success || row.expiresAt.getTime() <= ctx.now())
    throw failure("quote_expired", "the quote of this withdrawal has expired; build it again");
  const signed = await authorizeOrder(ctx, {
    ...{ planned, signature, spent: "withdrawal_state" },
    explain: async (revert) => {
      const { vaultChainId: chainId, vaultAddress, slippage } = row;
      const vault = await findStoredVault(ctx, { chainId, address: getAddress(vaultAddress) });
      return explainSignedExit(ctx, { vault, planned, slippage }, revert);
    },
  });
  const { output, ...seen } = signed.simulation;
  const received = output?.toString() ?? built.data.simulation.received;
  return {
    ...built.data,
    transaction_request: signed.transaction,
    calls: [signed.call],
    steps: toBuiltWithdrawalSteps(plan, signed.transaction),
    simulation: { ...built.data.simulation, ...seen, received },
  };
}

/**
 * Returns the next step with which a user cancels a withdrawal's signed order: a transaction, or, for ERC-3009 without
 * `signature`, the message to sign. Throws `withdrawal_not_found`, `withdrawal_state`, `store_unavailable` and as
 * `cancelAuthorization`.
 */
export async function cancelWithdrawal(
  ctx: Context,
  { trackingId, signature }: { trackingId: string; signature: Hex | null },
): Promise<{ tracking_id: string; steps: Step[] }> {
  const { plan, planned } = await loadUnsent(ctx, trackingId);
  const leg = plan.source;
  const step = await cancelAuthorization(ctx, { planned, leg, signature, spent: "withdrawal_state" });
  return { tracking_id: trackingId, steps: [step] };
}
