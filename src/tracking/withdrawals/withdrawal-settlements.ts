import type { Hex } from "viem";
import type { Receipt } from "../../chains/chain-transaction.ts";
import type { WithdrawalRow } from "../../db/queries/deposit-queries.ts";
import { larger, mulDivDown, smaller } from "../../lib/amount.ts";
import type { ExitSettlement } from "../../vaults/vault-exits.ts";

/** A transaction that paid, cancelled or rejected a request or a part of it. */
export interface EndSeen {
  hash: Hex;
  receipt: Receipt;
  settlement: ExitSettlement;
}

/** The settlements that end a request, or a part of it. */
interface RequestParts {
  parts: readonly EndSeen[];
  /** True if nothing of the request is left over. */
  complete: boolean;
  /** True if the settlements are for all of its shares and no more. */
  exact: boolean;
  /** True if they are for shares of other requests too, so that the amount of this one is unknown. */
  shared: boolean;
  /** True if they are for more than what its shares and those of ended requests explain. */
  exceeds: boolean;
  /** What they paid for its shares, each share of a payment alike and rounded down; null if one does not name them. */
  byShares: bigint | null;
}

type Asked = Pick<WithdrawalRow, "requestId" | "shares" | "estimatedAssets" | "assets">;

/** Returns true if a transaction is the one with which a withdrawal was paid or its shares returned. Pure. */
export const endedBy = ({ claimTxHash, refundTxHash }: WithdrawalRow, hash: Hex): boolean =>
  claimTxHash === hash || refundTxHash === hash;

/** Returns the sum of the shares of withdrawals, in the share token's smallest unit; unknown ones count as 0. Pure. */
export const sharesOf = (rows: readonly Pick<WithdrawalRow, "shares">[]): bigint =>
  rows.reduce((sum, { shares }) => sum + BigInt(shares ?? "0"), 0n);

/**
 * Returns true if a settlement ended other withdrawals, and their shares leave nothing of it for this one. If its shares
 * are unknown, it settled the requests of one id, so that one of another id leaves nothing of it. Pure.
 */
export function isTaken(
  { hash, settlement }: Pick<EndSeen, "hash" | "settlement">,
  { row, others }: { row: Pick<WithdrawalRow, "requestId">; others: readonly WithdrawalRow[] },
): boolean {
  const takers = others.filter((other) => endedBy(other, hash));
  const { shares = null } = settlement;
  if (shares === null)
    return takers.some(({ requestId }) => requestId !== null && requestId !== row.requestId);
  return takers.length > 0 && sharesOf(takers) >= shares;
}

/** Returns true if every other withdrawal that ended with one of the settlements has a known amount. Pure. */
export const areKnown = (seen: readonly EndSeen[], others: readonly WithdrawalRow[]): boolean =>
  others.every(
    ({ claimTxHash, assets }) => assets !== null || seen.every(({ hash }) => hash !== claimTxHash),
  );

/** Part of an estimate by which a payment may exceed it, because the price rose before the request: one in a hundred. */
const LATER_PART = 100n;
/** Part of a request's shares by which rounding of the vault may exceed them in its events: one in a thousand. */
const ROUNDED_PART = 1_000n;

/** Returns true if shares are at most as many as others, or as many more as the vault's rounding may add. Pure. */
export const fitsIn = (shares: bigint, most: bigint): boolean => (shares - most) * ROUNDED_PART <= shares;

const isPaid = ({ settlement }: EndSeen): boolean => settlement.outcome === "paid";

/**
 * Returns true if the vault's own event shows that a settlement took shares and paid nothing for them. A part of a
 * request whose shares are unknown proves nothing. Pure.
 */
export const paysNothing = ({ outcome, assets, shares, inParts }: ExitSettlement): boolean =>
  outcome === "paid" && assets === 0n && shares !== 0n && inParts !== true;

/** Returns the withdrawals that settlements ended: by what they paid, or by the shares that they returned. */
const takersOf = (seen: readonly EndSeen[], others: readonly WithdrawalRow[]): WithdrawalRow[] =>
  others.filter(({ claimTxHash, refundTxHash }) =>
    seen.some((end) => end.hash === (isPaid(end) ? claimTxHash : refundTxHash)),
  );

