import { getAddress, type Hex } from "viem";
import type { Context } from "../../context.ts";
import type { WithdrawalRow } from "../../db/queries/deposit-queries.ts";
import { selectOtherRedemptions } from "../../db/queries/withdrawal-queries.ts";
import { unknownPendingExit } from "../../vaults/vault-exits.ts";
import { hashesOn } from "../deposits/deposit-transaction-hints.ts";
import type { TransactionReader } from "../deposits/deposit-transaction-reader.ts";
import { arePaid, type CancelledShares, splitCancelled, unclearParts } from "./cancelled-requests.ts";
import { endTransition, reportedTransition } from "./exit-request-transitions.ts";
import { findSettlements, type RequestInput } from "./exit-settlement-search.ts";
import { findUnseenCancellation } from "./find-unseen-cancellation.ts";
import { type ExitSubject, type OpenExit, readExitRequest } from "./read-exit-request.ts";
import { readSharedRequests } from "./shared-exit-requests.ts";
import {
  areKnown,
  areOwn,
  dividedAssets,
  type EndSeen,
  endedBy,
  isTaken,
  partsOf,
  paysNothing,
  sharesOf,
} from "./withdrawal-settlements.ts";
import { isOpenRequest } from "./withdrawal-state-machine.ts";
import type { WithdrawalTransition } from "./withdrawal-transitions.ts";

/** What a check of an open request has found. */
export interface RequestFindings {
  transitions: WithdrawalTransition[];
  /** Hashes of transactions that decide nothing yet, so that hints of them must be read again. */
  undecided: readonly string[];
}

/**
 * Returns the transition of an open request: its end by a transaction, otherwise what the vault reports, if anything.
 * Throws `store_unavailable`, `vault_not_found`, `chain_unsupported` and errors of the RPC nodes.
 */
export async function exitRequestTransitions(ctx: Context, at: RequestInput): Promise<RequestFindings> {
  const now = await readExitRequest(ctx, at.row);
  if (now === null) return { transitions: [], undecided: [] };
  if (now === "unread") return { transitions: [], undecided: hashesOn(at.row.vaultChainId, at.hints) };
  const found = await findSettlements(ctx, { ...at, now });
  const isCounted = ({ settlement }: EndSeen) => settlement.announced !== true || now.request === null;
  const seen = found.ends.filter(isCounted);
  const end =
    (await findEnd(ctx, { ...at, ...found, now, seen })) ??
    (await findUnseenCancellation(ctx, { ...at, ...found, now }));
  const successor = seen.find(({ settlement }) => settlement.successor !== undefined)?.settlement.successor;
  // The request goes on under another id, whose end other hints may show.
  if (successor !== undefined) {
    const request = { ...unknownPendingExit, requestId: successor, token: getAddress(at.row.exitToken) };
    const renamed = reportedTransition({ ...at.row, requestId: null }, request);
    return { transitions: [renamed], undecided: hashesOn(at.row.vaultChainId, at.hints) };
  }
  if (end !== null) return { transitions: [end], undecided: [] };
  const transitions = now.request === null ? [] : [reportedTransition(at.row, now.request)];
  return { transitions, undecided: found.ends.map(({ hash }) => hash) };
}

/**
 * Finds the end of a request among settlements (`seen`): those of the hints and, if the vault no longer reports the
 * request, of later payments to the user. Null if none is certain yet. `whole` is as in `findSettlements`.
 */
