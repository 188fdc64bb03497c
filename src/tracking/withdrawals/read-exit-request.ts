import { getAddress } from "viem";
import type { Context } from "../../context.ts";
import type { WithdrawalRow } from "../../db/queries/deposit-queries.ts";
import { selectOtherRedemptions } from "../../db/queries/withdrawal-queries.ts";
import type { BlockTime } from "../../lib/block-ranges.ts";
import { adapterOf } from "../../vaults/families/vault-families.ts";
import type { Vault } from "../../vaults/vault.ts";
import type { PendingExit, VaultExits } from "../../vaults/vault-exits.ts";
import { readTimed } from "../../vaults/vault-state.ts";
import { findVaultOfDeposit } from "../deposits/track-deposit-request.ts";
import { ownRequest } from "./own-exit-request.ts";

/**
 * The fields of a withdrawal by which its redemption request is followed. For a request that this service did not
 * build, `trackingId` is an id that no other request has.
 */
export type ExitSubject = Pick<
  WithdrawalRow,
  | "trackingId"
  | "state"
  | "mode"
  | "userAddress"
  | "vaultChainId"
  | "vaultAddress"
  | "shareToken"
  | "exitToken"
  | "moveToken"
  | "toChainId"
  | "requestId"
  | "shares"
  | "assets"
  | "estimatedAssets"
  | "sourceTxHash"
  | "sourceProven"
  | "sourceTo"
  | "sourceDataHash"
  | "claimTxHash"
  | "refundTxHash"
>;

/**
 * A withdrawal's request as its vault reports it at one block; `request` is null if `ownRequest` finds none among the
 * user's requests (`open`).
 */
export interface OpenExit {
  vault: Vault;
  exits: VaultExits;
  request: PendingExit | null;
  open: readonly PendingExit[];
  block: BlockTime;
}

/**
 * Reads a withdrawal's request from its vault. Null if its family has no requests, `unread` if they cannot be read.
 * Throws `vault_not_found`, `chain_unsupported`, `store_unavailable` and errors of the RPC nodes.
 */
export async function readExitRequest(ctx: Context, row: ExitSubject): Promise<OpenExit | "unread" | null> {
  const vault = await findVaultOfDeposit(ctx, row);
  const exits = adapterOf(vault).exits ?? null;
  const requestIds = row.requestId === null ? [] : [row.requestId];
  const pending = exits?.pending;
  if (exits === null || pending === undefined) return null;
  const user = getAddress(row.userAddress);
  const query = (now: number) => pending(vault, { user, requestIds, now });
  const { value, block } = await readTimed(ctx, { chainId: row.vaultChainId, query });
  if (value === null) return "unread";
  const isListed = value.length === 0 || value.some(({ requestId }) => requestId === row.requestId);
  const others = isListed ? [] : await selectOtherRedemptions(ctx.db, row, { anyId: true });
  const request = ownRequest(row, { open: value, others });
  return request === "ambiguous" ? "unread" : { vault, exits, request, open: value, block };
}
