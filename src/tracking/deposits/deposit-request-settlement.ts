import { getAddress, type Hex } from "viem";
import type { Receipt, Transaction } from "../../chains/chain-transaction.ts";
import type { Context } from "../../context.ts";
import { selectOtherRequests } from "../../db/queries/deposit-evidence-queries.ts";
import type { DepositHint } from "../../db/queries/deposit-hint-queries.ts";
import type { DepositRow } from "../../db/queries/deposit-queries.ts";
import { sameAddress } from "../../lib/address.ts";
import type { Vault } from "../../vaults/vault.ts";
import { findTransfers } from "../find-token-transfers.ts";
import { hashesOn } from "./deposit-hints.ts";
import { countShareTransfers, netTransfers } from "./deposit-proofs.ts";
import { isRequested } from "./deposit-state-machine.ts";
import { isConfirmed, requireReceipts, type TransactionReader } from "./deposit-transaction-reader.ts";
import type { Transition } from "./deposit-transitions.ts";
import { isRequestGone, type RequestState, readRequest } from "./track-deposit-request.ts";

/**
 * Whose shares a claim transaction sent: only those of the given request (`own`), perhaps those of other requests too
 * (`shared`), or only those of other requests (`another's`).
 */
export type ClaimOwnership = "own" | "shared" | "another's";

/**
 * Decides whose shares a claim transaction sent. `others` are the account's other requests at the vault. Errors of the
 * RPC nodes propagate.
 */
export async function claimOwnership(
  of: { row: RequestSubject; others: readonly DepositRow[]; receipt: Receipt; hash: Hex },
  readTransaction: TransactionReader,
): Promise<ClaimOwnership> {
  const { row, others, receipt, hash } = of;
  const several = countShareTransfers(row, receipt) > 1;
  // A vault with one balance per account settles all of its requests together, and no event says how the shares are
  // divided; one with request ids sends the shares of each request separately.
  const together = (other: DepositRow): boolean => other.requestId === row.requestId || several;
  const claimed = others.filter((other) => other.state === "completed" && other.claimTxHash === hash);
  if (claimed.some((other) => !together(other))) return "another's";
  if (claimed.length > 0) return "shared";
  for (const other of others) {
    if (!isRequested(other) || other.depositTxHash === null || !together(other)) continue;
    const asked = await readTransaction(other.vaultChainId, other.depositTxHash as Hex);
    // Its request is proven: a node that has forgotten the transaction does not show that it came later.
    if ((asked.receipt?.blockNumber ?? 0n) <= receipt.blockNumber) return "shared";
  }
  return "own";
}

/**
 * Fields that identify a deposit request at an asynchronous vault. The deposit is tracked, or was made without this
 * service.
 */
export type RequestSubject = Pick<
  DepositRow,
  | "trackingId"
  | "userAddress"
  | "vaultChainId"
  | "vaultAddress"
  | "shareToken"
  | "fromAmount"
  | "receivedAmount"
  | "requestId"
  | "depositTxHash"
  | "claimTxHash"
>;

interface SettlementInput {
  row: RequestSubject;
  readTransaction: TransactionReader;
  /** Transactions that may belong to the deposit and may have settled its request. */
  hints?: readonly DepositHint[];
}

/**
 * Returns the transition of a deposit's request: claimable, completed (null shares if others may have been settled with
 * it), refunded or rejected. Empty if none is known. Throws `store_unavailable`, `vault_not_found`,
 * `chain_unsupported` and errors of the RPC nodes.
 */
export async function settlementTransitions(ctx: Context, at: SettlementInput): Promise<Transition[]> {
  const now = await readRequest(ctx, at.row);
  if (now === null) return [];
  const { claimableShares, claimableAssets } = now.pending;
  if ((claimableShares ?? 0n) > 0n || (claimableAssets ?? 0n) > 0n) {
    const event = { kind: "chain", shows: "vault_settled", confirmed: true } as const;
    return [{ event, change: {}, write: "on_change" }];
  }
  if (isRequestGone(now.pending) !== true) return [];
  const { ended, complete } = await findSettlement(ctx, { ...at, now });
  if (ended !== null) return [ended];
  // A transaction that refunded the user may be in the blocks that were not searched.
  return now.pending.rejected === true && complete ? [REJECTED_TRANSITION] : [];
}

/** Transition of a deposit whose request the vault rejected: it fails, and the user must be refunded. */
const REJECTED_TRANSITION: Transition = {
  event: { kind: "chain", shows: "vault_rejected", confirmed: true },
  change: { substatus: "NOT_PROCESSABLE_REFUND_NEEDED" },
  write: "on_change",
};

