import { getAddress } from "viem";
import type { BlockRef } from "../chains/aggregate.ts";
import type { Context } from "../context.ts";
import type { DepositRow } from "../db/queries/deposits.ts";
import type { AsyncDeposits, PendingDeposit } from "../vaults/adapter.ts";
import { requestsOf } from "../vaults/adapters.ts";
import { readNow } from "../vaults/state.ts";
import type { Vault } from "../vaults/vault.ts";
import { vaultOf } from "./vault-of.ts";

/** What an asynchronous vault says now of a deposit's request, and at which block. */
export interface RequestNow {
  vault: Vault;
  requests: AsyncDeposits;
  pending: PendingDeposit;
  block: BlockRef;
}

/** Whether a deposit waits for its vault, or for its user to claim. */
export function isRequested({ state }: Pick<DepositRow, "state">): boolean {
  return state === "requested" || state === "claimable";
}

/** Whether a deposit failed because its vault rejected the request. */
export function isRejected({ state, requestId }: Pick<DepositRow, "state" | "requestId">): boolean {
  return state === "failed" && requestId !== null;
}

/**
 * Asks a deposit's vault about its request; null when the vault takes none any more. Throws `vault_not_found`,
 * `store_unavailable` and what reading the chain throws.
 */
export async function readRequest(ctx: Context, row: DepositRow): Promise<RequestNow | null> {
  const { vaultChainId: chainId, requestId } = row;
  const vault = await vaultOf(ctx, row);
  const requests = requestsOf(vault);
  if (requests === null) return null;
  const requestIds = requestId === null ? [] : [requestId];
  const described = requests.pending(vault, { user: getAddress(row.userAddress), requestIds });
  const { value: pending, block } = await readNow(ctx, { chainId, described });
  return { vault, requests, pending, block };
}

/** Whether a request is neither pending nor claimable any more; null: the vault does not say. */
export function isGone({ pendingAssets, claimableShares, claimableAssets }: PendingDeposit): boolean | null {
  const open = [pendingAssets, claimableShares, claimableAssets].some((amount) => (amount ?? 0n) > 0n);
  if (open) return false;
  return pendingAssets === null || claimableShares === null ? null : true;
}
