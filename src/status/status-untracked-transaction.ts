import type { Address, Hex } from "viem";
import type { ChainClient } from "../chains/chain-client.ts";
import type { TransactionOnChain } from "../chains/chain-transaction.ts";
import type { Context } from "../context.ts";
import { sameAddress } from "../lib/address.ts";
import { depositRouterAddress } from "../router/router-address.ts";
import type { Substatus, TransferStatusName } from "../schemas/step-schema.ts";
import type { TransactionReader } from "../tracking/deposits/deposit-transaction-reader.ts";
import { failureReason } from "../tracking/deposits/track-deposit-failure.ts";
import { listRegistry } from "../vaults/find-vault.ts";
import { findShownDeposit } from "./status-untracked-deposit.ts";
import { findRedemptionEnd } from "./status-untracked-redemption.ts";
import { findRequestEnd } from "./status-untracked-request.ts";
import { findShownRequestEnd, type ShownRequestEnd } from "./status-untracked-request-end.ts";
import { findShownWithdrawal, type ShownWithdrawal } from "./status-untracked-withdrawal.ts";

/**
 * The status of a transaction that belongs to no recorded row. `sent` is an amount of `sentToken`, `received` of
 * `shareToken`, which may be another token than shares. Amounts are in smallest units, and null if unknown; `received`
 * also if nothing has arrived. `substatus` is null for `NOT_FOUND` and `INVALID`.
 */
export interface UntrackedStatus {
  status: TransferStatusName;
  substatus: Substatus | null;
  sent: bigint | null;
  sentToken: Address | null;
  received: bigint | null;
  shareToken: Address | null;
  /**
   * Later transaction that ended a request, or null. `received` and `receivedKind` then describe what that transaction
   * paid.
   */
  endedBy: Hex | null;
  /** `asset` for a withdrawal, unless its request was cancelled, and for a refund. */
  receivedKind: "shares" | "asset";
  /** `shares` for a withdrawal. */
  sentKind: "shares" | "asset";
}

const statusOnly = (status: TransferStatusName, substatus: Substatus | null): UntrackedStatus => ({
  status,
  substatus,
  sent: null,
  sentToken: null,
  received: null,
  shareToken: null,
  endedBy: null,
  receivedKind: "shares",
  sentKind: "asset",
});

/**
 * Classifies a transaction that belongs to no recorded row by its receipt: as a deposit into or withdrawal from a vault
 * of the registry, as the end of a request, as a reverted Router call, or as `INVALID`; unless `INVALID`, it is `PENDING`
 * until it is confirmed. `NOT_FOUND` if the chain does not show it. Requests are followed to their end.
 * Throws `store_unavailable`.
 */
export async function classifyUntracked(
  ctx: Context,
  input: { client: ChainClient; seen: TransactionOnChain; readTransaction: TransactionReader },
): Promise<UntrackedStatus> {
  const { client, seen, readTransaction } = input;
  const { transaction, receipt } = seen;
  if (transaction === null) return statusOnly("NOT_FOUND", null);
  if (receipt === null) return statusOnly("PENDING", "WAIT_SOURCE_CONFIRMATIONS");
  const confirmed = seen.confirmations >= client.definition.confirmations;
  if (!receipt.succeeded) {
    if (!sameAddress(transaction.to ?? "", depositRouterAddress)) return statusOnly("INVALID", null);
    if (!confirmed) return statusOnly("PENDING", "WAIT_SOURCE_CONFIRMATIONS");
    return statusOnly("FAILED", await failureReason(client, { transaction, receipt }));
  }
  const { all } = await listRegistry(ctx);
  const vaults = all.filter((vault) => vault.chainId === client.definition.chainId);
  const on = { vaults, transaction, receipt, chain: client.definition };
  const shown = findShownDeposit(on);
  if (shown === null) return classifyWithdrawal(ctx, { ...on, readTransaction, confirmed });
  const { sent, sentToken, received, vault, request } = shown;
  const amounts = { sent, sentToken, received, shareToken: vault.shareToken };
  if (!confirmed) return { ...statusOnly("PENDING", "WAIT_SOURCE_CONFIRMATIONS"), ...amounts };
  if (request === null) return { ...statusOnly("DONE", "COMPLETED"), ...amounts };
  const end = await findRequestEnd(ctx, {
    ...{ vault, request, sent },
    ...{ hash: transaction.hash, readTransaction },
  });
  return { ...statusOnly("PENDING", "WAIT_VAULT_SETTLEMENT"), ...amounts, ...end };
}

const WITHDRAWN: Readonly<Record<ShownWithdrawal["kind"], [TransferStatusName, Substatus]>> = {
  paid: ["DONE", "COMPLETED"],
  unpaid: ["FAILED", "UNKNOWN_ERROR"],
  request: ["PENDING", "WAIT_VAULT_SETTLEMENT"],
  cooldown: ["PENDING", "WAIT_COOLDOWN"],
  bridged: ["PENDING", "WAIT_DESTINATION_TRANSACTION"],
};

/**
 * Classifies a transaction that is not a deposit as a withdrawal from a vault of the registry, as the end of a
 * request, or as `INVALID`.
 */
async function classifyWithdrawal(
  ctx: Context,
  {
    readTransaction,
    confirmed,
    ...shown
  }: Parameters<typeof findShownWithdrawal>[0] & { readTransaction: TransactionReader; confirmed: boolean },
): Promise<UntrackedStatus> {
  const withdrawal = findShownWithdrawal(shown);
  if (withdrawal === null) return classifyRequestEnd(shown, confirmed);
  const { vault, kind, shares, received, receivedToken, request } = withdrawal;
  const standing = confirmed
    ? statusOnly(...WITHDRAWN[kind])
    : statusOnly("PENDING", "WAIT_SOURCE_CONFIRMATIONS");
  const status: UntrackedStatus = {
    ...standing,
    ...{ sent: shares, sentToken: vault.shareToken, sentKind: "shares" },
    ...{ received, shareToken: receivedToken, receivedKind: "asset" },
  };
  if (request === null || !confirmed) return status;
  const { transaction } = shown;
  const end = await findRedemptionEnd(ctx, { vault, request, shares, transaction, readTransaction });
  return { ...status, ...end };
}

const ENDED: Readonly<Record<ShownRequestEnd["outcome"], [TransferStatusName, Substatus]>> = {
  paid: ["DONE", "COMPLETED"],
  unpaid: ["FAILED", "UNKNOWN_ERROR"],
  cancelled: ["DONE", "CANCELLED"],
  refunded: ["DONE", "REFUNDED"],
};

/** Classifies a transaction that shows no withdrawal as the claim or cancellation of a request, or as `INVALID`. */
function classifyRequestEnd(
  shown: Parameters<typeof findShownRequestEnd>[0],
  confirmed: boolean,
): UntrackedStatus {
  const end = findShownRequestEnd(shown);
  if (end === null) return statusOnly("INVALID", null);
  const { outcome, received, token } = end;
  return {
    ...(confirmed ? statusOnly(...ENDED[outcome]) : statusOnly("PENDING", "WAIT_SOURCE_CONFIRMATIONS")),
    ...{ received, shareToken: token, receivedKind: outcome === "cancelled" ? "shares" : "asset" },
  };
}
