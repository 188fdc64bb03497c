import type { Address, Hex } from "viem";
import type { Context } from "../context.ts";
import { AppError } from "../errors.ts";
import { describeError } from "../lib/logger.ts";
import type { Substatus, TransferStatusName } from "../schemas/step-schema.ts";
import { settlementTransitions } from "../tracking/deposits/deposit-request-settlement.ts";
import type { RequestSubject } from "../tracking/deposits/deposit-request-siblings.ts";
import type { TransactionReader } from "../tracking/deposits/deposit-transaction-reader.ts";
import type { Transition } from "../tracking/deposits/deposit-transitions.ts";
import type { Vault } from "../vaults/vault.ts";
import type { ShownDeposit } from "./status-untracked-deposit.ts";

/** A deposit request at an asynchronous vault that was not built by this service. */
interface UntrackedRequest {
  vault: Vault;
  request: NonNullable<ShownDeposit["request"]>;
  /** Requested amount in the asset's smallest unit, or null if the receipt does not show it. */
  sent: bigint | null;
  /** The transaction that made the request. */
  hash: Hex;
  readTransaction: TransactionReader;
}

/**
 * Changes to the status of a request after its receipt, from a later transaction or the vault's view functions. Absent
 * fields are unchanged.
 */
interface RequestEnd {
  status?: TransferStatusName;
  substatus?: Substatus;
  /** Received amount in the smallest unit of `shareToken`: the vault's shares, or its asset after a refund. */
  received?: bigint | null;
  receivedKind?: "shares" | "asset";
  shareToken?: Address;
  endedBy?: Hex | null;
}

/**
 * Returns how the status of a deposit request that this service did not build has changed since its receipt. Empty
 * while it is pending, if its end is not found, or if chain or vault cannot be read. Throws `store_unavailable`.
 */
export async function findRequestEnd(
  ctx: Context,
  { vault, request, sent, hash, readTransaction }: UntrackedRequest,
): Promise<RequestEnd> {
  const amount = sent?.toString() ?? "";
  // No row has this id; it keeps the searched blocks of different requests apart.
  const id = `${hash}:${vault.address}:${request.requestId ?? ""}`;
  const row: RequestSubject = {
    ...{ trackingId: id, userAddress: request.account.toLowerCase(), requestId: request.requestId },
    ...{ vaultChainId: vault.chainId, vaultAddress: vault.address.toLowerCase() },
    ...{ shareToken: vault.shareToken.toLowerCase(), fromAmount: amount, receivedAmount: null },
    ...{ depositTxHash: hash, claimTxHash: null, tracked: false },
  };
  try {
    const [end] = await settlementTransitions(ctx, { row, readTransaction });
    return end === undefined ? {} : toEnd(end, { vault, request });
  } catch (error) {
    if (error instanceof AppError && error.code === "store_unavailable") throw error;
    ctx.log.warn("request_unread", {
      vault_id: `${vault.chainId}:${row.vaultAddress}`,
      error: describeError(error),
    });
    return {};
  }
}

/** Request id that stands for all requests of an account at a vault without separate ids. Source: EIP-7540. */
const ALL_REQUESTS = "0";

function toEnd(
  { event, change }: Transition,
  { vault, request: { requestId } }: Pick<UntrackedRequest, "vault" | "request">,
): RequestEnd {
  switch (event.kind === "chain" ? event.shows : null) {
    case "vault_settled":
      return { status: "PENDING", substatus: "WAIT_CLAIM_TRANSACTION" };
    case "vault_rejected":
      return { status: "FAILED", substatus: "NOT_PROCESSABLE_REFUND_NEEDED" };
    case "vault_claimed": {
      // One claim may settle several requests that an account made outside, and nothing splits its shares.
      const alone = requestId !== null && requestId !== ALL_REQUESTS;
      const shares = alone && change.shares != null ? BigInt(change.shares) : null;
      return { status: "DONE", substatus: "COMPLETED", received: shares, endedBy: claimOf(change) };
    }
    case "vault_partly_claimed": {
      const shares = change.shares == null ? null : BigInt(change.shares);
      return { status: "DONE", substatus: "PARTIAL", received: shares, endedBy: claimOf(change) };
    }
    case "vault_unminted":
      return { status: "FAILED", substatus: "UNKNOWN_ERROR", received: 0n, endedBy: claimOf(change) };
    case "refund": {
      const received = change.receivedAmount == null ? null : BigInt(change.receivedAmount);
      const back = { received, receivedKind: "asset", shareToken: vault.asset.address } as const;
      return { status: "DONE", substatus: "REFUNDED", ...back, endedBy: claimOf(change) };
    }
    default:
      return {};
  }
}

const claimOf = ({ claimTxHash, refundTxHash }: Transition["change"]): Hex | null =>
  (claimTxHash ?? refundTxHash ?? null) as Hex | null;
