import { getAddress, type Hex } from "viem";
import type { Receipt } from "../../chains/chain-transaction.ts";
import type { Context } from "../../context.ts";
import type { DepositHint } from "../../db/queries/deposit-hint-queries.ts";
import type { WithdrawalRow } from "../../db/queries/deposit-queries.ts";
import { selectOtherRedemptions } from "../../db/queries/withdrawal-queries.ts";
import { isNative } from "../../lib/address.ts";
import type { BlockTime } from "../../lib/block-ranges.ts";
import type { Vault } from "../../vaults/vault.ts";
import type { ExitSettlement, PendingExit, VaultExits } from "../../vaults/vault-exits.ts";
import { adapterOf } from "../../vaults/vault-families.ts";
import { readTimed } from "../../vaults/vault-state.ts";
import { findVaultOfDeposit } from "../track/async-deposit-request.ts";
import { hashesOn } from "../track/deposit-hints.ts";
import { netTransfers } from "../track/deposit-proofs.ts";
import { isConfirmed, type TransactionReader } from "../track/deposit-transaction-reader.ts";
import { findTransfers } from "../track/find-deposit-logs.ts";
import { asksForAssets } from "./withdrawal-proofs.ts";
import { isOpenRequest, type WithdrawalSight } from "./withdrawal-state-machine.ts";
import type { WithdrawalTransition } from "./withdrawal-transitions.ts";

/** A withdrawal's request as the vault reports it at one block; `request` is null if it reports none. */
export interface OpenExit {
  vault: Vault;
  exits: VaultExits;
  request: PendingExit | null;
  block: BlockTime;
}

/**
 * Reads a withdrawal's request from its vault. Returns null if the family has no requests. Throws `vault_not_found`,
 * `store_unavailable`. Errors of the RPC nodes propagate.
 */
export async function readExitRequest(ctx: Context, row: WithdrawalRow): Promise<OpenExit | null> {
  const vault = await findVaultOfDeposit(ctx, row);
  const exits = adapterOf(vault).exits ?? null;
  const requestIds = row.requestId === null ? [] : [row.requestId];
  const pending = exits?.pending;
  if (exits === null || pending === undefined) return null;
  const query = (now: number) => pending(vault, { user: getAddress(row.userAddress), requestIds, now });
  const { value, block } = await readTimed(ctx, { chainId: row.vaultChainId, query });
  return { vault, exits, request: ownRequest(row, value), block };
}

/**
 * Returns a withdrawal's request among the user's open ones: by its id; or, for an unnumbered request, by its shares or
 * as the only one. Pure.
 */
export function ownRequest(
  row: Pick<WithdrawalRow, "requestId" | "shares">,
  open: readonly PendingExit[],
): PendingExit | null {
  if (row.requestId !== null) return open.find(({ requestId }) => requestId === row.requestId) ?? null;
  const same = open.filter(({ shares }) => shares !== null && shares.toString() === row.shares);
  return same[0] ?? (open.length === 1 ? (open[0] ?? null) : null);
}

interface RequestInput {
  row: WithdrawalRow;
  readTransaction: TransactionReader;
  hints: readonly DepositHint[];
}

/**
 * Returns the status transition of a withdrawal with a pending request: its end, if a transaction shows it, otherwise
 * the state that the vault reports. Throws `store_unavailable`, `vault_not_found`. Errors of the RPC nodes propagate.
 */
export async function exitRequestTransitions(
  ctx: Context,
  at: RequestInput,
): Promise<WithdrawalTransition[]> {
  const now = await readExitRequest(ctx, at.row);
  if (now === null) return [];
  const ended = await findEnd(ctx, { ...at, now });
  if (ended !== null) return [ended];
  return now.request === null ? [] : [reportedTransition(at.row, now.request)];
}

/** Returns the status transition for the state of an open request that the vault reports. */
function reportedTransition(row: WithdrawalRow, request: PendingExit): WithdrawalTransition {
  const pending = row.mode === "cooldown" ? "cooldown_pending" : "request_pending";
  const as = (shows: WithdrawalSight, substatus: string | null = null): WithdrawalTransition => ({
    event: { kind: "chain", shows, confirmed: true },
    change: { substatus },
    write: "on_change",
  });
  switch (request.state) {
    case "claimable":
      return as("request_claimable");
    case "rejected":
      return as("request_rejected");
    case "expired":
      return request.inWallet ? as("request_expired", "EXPIRED") : as(pending);
    case "pending":
      return as(pending);
  }
}

/**
 * Finds the first transaction that ended a request: among the hints and, if the vault no longer reports the request,
 * among the later payments to the user.
 */
