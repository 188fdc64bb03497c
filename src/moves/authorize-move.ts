import type { Hex } from "viem";
import type { Context } from "../context.ts";
import { authorizeDeposit } from "../deposits/authorize-deposit.ts";
import { explainSignedDeposit, type RevertedOrder } from "../deposits/deposit-preflight.ts";
import type { AppError } from "../errors.ts";
import { orderOf } from "../orders/authorization/planned-authorization.ts";
import type { BuiltDeposit } from "../schemas/quote-schema.ts";
import { findStoredVault, listRegistry } from "../vaults/find-vault.ts";
import { explainSignedExit } from "../withdrawals/withdrawal-authorization.ts";
import { vaultOfShare } from "./find-move-source.ts";

/**
 * Completes a built deposit or move with the user's signature, as `authorizeDeposit` does. If a move reverts because
 * the vault that it leaves refuses the redemption, the error is that vault's. Errors of `authorizeDeposit` and
 * `explainSignedOrder` propagate.
 */
export function authorizeDepositOrMove(
  ctx: Context,
  { trackingId, signature }: { trackingId: string; signature: Hex },
): Promise<BuiltDeposit> {
  return authorizeDeposit(ctx, { trackingId, signature, explain: explainSignedOrder });
}

/**
 * Returns the error that an unsigned build gives for a signed order that reverted: that of `explainSignedExit` for the
 * vault that a move leaves, or else that of `explainSignedDeposit`; null if both give none. Throws `store_unavailable`
 * and `vault_not_found`; errors of `explainSignedExit` and `explainSignedDeposit` propagate.
 */
export async function explainSignedOrder(ctx: Context, of: RevertedOrder): Promise<AppError | null> {
  const { planned, row, revert } = of;
  const { order, steps } = orderOf(planned);
  const { chainId } = planned;
  // A deposit of what the user holds, and its swap or bridge, have one step.
  const { all } = steps.length > 1 ? await listRegistry(ctx) : { all: [] };
  const left = vaultOfShare(all, { chainId, token: order.tokenIn });
  if (left === undefined) return explainSignedDeposit(ctx, of);
  const vault = await findStoredVault(ctx, { chainId, address: left.address });
  const refusal = await explainSignedExit(ctx, { vault, planned, slippage: row.slippage }, revert);
  return refusal ?? explainSignedDeposit(ctx, of);
}