/**
 * Finds the first transaction that settled a request and returns its transition as `ended`, or null if none is found.
 * `complete` is false if blocks remain that a later search will read.
 */
async function findSettlement(
  ctx: Context,
  at: SettlementInput & { now: RequestState },
): Promise<{ ended: Transition | null; complete: boolean }> {
  const { row, readTransaction, now } = at;
  const client = ctx.chains.client(row.vaultChainId);
  if (client === null || row.depositTxHash === null) return UNSEARCHED;
  const request = await readTransaction(row.vaultChainId, row.depositTxHash as Hex);
  if (request.receipt === null) return UNSEARCHED;
  const found = await findTransfers(ctx, {
    ...{ client, trackingId: row.trackingId },
    tokens: [getAddress(row.shareToken), now.vault.asset.address],
    party: { to: getAddress(row.userAddress) },
    amounts: null,
    from: Number(request.receipt.blockNumber),
    head: now.block.number,
  });
  const others = await selectOtherRequests(ctx.db, row);
  const contracts = [now.vault.entryPoint, now.vault.address];
  const made = { user: row.userAddress, block: request.receipt.blockNumber, contracts };
  const named = [row.claimTxHash, ...hashesOn(row.vaultChainId, at.hints ?? [])];
  const reported = named.flatMap((hash) => (hash === null ? [] : [hash as Hex]));
  const candidates = [...new Set([...reported, ...found.hashes])].filter(
    (hash) => hash !== row.depositTxHash,
  );
  const readLogged = requireReceipts(ctx, {
    ...{ readTransaction, chainId: row.vaultChainId, hashes: found.hashes },
  });
  for (const hash of candidates) {
    const seen = await readLogged(row.vaultChainId, hash);
    const { receipt, transaction } = seen;
    const confirmed = isConfirmed(ctx, { chainId: row.vaultChainId, seen });
    if (receipt === null || transaction === null || !confirmed) continue;
    const user = getAddress(row.userAddress);
    const claimed = now.requests.findClaim?.(now.vault, { user, logs: receipt.logs }) ?? null;
    // The vault's own event is the evidence, whatever the transaction was for and whatever left the wallet in it.
    const isOwnClaim = claimed !== null && receipt.succeeded && receipt.blockNumber >= made.block;
    if (!isOwnClaim && !maySettle({ transaction, receipt }, made)) continue;
    const claim = await claimOwnership({ row, others, receipt, hash }, readTransaction);
    if (claim === "another's") continue;
    const end = toSettlement({ row, vault: now.vault, hash, receipt, claimed, sole: claim === "own" });
    if (end !== null) return { ended: end, complete: true };
  }
  await found.noteSearched();
  return { ended: null, complete: found.complete };
}

const UNSEARCHED = { ended: null, complete: false } as const;

/**
 * Returns true if a transaction may have settled a request: it succeeded, no earlier than in the request's block
 * (`block`), and it called one of the vault's `contracts` or was sent by another account than the user's.
 */
export function maySettle(
  { transaction, receipt }: { transaction: Transaction; receipt: Receipt },
  request: { user: string; block: bigint; contracts: readonly string[] },
): boolean {
  const { to, from } = transaction;
  if (!receipt.succeeded || receipt.blockNumber < request.block) return false;
  return !sameAddress(from, request.user) || request.contracts.some((own) => sameAddress(own, to ?? ""));
}

/**
 * Returns the transition of a deposit whose request a transaction settled, or null if it sent the user neither shares
 * nor the whole deposited amount. Without `sole`, the number of shares stays unknown.
 */
function toSettlement(at: {
  row: RequestSubject;
  vault: Vault;
  hash: Hex;
  receipt: Receipt;
  /** Shares claimed for the user by the vault's own event, or null if there is no such event. */
  claimed: bigint | null;
  sole: boolean;
}): Transition | null {
  const { row, vault, hash, receipt, claimed, sole } = at;
  const account = row.userAddress;
  const shares = claimed ?? netTransfers(receipt.logs, { token: row.shareToken, account });
  const confirmed = true;
  if (shares > 0n) {
    const event = { kind: "chain", shows: "vault_claimed", confirmed } as const;
    const change = { substatus: null, shares: sole ? shares.toString() : null, claimTxHash: hash };
    return { event, change, write: "on_change" };
  }
  const back = netTransfers(receipt.logs, { token: vault.asset.address, account });
  if (back <= 0n || back.toString() !== (row.receivedAmount ?? row.fromAmount)) return null;
  const event = { kind: "chain", shows: "refund", confirmed } as const;
  const change = { substatus: null, refundTxHash: hash, receivedAmount: back.toString() };
  return { event, change, write: "on_change" };
}