async function findEnd(
  ctx: Context,
  at: RequestInput & { now: OpenExit },
): Promise<WithdrawalTransition | null> {
  const { row, readTransaction, hints, now } = at;
  if (row.sourceTxHash === null) return null;
  const source = await readTransaction(row.vaultChainId, row.sourceTxHash as Hex);
  if (source.receipt === null) return null;
  const since = source.receipt.blockNumber;
  const named = [row.claimTxHash, row.refundTxHash, ...hashesOn(row.vaultChainId, hints)];
  const found = now.request === null ? await findPayments(ctx, { row, since, head: now.block.number }) : [];
  const hashes = new Set([...named, ...found].flatMap((hash) => (hash === null ? [] : [hash as Hex])));
  hashes.delete(row.sourceTxHash as Hex);
  for (const hash of hashes) {
    const seen = await readTransaction(row.vaultChainId, hash);
    const { receipt } = seen;
    if (receipt === null || !receipt.succeeded || receipt.blockNumber < since) continue;
    if (!isConfirmed(ctx, { chainId: row.vaultChainId, seen })) continue;
    const settlement = settlementIn(receipt, { row, now });
    if (settlement === null) continue;
    const sole = settlement.outcome !== "paid" || (await isSole(ctx, { ...at, hash, receipt }));
    return endTransition({ row, hash, settlement, sole, receipt });
  }
  return null;
}

/** Finds the transactions in which the user received the vault's token or shares since a block. */
async function findPayments(
  ctx: Context,
  { row, since, head }: { row: WithdrawalRow; since: bigint; head: number },
): Promise<Hex[]> {
  const client = ctx.chains.client(row.vaultChainId);
  if (client === null) return [];
  const tokens = [row.exitToken, row.shareToken].filter((token) => !isNative(token));
  return findTransfers(client, {
    tokens: tokens.map((token) => getAddress(token)),
    party: { to: getAddress(row.userAddress) },
    amounts: null,
    from: Number(since),
    head,
  });
}

/**
 * Returns how a receipt ended a withdrawal's request, or null if it did not. A payment counts only if the vault's token
 * reached the user; native currency has no transfer event, so the vault's own event counts instead.
 */
function settlementIn(
  receipt: Receipt,
  { row, now }: { row: WithdrawalRow; now: OpenExit },
): ExitSettlement | null {
  const user = getAddress(row.userAddress);
  const requestId = row.requestId ?? "0";
  const seen = now.exits.findSettlement?.(now.vault, { user, requestId, logs: receipt.logs }) ?? null;
  if (seen === null || seen.outcome !== "paid" || isNative(row.exitToken)) return seen;
  const arrived = netTransfers(receipt.logs, { token: row.exitToken, account: row.userAddress });
  return arrived <= 0n ? null : { outcome: "paid", assets: seen.assets ?? arrived };
}

/**
 * Returns true if a transaction paid no other tracked request with the same id, so that the whole payment belongs to
 * this one.
 */
async function isSole(
  ctx: Context,
  { row, hash, receipt, readTransaction }: RequestInput & { hash: Hex; receipt: Receipt },
): Promise<boolean> {
  for (const other of await selectOtherRedemptions(ctx.db, row)) {
    if (other.claimTxHash === hash) return false;
    if (!isOpenRequest(other.state) || other.sourceTxHash === null) continue;
    const asked = await readTransaction(other.vaultChainId, other.sourceTxHash as Hex);
    if (asked.receipt !== null && asked.receipt.blockNumber <= receipt.blockNumber) return false;
  }
  return true;
}

/** Returns the status transition of an ended request. The amount is unknown if several requests share the payment. */
function endTransition(of: {
  row: WithdrawalRow;
  hash: Hex;
  settlement: ExitSettlement;
  sole: boolean;
  receipt: Receipt;
}): WithdrawalTransition {
  const { row, hash, settlement, sole } = of;
  const as = (shows: WithdrawalSight, change: WithdrawalTransition["change"]): WithdrawalTransition => ({
    event: { kind: "chain", shows, confirmed: true },
    change: { substatus: null, ...change },
    write: "on_change",
  });
  if (settlement.outcome === "cancelled") return as("request_cancelled", { refundTxHash: hash });
  if (settlement.outcome === "rejected") return as("request_rejected", { refundTxHash: hash });
  // What a vault paid at once belongs to the same withdrawal.
  const total = (settlement.assets ?? 0n) + BigInt(row.assets ?? "0");
  const assets = sole && settlement.assets !== null ? total.toString() : null;
  const paid = { claimTxHash: hash, assets };
  return asksForAssets(row)
    ? as("token_paid", { ...paid, deliveredAmount: assets })
    : as("assets_paid", paid);
}