async function findEnd(
  ctx: Context,
  at: RequestInput & { seen: readonly EndSeen[]; whole: boolean } & MadeRequest,
): Promise<WithdrawalTransition | null> {
  const { row, now, seen, whole, since } = at;
  const unnamed = seen.some(({ settlement }) => settlement.unnamed === true);
  const anyId = unnamed || now.exits.settlesUnnamed?.(now.vault) === true;
  const numbered = anyId && row.requestId !== "0";
  // Settlements that name no request may be another one's: the vault's own number tells whether this one is open.
  const ownId = now.request?.requestId ?? null;
  const numberOpen = numbered && ownId !== null && ownId === (row.requestId ?? ownId);
  if (seen.length === 0 || numberOpen) return null;
  const others = await selectOtherRedemptions(ctx.db, row, { anyId });
  const split = numbered ? { seen, decided: false } : await ownSettlements(ctx, { ...at, others });
  if (split === "open") return null;
  // Nothing is open any more, so each of the requests was paid or cancelled, and nothing shows which.
  if (split === "unclear") {
    const isSettled = now.request === null && whole;
    const parts = unclearParts(row, { seen, others });
    return isSettled ? endTransition(row, { parts, assets: null, kept: false }) : null;
  }
  const free = numbered ? seen.filter((end) => !isTaken(end, { row, others })) : split.seen;
  // What is left of an expired request whose shares are in the wallet is never paid: it ends with its payments.
  const isOpen = now.request !== null && !(now.request.state === "expired" && now.request.inWallet);
  const takers = numbered ? [] : others;
  const found = partsOf(row, { seen: free, others: takers, awaitsMore: isOpen || !whole });
  // The vault says that nothing is open, so one of the payments was this one's, although others seem to take them all.
  const isAmong = found.parts.length === 0 && now.request === null && !hasNumber(row);
  const among = free.length > 0 ? free : seen;
  const { parts, complete, exact, shared } = isAmong ? { ...found, parts: among, shared: true } : found;
  // Payments that were not read or are not confirmed may be further parts, or show that the amount is uncertain.
  const isLeft = !whole && (!complete || numbered);
  if (parts.length === 0 || isLeft || (!complete && isOpen)) return null;
  const waits = isOpen && !numbered && !split.decided;
  if (waits && (await waitsForEarlier({ ...at, others, since }))) return null;
  const paid = parts.filter(({ settlement }) => settlement.outcome === "paid");
  const sole = await Promise.all(paid.map((part) => isSole(ctx, { ...at, ...part, others, anyId })));
  // Of several payments that may be this request's, and of one for other shares, its amount cannot be told.
  const isCertain = numbered ? exact && parts.length === free.length && areKnown(seen, others) : !shared;
  const certain = isCertain && (at.unrecorded === undefined || areOwn(row, { parts, seen }));
  // Of payments of nothing, each request's part is nothing, whoever shares them; another payment may be this one's.
  const payments = seen.filter(({ settlement }) => settlement.outcome === "paid");
  const unpaid = paid.length > 0 && payments.every(({ settlement }) => paysNothing(settlement));
  // The rest may have been paid to another account.
  if (unpaid && !complete && now.request === null) return null;
  const isKnown =
    certain && sole.every(Boolean) && paid.every(({ settlement }) => settlement.assets !== null);
  const isCounted = !numbered && !isAmong && (at.unrecorded === undefined || now.request === null);
  const isOpenOther = ({ state }: WithdrawalRow) => isOpenRequest(state);
  const divided = isCounted
    ? dividedAssets(row, { found, seen, others, isOpen: isOpenOther, waits: now.request !== null })
    : null;
  const sum = paid.reduce((total, { settlement }) => total + (settlement.assets ?? 0n), 0n);
  const assets = unpaid || isKnown ? sum : divided;
  // What is unread or unconfirmed may show the part of each request, and so may the ends of earlier ones, which take
  // their payments first. Rows that have ended are not checked again.
  const isUncertain = assets === null && paid.length > 0 && at.unrecorded === undefined;
  const isDivisible = !numbered && now.exits.returnsLater?.(now.vault) !== true;
  if (isUncertain && (!whole || (isDivisible && (await waitsForEarlier({ ...at, others, since })))))
    return null;
  const kept = !complete && now.request !== null;
  return endTransition(row, { parts, assets, kept });
}

/**
 * Returns those of the settlements that may be this request's, of requests that their vault holds together and returns
 * the shares of cancelled ones later: `open` if it still holds all shares of those that are known and no payment is for
 * as many, `unclear` if nothing shows whether this one was paid or cancelled.
 */
