import type { WithdrawalRow } from "../../db/queries/deposit-queries.ts";
import { smaller } from "../../lib/amount.ts";
import type { ExitSubject } from "./read-exit-request.ts";
import { type EndSeen, fitsIn, partsOf, sharesOf } from "./withdrawal-settlements.ts";
import { isOpenRequest } from "./withdrawal-state-machine.ts";

/** The settlements that may be a request's; `decided` if it need not wait for an earlier request's end. */
export interface CancelledShares {
  seen: readonly EndSeen[];
  decided: boolean;
}

/** One of the user's requests that a vault holds together. */
export interface SharedRequest {
  row: ExitSubject;
  /** Returns true unless the settlement is known to come before the request. */
  mayEndBy(end: EndSeen): boolean;
}

interface Shared {
  seen: readonly EndSeen[];
  /** The user's requests, the oldest first: the checked one, others that are open, and those that `seen` ended. */
  requests: readonly SharedRequest[];
  /** Shares of cancelled requests that wait to be claimed back, in the share token's smallest unit. */
  returned: bigint;
}

/** How many shares of each of the requests are cancelled, in their order. */
type Split = readonly bigint[];

/** Maximum number of requests whose combinations are compared. */
const MAX_COMPARED = 8;

const isCancelled = ({ settlement }: EndSeen): boolean => settlement.outcome === "cancelled";
const sumOf = (amounts: readonly bigint[]): bigint => amounts.reduce((sum, amount) => sum + amount, 0n);
const settled = (ends: readonly EndSeen[]): bigint =>
  sumOf(ends.map(({ settlement }) => settlement.shares ?? 0n));
const sharesIn = ({ row }: SharedRequest): bigint => sharesOf([row]);

/** Returns true if a withdrawal ended as paid and cancelled because nothing showed which it was. Pure. */
const isUnclear = ({ claimTxHash, refundTxHash, assets }: ExitSubject): boolean =>
  claimTxHash !== null && refundTxHash !== null && assets === null;

/**
 * Returns those of the settlements that may be a request's, where a vault holds a user's requests together and a claim
 * of cancelled shares does not name the requests. The cancelled ones are those with as many shares in sum; if none are,
 * one request was paid in part, and the cancelled ones are it and the next newer ones. Shares beyond those of the known
 * requests belong to unknown ones. Null if that does not show whether this one was paid or cancelled. Pure.
 */
export function splitCancelled(row: ExitSubject, of: Shared): CancelledShares | null {
  const { seen, requests, returned } = of;
  const cancelled = seen.filter(isCancelled);
  const paid = seen.filter((end) => !isCancelled(end));
  if (settled(cancelled) + returned === 0n || requests.length < 2) return { seen, decided: false };
  const unexplained = withoutEnded(of);
  const found = splitsOf(unexplained);
  const [splits, compared] = found.length > 0 ? [found, unexplained.requests] : [splitsOf(of), requests];
  const own = compared.findIndex((request) => request.row === row);
  const ends = new Set(splits.map((split) => endIn(split, own, compared)));
  const [end] = ends;
  if (ends.size === 1 && end === "cancelled") return { seen: cancelled, decided: true };
  if (ends.size === 1 && end === "paid") {
    const isWaiting = ({ row: { state } }: SharedRequest, index: number) =>
      isOpenRequest(state) && splits.some((split) => endIn(split, index, compared) !== "cancelled");
    return { seen: paid, decided: !compared.slice(0, own).some(isWaiting) };
  }
  // Without a payment, there is nothing to mix it up with.
  if (paid.length === 0) return { seen, decided: false };
  // Its payments come first, because a claim of cancelled shares may be for later requests too.
  const isPart = ends.size === 1 && settled(paid) < sharesOf([row]);
  return isPart ? { seen: [...paid, ...cancelled], decided: false } : null;
}

/**
 * Returns true if the payments among settlements are for as many shares as a request, or as it and the `waiting` ones
 * together, after what ended others took. They then prove that it was paid, whatever the vault holds: the user, or a
 * stranger in the user's name, may have made further requests elsewhere. Pure.
 */
export function arePaid(
  row: ExitSubject,
  of: { seen: readonly EndSeen[]; others: readonly WithdrawalRow[]; waiting: readonly WithdrawalRow[] },
): boolean {
  const seen = of.seen.filter((end) => !isCancelled(end));
  return [[row], [row, ...of.waiting]].some((rows) => {
    const asked = { ...row, shares: sharesOf(rows).toString() };
    const { complete, exceeds } = partsOf(asked, { seen, others: of.others, awaitsMore: true });
    return complete && !exceeds;
  });
}

/**
 * Returns the settlements that may have paid or cancelled a request of which nothing shows which it was: the first ones
 * of either kind that other withdrawals leave for its shares. Later ones are for later requests. Pure.
 */
export function unclearParts(
  row: ExitSubject,
  { seen, others }: { seen: readonly EndSeen[]; others: readonly WithdrawalRow[] },
): EndSeen[] {
  const clear = others.filter((other) => !isUnclear(other));
  return [true, false].flatMap((back) => {
    const kind = seen.filter((end) => isCancelled(end) === back);
    const { parts } = partsOf(row, { seen: kind, others: clear, awaitsMore: true });
    return parts.length === 0 ? kind : parts;
  });
}

