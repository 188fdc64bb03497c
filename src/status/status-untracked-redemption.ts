import { type Address, type Hex, keccak256, zeroAddress } from "viem";
import type { Transaction } from "../chains/chain-transaction.ts";
import type { Context } from "../context.ts";
import { AppError } from "../errors.ts";
import { describeError } from "../lib/logger.ts";
import type { Substatus, TransferStatusName } from "../schemas/step-schema.ts";
import type { TransactionReader } from "../tracking/deposits/deposit-transaction-reader.ts";
import { keepTransactions, readKeptTransactions } from "../tracking/track-searched-blocks.ts";
import type { ExitSubject } from "../tracking/withdrawals/read-exit-request.ts";
import { exitRequestTransitions } from "../tracking/withdrawals/track-withdrawal-request.ts";
import { nextWithdrawalState, statusOfWithdrawal } from "../tracking/withdrawals/withdrawal-state-machine.ts";
import type { WithdrawalTransition } from "../tracking/withdrawals/withdrawal-transitions.ts";
import type { Vault } from "../vaults/vault.ts";
import type { ShownRedemption } from "./status-untracked-withdrawal.ts";

/** A redemption request that was not built by this service. */
interface UntrackedRedemption {
  vault: Vault;
  request: ShownRedemption;
  /** Requested shares in the share token's smallest unit, or null if the receipt does not show them. */
  shares: bigint | null;
  /** The transaction that made the request. */
  transaction: Transaction;
  readTransaction: TransactionReader;
}

/**
 * Changes to the status of a redemption request after its receipt, from a later transaction or the vault's view
 * functions. Absent fields are unchanged.
 */
interface RedemptionEnd {
  status?: TransferStatusName;
  substatus?: Substatus | null;
  /** Received amount in the smallest unit of `shareToken`, which is the shares' token after a cancellation. */
  received?: bigint | null;
  receivedKind?: "shares" | "asset";
  shareToken?: Address;
  endedBy?: Hex | null;
}

/** Maximum number of times that a request is followed to the one that took its place. */
const MAX_SUCCESSORS = 4;

/**
 * Returns how the status of a redemption request that this service did not build has changed since its receipt. Empty
 * if its end is not found, or if chain or vault cannot be read. Throws `store_unavailable`.
 */
export async function findRedemptionEnd(ctx: Context, of: UntrackedRedemption): Promise<RedemptionEnd> {
  const { vault, request, readTransaction } = of;
  try {
    let row = subjectOf(of, request.requestId);
    for (let followed = 0; followed <= MAX_SUCCESSORS; followed += 1) {
      const [end] = await transitionsOf(ctx, { row, readTransaction });
      const id = end?.change.requestId ?? null;
      const isReplaced = row.requestId !== null && id !== null && id !== row.requestId;
      if (!isReplaced) return end === undefined ? {} : toEnd(end, { ...of, row });
      row = subjectOf(of, id);
    }
    return {};
  } catch (error) {
    if (error instanceof AppError && error.code === "store_unavailable") throw error;
    ctx.log.warn("request_unread", {
      vault_id: `${vault.chainId}:${vault.address.toLowerCase()}`,
      error: describeError(error),
    });
    return {};
  }
}

/** Returns what stands for the request's row where it is followed under an id. */
function subjectOf(
  { vault, request, shares, transaction }: UntrackedRedemption,
  requestId: string | null,
): ExitSubject {
  const { hash, to, input } = transaction;
  const [user, token] = [request.account.toLowerCase(), request.token.toLowerCase()];
  return {
    // No row has this id; it keeps the searched blocks of different requests apart.
    trackingId: `${hash}:${vault.address}:${user}:${requestId ?? ""}`,
    ...{ state: request.mode === "cooldown" ? "cooling" : "requested", mode: request.mode },
    ...{ userAddress: user, requestId, shares: shares?.toString() ?? null },
    ...{ vaultChainId: vault.chainId, vaultAddress: vault.address.toLowerCase() },
    ...{ shareToken: vault.shareToken.toLowerCase(), exitToken: token },
    ...{ moveToken: token, toChainId: vault.chainId },
    ...{ assets: request.paid.toString(), estimatedAssets: request.promised?.toString() ?? null },
    ...{ sourceTxHash: hash, sourceProven: true, sourceTo: (to ?? zeroAddress).toLowerCase() },
    ...{ sourceDataHash: keccak256(input), claimTxHash: null, refundTxHash: null },
  };
}

async function transitionsOf(
  ctx: Context,
  { row, readTransaction }: { row: ExitSubject; readTransaction: TransactionReader },
): Promise<readonly WithdrawalTransition[]> {
  // Hints in the database belong to rows.
  const key = `kept:${row.trackingId}`.toLowerCase();
  const kept = await readKeptTransactions(ctx, key);
  const { transitions } = await exitRequestTransitions(ctx, {
    ...{ row, readTransaction },
    hints: kept.map((txHash) => ({ chainId: row.vaultChainId, txHash })),
    unrecorded: { keep: (found) => keepTransactions(ctx, { key, hashes: [...kept, ...found] }) },
  });
  return transitions;
}

function toEnd(
  { event, change }: WithdrawalTransition,
  { row, vault, request, shares }: UntrackedRedemption & { row: ExitSubject },
): RedemptionEnd {
  const state = nextWithdrawalState(row.state, event);
  const shown = statusOfWithdrawal(state, change.substatus ?? null);
  switch (state) {
    case "completed":
    case "partial":
    case "failed": {
      if (change.claimTxHash == null) return shown;
      const received = change.assets == null ? null : BigInt(change.assets);
      const endedBy = (change.claimTxHash ?? null) as Hex | null;
      return { ...shown, received, shareToken: request.token, endedBy };
    }
    case "cancelled": {
      const back = { received: shares, receivedKind: "shares", shareToken: vault.shareToken } as const;
      return { ...shown, ...back, endedBy: (change.refundTxHash ?? null) as Hex | null };
    }
    default:
      return shown;
  }
}