async function ownSettlements(
  ctx: Context,
  at: RequestInput & { now: OpenExit; seen: readonly EndSeen[]; others: readonly WithdrawalRow[] },
): Promise<CancelledShares | "open" | "unclear"> {
  const { row, seen, others, readTransaction } = at;
  const { exits, vault, open } = at.now;
  if (seen.length === 0 || exits.returnsLater?.(vault) !== true) return { seen, decided: false };
  const waiting = others.filter(({ state }) => isOpenRequest(state));
  const held = open.find(({ requestId }) => requestId === row.requestId)?.shares ?? null;
  const isHeld = row.shares !== null && held !== null && held >= sharesOf([row, ...waiting]);
  // What was settled is then another request's, one that this service does not know, unless it is for the same shares.
  if (isHeld && !arePaid(row, { seen, others, waiting })) return "open";
  const returned = open.reduce(
    (sum, { pays, shares }) => sum + (pays === "shares" ? (shares ?? 0n) : 0n),
    0n,
  );
  const cancels = seen.some(({ settlement }) => settlement.outcome === "cancelled");
  if (!cancels && returned === 0n) return { seen, decided: false };
  const requests = await readSharedRequests(ctx, { row, others, seen, readTransaction });
  return splitCancelled(row, { seen, requests, returned }) ?? "unclear";
}

/** Returns the block of a withdrawal's proven request; 0 if no node knows it, so that it does not pass for a later one. */
async function requestBlock(
  { vaultChainId, sourceTxHash }: ExitSubject,
  readTransaction: TransactionReader,
): Promise<bigint> {
  if (sourceTxHash === null) return 0n;
  const { receipt } = await readTransaction(vaultChainId, sourceTxHash as Hex);
  return receipt?.blockNumber ?? 0n;
}

/**
 * Returns true if an earlier request with the same id is open. The vault holds their shares together, and what it pays
 * counts for the earliest first.
 */
async function waitsForEarlier({
  others,
  row,
  since,
  readTransaction,
}: RequestInput & { others: readonly WithdrawalRow[]; since: bigint }): Promise<boolean> {
  for (const other of others) {
    const { state, requestId, sourceTxHash, trackingId } = other;
    if (!isOpenRequest(state) || requestId !== row.requestId || sourceTxHash === null) continue;
    const block = await requestBlock(other, readTransaction);
    if (block < since || (block === since && trackingId < row.trackingId)) return true;
  }
  return false;
}

/** Returns true if the vault gave a row's request a number of its own; number 0 stands for all requests together. */
const hasNumber = ({ requestId }: ExitSubject): boolean => requestId !== null && requestId !== "0";

/** A request as its vault reports it; `since` and `claimed` are as in `findSettlements`. */
interface MadeRequest {
  now: OpenExit;
  since: bigint;
  claimed: bigint;
}

/** The user's other redemptions from the same vault; with any request id if `anyId`. */
interface Siblings {
  others: readonly WithdrawalRow[];
  anyId: boolean;
}

/** Returns true if a transaction settled none of the `others`, so that its whole payment belongs to this request. */
async function isSole(
  ctx: Context,
  of: EndSeen & Pick<RequestInput, "row" | "readTransaction"> & Siblings & MadeRequest,
): Promise<boolean> {
  const { hash, receipt, readTransaction, row } = of;
  const takers = of.others.filter((other) => endedBy(other, row.sourceTxHash as Hex));
  let claimed = of.claimed - sharesOf(takers);
  for (const other of of.others) {
    if (other.claimTxHash === hash) return false;
    if (!isOpenRequest(other.state) || other.sourceTxHash === null) continue;
    // Some vaults pay what is claimable before they take the next request.
    if (other.sourceTxHash === hash && of.now.exits.redeemQueues !== true) continue;
    const asked = await readTransaction(other.vaultChainId, other.sourceTxHash as Hex);
    // Its request is proven: a node that has forgotten the transaction does not show that it came later.
    const block = asked.receipt?.blockNumber ?? 0n;
    if (block > receipt.blockNumber) continue;
    // The vault paid an earlier request before it took this one, but no check has ended that one yet.
    const shares = sharesOf([other]);
    if (asked.receipt !== null && block < of.since && shares > 0n && shares <= claimed) {
      claimed -= shares;
      continue;
    }
    if (!of.anyId || !(await isUnpaid(ctx, other))) return false;
  }
  return true;
}

/** Returns true if the vault still reports all shares of a request under its own number. */
async function isUnpaid(ctx: Context, row: ExitSubject): Promise<boolean> {
  const now = hasNumber(row) ? await readExitRequest(ctx, row) : null;
  if (now === null || now === "unread" || now.request?.requestId !== row.requestId) return false;
  return row.shares !== null && (now.request.shares ?? 0n) >= BigInt(row.shares);
}
