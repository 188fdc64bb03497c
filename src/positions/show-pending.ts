import type { Address } from "viem";
import type { Context } from "../context.ts";
import { type Claim, proveClaim } from "../deposits/claim.ts";
import { AppError } from "../errors.ts";
import { describeError } from "../lib/log.ts";
import type { Positions } from "../schemas/position.ts";
import type { PendingPosition } from "./read-pending.ts";

/** Claims of one chain that are proved at once; each is a request of its own. */
const MAX_CLAIMS = 8;

/**
 * Writes what a user has asked vaults of one chain for. A claim is handed out only once it was seen to work, which
 * costs a request for each vault that has settled something, and none where none has; why there is none is told.
 * `headTime`: of the block at which it was read, in seconds. Throws nothing but what is no AppError.
 */
export async function showPending(
  ctx: Context,
  of: { user: Address; pending: readonly PendingPosition[]; headTime: number },
): Promise<Positions["pending"]> {
  const claims = of.pending.filter(({ claim }) => claim !== null);
  return Promise.all(
    of.pending.map(async (one) => {
      const { next, refusal } = await claimOf(ctx, { ...of, one, place: claims.indexOf(one) });
      return {
        vault_id: one.vault.vaultId,
        pending_assets: one.pendingAssets?.toString() ?? null,
        claimable_shares: one.claimableShares?.toString() ?? null,
        next,
        next_refusal: refusal,
      };
    }),
  );
}

async function claimOf(
  ctx: Context,
  of: { user: Address; one: PendingPosition; headTime: number; place: number },
): Promise<Claim> {
  const { vault, claim: call } = of.one;
  if (call === null) return { next: null, refusal: null };
  if (of.place >= MAX_CLAIMS) {
    const detail = "there are more claims than are checked at once: make the others first";
    return { next: null, refusal: { code: "simulation_unavailable", detail } };
  }
  try {
    return await proveClaim(ctx, { vault, user: of.user, call, headTime: of.headTime });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    ctx.log.warn("claim_unproved", { vault_id: vault.vaultId, error: describeError(error) });
    return { next: null, refusal: { code: error.code, detail: error.message } };
  }
}