/** Shares of ended withdrawals that are still to be found among the settlements. */
interface Pools {
  seen: readonly EndSeen[];
  /** Withdrawals that were only paid, only returned, or both, with the shares that are left of them. */
  pools: { [Kind in "paid" | "returned" | "both"]: { rows: readonly WithdrawalRow[]; left: bigint } };
}

function openPools({ seen, others }: { seen: readonly EndSeen[]; others: readonly WithdrawalRow[] }): Pools {
  const paid = takersOf(seen.filter(isPaid), others);
  const returned = takersOf(
    seen.filter((end) => !isPaid(end)),
    others,
  );
  const pool = (rows: readonly WithdrawalRow[]) => ({ rows, left: sharesOf(rows) });
  return {
    seen,
    pools: {
      paid: pool(paid.filter((row) => !returned.includes(row))),
      returned: pool(returned.filter((row) => !paid.includes(row))),
      both: pool(paid.filter((row) => returned.includes(row))),
    },
  };
}

/**
 * Takes the shares of the settlement at `index` from those of the ended withdrawals to which they may belong: a payment
 * is none of those that were only cancelled, and the reverse. Returns how many were taken.
 */
function takeShares({ seen, pools }: Pools, { index, shares }: { index: number; shares: bigint }): bigint {
  const rest = seen.slice(index);
  const [one] = rest;
  const own = one === undefined || isPaid(one) ? pools.paid : pools.returned;
  let before = 0n;
  for (const pool of [own, pools.both]) {
    // What a withdrawal was paid before the first of the settlements is not taken from those after its last.
    const takers = takersOf(rest, pool.rows);
    pool.left = smaller(pool.left, sharesOf(takers)) ?? 0n;
    // A request is not paid before the transaction that makes it, nor by what that transaction claims first.
    const later = takers.filter(({ sourceTxHash }) => rest.some(({ hash }) => hash === sourceTxHash));
    const part = smaller(larger(pool.left - sharesOf(later), 0n), shares - before) ?? 0n;
    pool.left -= part;
    before += part;
  }
  return before;
}

/**
 * Returns a request's first settlements, up to the one that completes its shares or, if payments do not name theirs,
 * the estimated assets. Those up to the last that ended one of `others` are first of all for its shares. Without shares,
 * they count only if no further settlement is known or expected (`awaitsMore`). Pure.
 */
export function partsOf(
  row: Asked,
  {
    seen,
    others,
    awaitsMore,
  }: { seen: readonly EndSeen[]; others: readonly WithdrawalRow[]; awaitsMore: boolean },
): RequestParts {
  const mayBeLater = awaitsMore || takersOf(seen.slice(-1), others).length === 0;
  const asked = BigInt(row.shares ?? "0");
  const taken = openPools({ seen, others });
  let left = asked;
  let owed = BigInt(row.estimatedAssets ?? "0") - BigInt(row.assets ?? "0");
  let [shared, skipped] = [false, false];
  let byShares: bigint | null = 0n;
  const parts: EndSeen[] = [];
  for (const [index, one] of seen.entries()) {
    const { settlement } = one;
    const { shares = null } = settlement;
    const rest = seen.slice(index).filter((other) => isPaid(other) === isPaid(one));
    if (shares === null && mayBeLater && takersOf(rest, others).length > 0) {
      skipped = true;
      continue;
    }
    const before = takeShares(taken, { index, shares: shares ?? 0n });
    // What rounding adds to another withdrawal's payment is no part of this one, unless this one is as small.
    const isRounding = shares !== null && (shares - before) * ROUNDED_PART <= asked;
    if (before > 0n && isRounding && fitsIn(shares, before)) continue;
    shared ||= before > 0n || (skipped && shares === null);
    parts.push(one);
    if (isPaid(one)) byShares = plus(byShares, paidFor(smaller(left, (shares ?? 0n) - before) ?? 0n, one));
    owed -= settlement.assets ?? owed;
    left -= shares === null ? (settlement.inParts === true && owed > 0n ? 0n : left) : shares - before;
    if (left > 0n) continue;
    // What a vault queues by amount never grows, so a larger payment is for more than this request.
    const promised = settlement.inParts === true ? BigInt(row.estimatedAssets ?? "0") : 0n;
    const exceeds =
      (row.shares !== null && -left * ROUNDED_PART > asked) ||
      (promised > 0n && -owed * LATER_PART > promised);
    const exact = left === 0n && !shared && !exceeds;
    return { parts, complete: true, exact, shared: shared || exceeds, exceeds, byShares };
  }
  return { parts, complete: false, exact: false, shared, exceeds: false, byShares };
}

