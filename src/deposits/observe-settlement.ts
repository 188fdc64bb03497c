import { getAddress, type Hex } from "viem";
import type { Receipt, Transaction } from "../chains/transaction.ts";
import type { Context } from "../context.ts";
import type { DepositRow } from "../db/queries/deposits.ts";
import { selectOtherRequests } from "../db/queries/other-requests.ts";
import { sameAddress } from "../lib/address.ts";
import type { Vault } from "../vaults/vault.ts";
import { netTransfers } from "./evidence.ts";
import { findTransfers } from "./find-transfers.ts";
import { isConfirmed, type Look } from "./look.ts";
import type { Observation } from "./move.ts";
import { isGone, type RequestNow, readRequest } from "./requests.ts";
import { shareOfClaim } from "./shared-claim.ts";

interface Requested {
  row: DepositRow;
  look: Look;
}

/**
 * What became of a request: settled and waiting to be claimed, by the vault's own views; and once those know it no
 * more, the transaction that gave the user the shares, or the asset back where it was cancelled. Where neither is
 * found and the vault says that it rejected the request, that: somebody owes the user what was paid in.
 * Throws `store_unavailable`, `vault_not_found` and what reading the chain throws.
 */
export async function observeSettlement(ctx: Context, at: Requested): Promise<Observation[]> {
  const now = await readRequest(ctx, at.row);
  if (now === null) return [];
  const { claimableShares, claimableAssets } = now.pending;
  if ((claimableShares ?? 0n) > 0n || (claimableAssets ?? 0n) > 0n) {
    const evidence = { kind: "chain", shows: "vault_settled", confirmed: true } as const;
    return [{ evidence, change: {}, noted: "when_moving" }];
  }
  if (isGone(now.pending) !== true) return [];
  const ended = await observeEnd(ctx, { ...at, now });
  return ended.length === 0 && now.pending.rejected === true ? [REJECTED] : ended;
}

const REJECTED: Observation = {
  evidence: { kind: "chain", shows: "vault_rejected", confirmed: true },
  change: { substatus: "NOT_PROCESSABLE_REFUND_NEEDED" },
  noted: "when_moving",
};

/** The first transaction after the request that ended it. */
async function observeEnd(ctx: Context, at: Requested & { now: RequestNow }): Promise<Observation[]> {
  const { row, look, now } = at;
  const client = ctx.chains.client(row.vaultChainId);
  if (client === null || row.depositTxHash === null) return [];
  const request = await look(row.vaultChainId, row.depositTxHash as Hex);
  if (request.receipt === null) return [];
  const found = await findTransfers(client, {
    tokens: [getAddress(row.shareToken), now.vault.asset.address],
    party: { to: getAddress(row.userAddress) },
    amounts: null,
    from: Number(request.receipt.blockNumber),
    head: now.block.number,
  });
  const others = await selectOtherRequests(ctx.db, row);
  const contracts = [now.vault.entryPoint, now.vault.address];
  const made = { user: row.userAddress, block: request.receipt.blockNumber, contracts };
  const reported = row.claimTxHash === null ? [] : [row.claimTxHash as Hex];
  const candidates = [...new Set([...reported, ...found])].filter((hash) => hash !== row.depositTxHash);
  for (const hash of candidates) {
    const seen = await look(row.vaultChainId, hash);
    const { receipt, transaction } = seen;
    const confirmed = isConfirmed(ctx, { chainId: row.vaultChainId, seen });
    if (receipt === null || transaction === null || !confirmed) continue;
    if (!mayEnd({ transaction, receipt }, made)) continue;
    const claim = await shareOfClaim({ row, others, receipt, hash }, look);
    if (claim === "another's") continue;
    const end = endIn({ row, vault: now.vault, hash, receipt, sole: claim === "own" });
    if (end !== null) return [end];
  }
  return [];
}

/**
 * Whether a transaction can be what ended a request, made in `block` of one of `contracts`: it comes after, and is
 * no call of the user's to anybody else. What the user did elsewhere, such as buying shares, is no settlement.
 */
export function mayEnd(
  { transaction, receipt }: { transaction: Transaction; receipt: Receipt },
  request: { user: string; block: bigint; contracts: readonly string[] },
): boolean {
  const { to, from } = transaction;
  if (!receipt.succeeded || receipt.blockNumber < request.block) return false;
  return !sameAddress(from, request.user) || request.contracts.some((own) => sameAddress(own, to ?? ""));
}

/** `sole`: no other request of the account was claimed with it; of a claim of several, whose shares are whose is not known. */
function endIn(at: {
  row: DepositRow;
  vault: Vault;
  hash: Hex;
  receipt: Receipt;
  sole: boolean;
}): Observation | null {
  const { row, vault, hash, receipt, sole } = at;
  const account = row.userAddress;
  const shares = netTransfers(receipt.logs, { token: row.shareToken, account });
  const confirmed = true;
  if (shares > 0n) {
    const evidence = { kind: "chain", shows: "vault_claimed", confirmed } as const;
    const change = { substatus: null, shares: sole ? shares.toString() : null, claimTxHash: hash };
    return { evidence, change, noted: "when_moving" };
  }
  const back = netTransfers(receipt.logs, { token: vault.asset.address, account });
  if (back <= 0n || back.toString() !== (row.receivedAmount ?? row.fromAmount)) return null;
  const evidence = { kind: "chain", shows: "refund", confirmed } as const;
  const change = { substatus: null, refundTxHash: hash, receivedAmount: back.toString() };
  return { evidence, change, noted: "when_moving" };
}
