import { getAddress, type Hex } from "viem";
import type { Receipt } from "../../chains/transaction.ts";
import type { Context } from "../../context.ts";
import type { DepositRow } from "../../db/queries/deposits.ts";
import type { BlockTime } from "../../lib/blocks.ts";
import { asyncDepositsOf } from "../../vaults/families.ts";
import { findVaultForDeposit } from "../../vaults/find-vault.ts";
import type { Vault } from "../../vaults/vault.ts";
import type { AsyncDeposits, PendingDeposit } from "../../vaults/vault-adapter.ts";
import { readUncached } from "../../vaults/vault-state.ts";
import type { Transition } from "./transitions.ts";

/** The vault of a tracked deposit, straight from Postgres. Throws `vault_not_found`, `store_unavailable`. */
export function findVaultOfDeposit(ctx: Context, row: DepositRow): Promise<Vault> {
  return findVaultForDeposit(ctx, { chainId: row.vaultChainId, address: getAddress(row.vaultAddress) });
}

/** What an asynchronous vault says now of a deposit's request, and at which block. */
export interface RequestState {
  vault: Vault;
  requests: AsyncDeposits;
  pending: PendingDeposit;
  block: BlockTime;
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
export async function readRequest(ctx: Context, row: DepositRow): Promise<RequestState | null> {
  const { vaultChainId: chainId, requestId } = row;
  const vault = await findVaultOfDeposit(ctx, row);
  const requests = asyncDepositsOf(vault);
  if (requests === null) return null;
  const requestIds = requestId === null ? [] : [requestId];
  const described = requests.pending(vault, { user: getAddress(row.userAddress), requestIds });
  const { value: pending, block } = await readUncached(ctx, { chainId, query: described });
  return { vault, requests, pending, block };
}

/** Whether a request is neither pending nor claimable any more; null: the vault does not say. */
export function isRequestGone({
  pendingAssets,
  claimableShares,
  claimableAssets,
}: PendingDeposit): boolean | null {
  const open = [pendingAssets, claimableShares, claimableAssets].some((amount) => (amount ?? 0n) > 0n);
  if (open) return false;
  return pendingAssets === null || claimableShares === null ? null : true;
}

/**
 * The request to an asynchronous vault that the user's own transaction shows; nothing for a vault that gives
 * shares at once. Throws `vault_not_found`, `store_unavailable`.
 */
export async function requestTransitions(
  ctx: Context,
  at: { row: DepositRow; hash: Hex; receipt: Receipt; confirmed: boolean },
): Promise<Transition[]> {
  const { row, hash, receipt, confirmed } = at;
  const vault = await findVaultOfDeposit(ctx, row);
  const user = getAddress(row.userAddress);
  const request = asyncDepositsOf(vault)?.findRequest(vault, { user, logs: receipt.logs }) ?? null;
  if (request === null) return [];
  const change = {
    substatus: null,
    depositTxHash: hash,
    depositProven: true,
    requestId: request.requestId,
    receivedAmount: request.assets?.toString() ?? null,
  };
  const event = { kind: "chain", shows: "vault_requested", confirmed } as const;
  return [{ event, change, write: "on_change" }];
}