const plus = (one: bigint | null, other: bigint | null): bigint | null =>
  one === null || other === null ? null : one + other;

/** Returns what a payment gave for some of its shares, rounded down; null if it names no shares or no amount. */
function paidFor(some: bigint, { settlement: { assets, shares = null } }: EndSeen): bigint | null {
  return shares === null || shares === 0n || assets === null ? null : mulDivDown(assets, some, shares);
}

/**
 * Returns a request's part of payments that are for others too, in the paid token's smallest unit: `byShares` of its
 * parts. Null if one of the payments names no shares, if they differ in price, so that it matters which are its own, or
 * if they do not suffice for all requests when nothing is open any more, so that two could take the same shares. Pure.
 */
export function dividedAssets(
  row: Pick<WithdrawalRow, "shares">,
  of: {
    found: RequestParts;
    seen: readonly EndSeen[];
    others: readonly WithdrawalRow[];
    isOpen: (other: WithdrawalRow) => boolean;
    waits: boolean;
  },
): bigint | null {
  const { found, seen, others, isOpen, waits } = of;
  const paid = seen.filter(isPaid);
  if (row.shares === null || !found.complete || !haveOnePrice(paid)) return null;
  const sharing = [row, ...others.filter((other) => isOpen(other) || takersOf(paid, [other]).length > 0)];
  const covered =
    sharing.every(({ shares }) => shares !== null) && sharesOf(sharing) <= (sharesPaid(paid) ?? 0n);
  return covered || waits ? found.byShares : null;
}

/** Returns true if payments gave the same for each share, but for the rounding of their amounts. */
function haveOnePrice(paid: readonly EndSeen[]): boolean {
  const [first] = paid;
  return paid.every(({ settlement: { assets, shares = null } }) => {
    const [firstAssets, firstShares] = [first?.settlement.assets ?? null, first?.settlement.shares ?? null];
    if (assets === null || shares === null || firstAssets === null || firstShares === null) return false;
    const difference = assets * firstShares - firstAssets * shares;
    return (difference < 0n ? -difference : difference) <= shares + firstShares;
  });
}

/** Returns the shares of the payments among settlements, or null if those of one are unknown. Pure. */
export function sharesPaid(parts: readonly EndSeen[]): bigint | null {
  const paid = parts.filter(({ settlement }) => settlement.outcome === "paid");
  const known = paid.flatMap(({ settlement }) => settlement.shares ?? []);
  return known.length === paid.length ? known.reduce((sum, shares) => sum + shares, 0n) : null;
}

/**
 * Returns true if payments are known to be a request's own although its account may have made others that no row shows:
 * the vault says so of each, they are exactly what it recorded for the request, or their shares are known and no other
 * payment is for as many as the request. Pure.
 */
export function areOwn(
  { shares, assets, estimatedAssets: recorded }: Pick<WithdrawalRow, "shares" | "assets" | "estimatedAssets">,
  { parts, seen }: { parts: readonly EndSeen[]; seen: readonly EndSeen[] },
): boolean {
  const paid = parts.filter(isPaid);
  if (paid.every(({ settlement }) => settlement.alone === true)) return true;
  const all = paid.reduce((sum, { settlement }) => sum + (settlement.assets ?? 0n), BigInt(assets ?? "0"));
  if (recorded !== null && BigInt(recorded) === all) return true;
  const asked = BigInt(shares ?? "0");
  const isAsMany = ({ settlement }: EndSeen) =>
    fitsIn(settlement.shares ?? asked, asked) && fitsIn(asked, settlement.shares ?? asked);
  const isTwin = (end: EndSeen) => isPaid(end) && !parts.includes(end) && isAsMany(end);
  return shares !== null && paid.every((end) => end.settlement.shares != null) && !seen.some(isTwin);
}