function endIn(
  split: Split,
  index: number,
  requests: readonly SharedRequest[],
): "paid" | "cancelled" | "both" {
  const [back, request] = [split[index] ?? 0n, requests[index]];
  if (back === 0n) return "paid";
  return request === undefined || fitsIn(sharesIn(request), back) ? "cancelled" : "both";
}

/**
 * Returns the possible splits: those in which each request was either paid or cancelled or, without such a one, those of
 * a single cancellation that took a part of one.
 */
function splitsOf(of: Shared): Split[] {
  const whole = wholeSplits(of);
  const claims = of.seen.filter(isCancelled).length + (of.returned > 0n ? 1 : 0);
  return whole.length > 0 || claims > 1 ? whole : partSplits(of);
}

/**
 * Returns the requests without those that have ended, and of the settlements that ended them what these leave. Of a
 * request that was paid in part, the payment comes first, and its cancellation has the rest.
 */
function withoutEnded(of: Shared): Shared {
  const left = of.seen.map(({ settlement }) => settlement.shares ?? 0n);
  const take = (hash: string | null, { shares, back }: { shares: bigint; back: boolean }): bigint => {
    let rest = shares;
    for (const [index, end] of of.seen.entries()) {
      const isIts = end.hash === hash && isCancelled(end) === back;
      const part = isIts ? (smaller(left[index] ?? 0n, rest) ?? 0n) : 0n;
      left[index] = (left[index] ?? 0n) - part;
      rest -= part;
    }
    return rest;
  };
  const ended = of.requests.filter((request) => shareOf(request) !== "any");
  // What a request took as a whole is certain; of one that was paid in part, only the sum is.
  const inOrder = [...ended].sort((a, b) => Number(shareOf(a) === "some") - Number(shareOf(b) === "some"));
  for (const request of inOrder) {
    const { claimTxHash, refundTxHash } = request.row;
    const rest = take(claimTxHash, { shares: sharesIn(request), back: false });
    take(refundTxHash, { shares: rest, back: true });
  }
  const seen = of.seen.flatMap((end, index) => {
    const shares = left[index] ?? 0n;
    return shares > 0n ? [{ ...end, settlement: { ...end.settlement, shares } }] : [];
  });
  return { ...of, seen, requests: of.requests.filter((request) => !ended.includes(request)) };
}

/** Returns the possible splits in which each request was either paid or cancelled. */
function wholeSplits(of: Shared): Split[] {
  const { requests, seen, returned } = of;
  const free = requests.filter((request) => shareOf(request) === "any").length;
  if (free > MAX_COMPARED) return [];
  let splits: Split[] = [[]];
  for (const request of requests) {
    const share = shareOf(request);
    const whole = sharesIn(request);
    const options = share === "any" ? [0n, whole] : [share === "all" ? whole : 0n];
    splits = splits.flatMap((split) => options.map((back) => [...split, back]));
  }
  const all = settled(seen.filter(isCancelled)) + returned;
  // Requests that are known to have been paid in part take what is left.
  const loose = looseIn(of) + excessOf(of);
  return splits.filter((split) => {
    const back = sumOf(split);
    return fitsIn(back, all) && fitsIn(all, back + loose) && isPossible(split, of);
  });
}

/** Returns the possible splits in which a cancellation took the newest requests of its time and a part of one. */
function partSplits(of: Shared): Split[] {
  const { requests, seen, returned } = of;
  const all = settled(seen.filter(isCancelled)) + returned - excessOf(of);
  const fixed = requests.filter((request) => shareOf(request) === "all");
  return requests.flatMap((_, newest) => {
    let left = all - sumOf(fixed.map(sharesIn));
    const split = requests.map((request) => (shareOf(request) === "all" ? sharesIn(request) : 0n));
    for (let index = newest; index >= 0 && left > 0n; index -= 1) {
      const request = requests[index];
      if (request === undefined || shareOf(request) !== "any") continue;
      const part = sharesIn(request) < left ? sharesIn(request) : left;
      split[index] = part;
      left -= part;
    }
    const isLeft = left > 0n && !fitsIn(all, all - left + looseIn(of));
    return isLeft || !isPossible(split, of) ? [] : [split];
  });
}

/** Returns which part of a request may have been cancelled; `some` if it ended as paid in part. */
function shareOf({ row }: SharedRequest): "any" | "all" | "none" | "some" {
  if (isOpenRequest(row.state) || isUnclear(row)) return "any";
  if (row.refundTxHash === null) return "none";
  return row.claimTxHash === null ? "all" : "some";
}

const looseIn = ({ requests }: Shared): bigint =>
  sumOf(requests.filter((request) => shareOf(request) === "some").map(sharesIn));

/** Returns the shares that were settled beyond those of the known requests. */
function excessOf({ seen, requests, returned }: Shared): bigint {
  const excess = settled(seen) + returned - sumOf(requests.map(sharesIn));
  return excess > 0n ? excess : 0n;
}

/** Returns true if every settlement finds enough shares of requests that were made before it. */
function isPossible(split: Split, of: Shared): boolean {
  const { seen, requests } = of;
  const loose = looseIn(of) + excessOf(of);
  return seen.every((end, at) => {
    const before = seen.slice(0, at + 1).filter((one) => isCancelled(one) === isCancelled(end));
    const asked = requests.map((request, index) => {
      const back = split[index] ?? 0n;
      if (!request.mayEndBy(end)) return 0n;
      return isCancelled(end) ? back : sharesIn(request) - back;
    });
    return fitsIn(settled(before), sumOf(asked) + loose);
  });
}
