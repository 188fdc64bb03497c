import { getAddress, type Hex } from "viem";
import type { Transaction } from "../../chains/chain-transaction.ts";
import type { Context } from "../../context.ts";
import { selectOtherRequests } from "../../db/queries/deposit-evidence-queries.ts";
import type { DepositHint } from "../../db/queries/deposit-hint-queries.ts";
import { sameAddress } from "../../lib/address.ts";
import type { PendingDeposit } from "../../vaults/vault-adapter.ts";
import { findTransfers, MAX_UNPROVING } from "../track-token-transfers.ts";
import { netTransfers, transfersOf } from "./deposit-proofs.ts";
import {
  areEarlierOnes,
  areWorthless,
  type Claim,
  claimIn,
  claimTransition,
  isWhole,
  partlyClaimed,
  type Rest,
  takenByEnded,
  withoutTaken,
} from "./deposit-request-claims.ts";
import {
  askedBy,
  askedOrNull,
  askedTogether,
  isSameRequest,
  type Judged,
  minedSince,
  type RequestSubject,
} from "./deposit-request-siblings.ts";
import { isRequested } from "./deposit-state-machine.ts";
import { hashesOn } from "./deposit-transaction-hints.ts";
import { isConfirmed, requireReceipts, type TransactionReader } from "./deposit-transaction-reader.ts";
import type { Transition } from "./deposit-transitions.ts";
import { isRequestGone, readRequest } from "./track-deposit-request.ts";

interface SettlementInput {
  row: RequestSubject;
  readTransaction: TransactionReader;
  /** Transactions that may belong to the deposit and may have settled its request. */
  hints?: readonly DepositHint[];
}

/**
 * Reads from the chain what has become of a deposit's request: a list of at most one transition (claimable, completed,
 * refunded or rejected), empty if none is known. In most families, the vault's views show the total of the account's
 * requests, or its last one: `claimable` may then be due to another request, and the end of this one is found only when
 * they show none open, or when a later request of the user claimed it. `shares` of a completed deposit is null if others
 * may have been settled with it. Throws `store_unavailable`, `vault_not_found`, `chain_unsupported` and errors of the RPC nodes.
 */
export async function settlementTransitions(ctx: Context, at: SettlementInput): Promise<Transition[]> {
  const now = await readRequest(ctx, at.row);
  if (now === null) return [];
  const others = await selectOtherRequests(ctx.db, at.row);
  const seen = { ...at, now, others };
  const gone = isRequestGone(now.pending) === true;
  if (!gone && (await isClaimedByNext(seen))) {
    const { ended } = await findSettlement(ctx, seen);
    if (ended !== null) return [ended];
  }
  const { claimableShares, claimableAssets, returnedAssets } = now.pending;
  if ([claimableShares, claimableAssets, returnedAssets].some((amount) => (amount ?? 0n) > 0n)) {
    const event = { kind: "chain", shows: "vault_settled", confirmed: true } as const;
    return [{ event, change: {}, write: "on_change" }];
  }
  if (!gone) return isWaiting(now.pending) ? [WAITING_TRANSITION] : [];
  const { ended, complete } = await findSettlement(ctx, { ...seen, gone });
  if (ended !== null) return [ended];
  // A transaction that refunded the user may be in the blocks that were not searched.
  return now.pending.rejected === true && complete ? [REJECTED_TRANSITION] : [];
}

/** Returns true if a vault's views show assets that wait and nothing to claim; false also if one could not be read. */
const isWaiting = ({ pendingAssets, claimableShares }: PendingDeposit): boolean =>
  (pendingAssets ?? 0n) > 0n && claimableShares === 0n;

/** Transition of a deposit that can no longer be claimed: the settled part of its request was. */
const WAITING_TRANSITION: Transition = {
  event: { kind: "chain", shows: "vault_pending", confirmed: true },
  change: {},
  write: "on_change",
};

/** Transition of a deposit whose request the vault rejected: it fails, and the user must be refunded. */
const REJECTED_TRANSITION: Transition = {
  event: { kind: "chain", shows: "vault_rejected", confirmed: true },
  change: { substatus: "NOT_PROCESSABLE_REFUND_NEEDED" },
  write: "on_change",
};

