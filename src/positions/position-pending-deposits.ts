import type { Address } from "viem";
import { mapQuery, type Query, queryAll } from "../chains/chain-reads.ts";
import type { Context } from "../context.ts";
import type { OpenRequest } from "../db/queries/user-flow-queries.ts";
import { AppError } from "../errors.ts";
import { describeError } from "../lib/logger.ts";
import { type NextStepOutcome, prepareClaim } from "../orders/prepare-order-claim.ts";
import type { Positions } from "../schemas/position-schema.ts";
import { adapterOf } from "../vaults/families/vault-families.ts";
import type { Vault } from "../vaults/vault.ts";
import type { AsyncDeposits, PendingDeposit } from "../vaults/vault-adapter.ts";
import type { DepositClaimCall } from "../vaults/vault-deposit-claim.ts";

/**
 * A user's pending deposits into an asynchronous vault. `claim` is the call that claims settled shares or assets of
 * cancelled requests; null if none are known to be claimable, or if the vault sends them without a claim.
 */
export interface PendingPosition extends PendingDeposit {
  vault: Vault;
  claim: DepositClaimCall | null;
  /** True if no request is known to exist, and only `booked` counts, which is unknown. */
  hidden?: true;
}

/** An asynchronous vault, its functions for deposit requests, and the user's known request ids. */
interface RequestVault {
  vault: Vault;
  requests: AsyncDeposits;
  requestIds: readonly string[];
}

/** Returns the asynchronous vaults among `vaults`, each with its functions for deposit requests. */
export function vaultsWithRequests(vaults: readonly Vault[]): Omit<RequestVault, "requestIds">[] {
  return vaults.flatMap((vault) => {
    const requests = adapterOf(vault).asyncDeposits?.(vault, "anywhere") ?? null;
    return requests === null ? [] : [{ vault, requests }];
  });
}

/**
 * Returns the query for a user's pending deposits at the asynchronous vaults among `vaults`, or null if there are none.
 * A vault is left out unless an amount is above zero, or pending assets or claimable shares are unknown and `open` has
 * a deposit request to it. It is hidden if only the amount that flows may count is unknown.
 */
export function pendingQuery(query: {
  user: Address;
  vaults: readonly Vault[];
  open: readonly OpenRequest[];
}): Query<PendingPosition[]> | null {
  const { user } = query;
  const asked = vaultsWithRequests(query.vaults).map((one) => ({
    ...one,
    requestIds: idsOf(one.vault, query.open),
  }));
  if (asked.length === 0) return null;
  const parts: Record<string, Query<PendingDeposit>> = Object.fromEntries(
    asked.map(({ vault, requests, requestIds }) => [
      vault.vaultId,
      requests.pending(vault, { user, requestIds }),
    ]),
  );
  return mapQuery(queryAll(parts), (value) =>
    asked.flatMap((one) => {
      const pending = value[one.vault.vaultId];
      return pending === undefined ? [] : toPending(user, { ...one, pending });
    }),
  );
}

function idsOf({ chainId, address }: Vault, open: readonly OpenRequest[]): string[] {
  const own = open.filter(
    (one) =>
      one.direction === "deposit" && one.chainId === chainId && one.vaultAddress === address.toLowerCase(),
  );
  return own.map(({ requestId }) => requestId);
}

function toPending(user: Address, of: RequestVault & { pending: PendingDeposit }): PendingPosition[] {
  const { vault, pending, requests, requestIds } = of;
  const { pendingAssets, claimableShares, claimableAssets, booked = { assets: 0n, at: 0 } } = pending;
  const amounts = [pendingAssets, claimableShares, claimableAssets, booked.assets];
  const some = booked.at > 0 || amounts.some((amount) => (amount ?? 0n) > 0n);
  // An unknown amount counts only if a request is known to exist.
  const isUnknown = pendingAssets === null || claimableShares === null;
  if (!some && !(isUnknown && requestIds.length > 0))
    // What the flows may count must not look like a loss.
    return booked.assets === 0n ? [] : [{ ...pending, vault, claim: null, hidden: true }];
  return [{ ...pending, vault, claim: requests.claim(vault, { user, pending }) }];
}

/** Maximum number of claims that are simulated per chain. Each takes one RPC request. */
const MAX_CLAIMS = 8;

/**
 * Converts a user's pending deposits on one chain to the API's format. Of at most eight claims, those that pass a
 * simulation are included; `next_refusal` says why one is not. `headTime`: their block's time, in UNIX seconds.
 */
export async function toWirePending(
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
): Promise<NextStepOutcome> {
  const { vault, claim: call } = of.one;
  if (call === null) return { next: null, refusal: null };
  if (of.place >= MAX_CLAIMS) {
    const detail = "there are more claims than one request checks: send the other claims first";
    return { next: null, refusal: { code: "simulation_unavailable", detail } };
  }
  try {
    const { user, headTime } = of;
    return await prepareClaim(ctx, { vault, user, call, headTime });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    ctx.log.warn("claim_unproved", { vault_id: vault.vaultId, error: describeError(error) });
    return { next: null, refusal: { code: error.code, detail: error.message } };
  }
}