/**
 * Returns true if the transaction of one of the user's other open requests, made later, shows a claim of the user, and
 * the vault shows no more assets as open than the later requests have. The claim may be of another request.
 */
async function isClaimedByNext(at: SettlementInput & Pick<Judged, "now" | "others">): Promise<boolean> {
  const { row, now, others, readTransaction } = at;
  const open = others.filter((other) => isRequested(other) && other.depositTxHash !== row.depositTxHash);
  if (open.length === 0 || row.depositTxHash === null) return false;
  const asked = await readTransaction(row.vaultChainId, row.depositTxHash as Hex);
  const user = getAddress(row.userAddress);
  const { pendingAssets, claimableAssets } = now.pending;
  let claimed = false;
  let later = 0n;
  for (const { depositTxHash, receivedAmount, fromAmount } of open) {
    const { receipt } = await readTransaction(row.vaultChainId, depositTxHash as Hex);
    if (receipt === null || asked.receipt === null || receipt.blockNumber < asked.receipt.blockNumber)
      continue;
    later += askedBy({ receivedAmount, fromAmount });
    const claim = { user, requestId: row.requestId, logs: receipt.logs };
    claimed ||= now.requests.findClaim(now.vault, claim) !== null;
  }
  return claimed && pendingAssets !== null && pendingAssets + (claimableAssets ?? 0n) <= later;
}

/**
 * Finds the transactions that sent a request's shares, or the first that refunded it with the vault's event of a
 * cancellation; otherwise, if no request is open (`gone`), a part of the shares or the first other refund. Returns the
 * transition as `ended`, or null if none is found. `complete` is false if a later search will read more.
 */
async function findSettlement(
  ctx: Context,
  at: SettlementInput & Pick<Judged, "now" | "others"> & { gone?: true },
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
  const asked = { ...at, since: request.receipt.blockNumber };
  const named = [row.claimTxHash, ...hashesOn(row.vaultChainId, at.hints ?? [])];
  const reported = named.flatMap((hash) => (hash === null ? [] : [hash as Hex]));
  const next = found.hashes[MAX_UNPROVING];
  // Oldest first, also those that a hint names: what came first is the earliest request's.
  const logged = found.hashes.slice(0, MAX_UNPROVING);
  const unlogged = reported.filter((hash) => !logged.includes(hash));
  const candidates = [...new Set([...unlogged, ...logged])].filter((hash) => hash !== row.depositTxHash);
  const readLogged = requireReceipts(ctx, {
    ...{ readTransaction, chainId: row.vaultChainId, hashes: found.hashes },
  });
  const taken = takenByEnded(row, at.others);
  const claims: Claim[] = [];
  const theirs: Claim[] = [];
  let last: Judged | null = null;
  let refund: { transition: Transition; hash: Hex } | null = null;
  const rests: Rest[] = [];
  for (const [index, hash] of candidates.entries()) {
    const seen = await readLogged(row.vaultChainId, hash);
    if (!isConfirmed(ctx, { chainId: row.vaultChainId, seen })) continue;
    const mined = minedSince(seen, asked.since);
    if (mined === null) continue;
    const judged: Judged = { ...asked, ...mined, hash };
    const claim = await claimIn(judged);
    if (claim !== null) {
      const own = withoutTaken(claim, { taken, later: candidates.slice(index) });
      if (own === null) theirs.push({ ...claim, own: false });
      else claims.push(own);
      last = judged;
      if (!isWhole(row, claims)) continue;
      if (await areEarlierOnes(claims, judged)) return UNSEARCHED;
      return { ended: claimTransition(row, claims), complete: true };
    }
    const paid = await refundTransition(judged);
    // Shares that come after a cancellation are those of another request.
    if (paid !== null && isCancellation(judged)) return { ended: paid, complete: true };
    // Any other payment counts only if no transaction shows shares, which end the request whatever else was paid.
    refund ??= paid === null ? null : { transition: paid, hash };
    const rest = paid === null ? await returnedRest(judged) : null;
    if (rest !== null) rests.push(rest);
  }
  // One of the transactions that were not read may show shares, or further ones.
  // What became of the rest may not be known: only shares show that the claims were all.
  const areAll = claims.length > 0 && !(areWorthless(claims) && !isWhole(row, claims));
  const partly = partlyClaimed(row, { claims, rests });
  const all = areAll ? claimTransition(row, claims) : (refund?.transition ?? null);
  const shown = partly === "unpaid" ? null : (partly ?? all);
  if (claims.length > 0 && last !== null && (await areEarlierOnes(claims, last))) return UNSEARCHED;
  // Nothing is open, so one of the claims was this one's, although others seem to have had them all.
  const isAmong = shown === null && partly === null && found.complete && theirs.length > 0;
  const ended = isAmong ? claimTransition(row, theirs) : shown;
  if (at.gone && ended !== null && next === undefined) return { ended, complete: true };
  const proving = [...claims, ...rests, ...(refund === null ? [] : [refund])].map(({ hash }) => hash);
  await found.noteSearched({ next, proving });
  return { ended: null, complete: found.complete && next === undefined };
}

const UNSEARCHED = { ended: null, complete: false } as const;

/**
 * Returns the transition of a deposit whose whole amount a transaction paid back, or null if it did not. Anyone may
 * refund a rejected request; for any other, the vault must have paid or cancelled it. Only a cancellation may pay more,
 * for the requests with the same id that it cancelled too.
 */
async function refundTransition(of: Judged): Promise<Transition | null> {
  const { row, now, transaction, receipt, hash } = of;
  const { vault, pending } = now;
  const user = getAddress(row.userAddress);
  const { logs } = receipt;
  const contracts = [vault.entryPoint, vault.address];
  const back = netTransfers(logs, { token: vault.asset.address, account: user }) - takenBack(of);
  const asked = askedOrNull(row);
  const cancelled = isCancellation(of);
  if (asked === null || back <= 0n || (back !== BigInt(asked) && !cancelled)) return null;
  // If a cancellation pays less, a part of them was settled, and nothing shows whose: the earliest may have it all.
  const together = await askedTogether(of);
  if (back < together.assets && (back !== BigInt(asked) || together.isLater)) return null;
  const byAnyone = pending.rejected === true && mayRefund(transaction, { user, contracts });
  const byVault =
    cancelled ||
    transfersOf(logs, vault.asset.address).some(
      ({ from, to }) => sameAddress(to, user) && contracts.some((own) => sameAddress(own, from)),
    );
  if (!byAnyone && !byVault) return null;
  return {
    event: { kind: "chain", shows: "refund", confirmed: true },
    change: { substatus: null, refundTxHash: hash, receivedAmount: asked },
    write: "on_change",
  };
}

/**
 * Returns what a cancellation paid back of a request of which a part was settled, or null. No other request may have a
 * part in it: nothing would show whose. Errors of the RPC nodes propagate.
 */
async function returnedRest(of: Judged): Promise<Rest | null> {
  const { row, now, others, receipt, hash } = of;
  if (askedOrNull(row) === null || !isCancellation(of)) return null;
  const user = getAddress(row.userAddress);
  const assets = netTransfers(receipt.logs, { token: now.vault.asset.address, account: user });
  if (assets <= 0n || assets >= askedBy(row) || others.some((one) => one.refundTxHash === hash)) return null;
  return (await askedTogether(of)).assets === askedBy(row) ? { hash, assets } : null;
}

/** Returns the assets of other requests that a transaction has refunded already. */
const takenBack = ({ row, others, hash }: Judged): bigint =>
  others
    .filter((one) => one.refundTxHash === hash && !isSameRequest(one, row))
    .reduce((sum, one) => sum + askedBy(one), 0n);

/** Returns true if the vault's own event shows that a receipt cancelled the request. */
function isCancellation({ row, now, receipt }: Pick<Judged, "row" | "now" | "receipt">): boolean {
  const { requestId, userAddress } = row;
  const seen = { user: getAddress(userAddress), requestId, logs: receipt.logs };
  return now.requests.findCancellation?.(now.vault, seen) === true;
}

/**
 * Returns true if a transaction may have refunded a rejected request: it called one of the vault's `contracts`, or
 * another account than the user sent it.
 */
export function mayRefund(
  { from, to }: Transaction,
  { user, contracts }: { user: string; contracts: readonly string[] },
): boolean {
  return !sameAddress(from, user) || contracts.some((own) => sameAddress(own, to ?? ""));
}
