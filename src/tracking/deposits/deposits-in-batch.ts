import { zeroAddress } from "viem";
import type { Receipt } from "../../chains/chain-transaction.ts";
import type { DepositRow } from "../../db/queries/deposit-queries.ts";
import { sameAddress } from "../../lib/address.ts";
import type { SubmittedRequest } from "../../vaults/vault-adapter.ts";
import { routerRefs, transfersOf } from "./deposit-proofs.ts";
import type { Transition } from "./deposit-transitions.ts";

/** The account and the payment of a deposit that its user makes at the vault. */
export type VaultPayment = Pick<
  DepositRow,
  | "userAddress"
  | "shareToken"
  | "provider"
  | "fromToken"
  | "fromAmount"
  | "moveToken"
  | "deliveredAmount"
  | "moveMin"
>;

/** What the user paid in one call of a batch, and the shares that were minted for it; both in smallest units. */
interface Mint {
  amountIn: bigint;
  shares: bigint;
}

/**
 * Transition without an effect: a transaction shows the call of a deposit, but nothing that it made is known to be left
 * for it. Another deposit that has it may be this one's continuation.
 */
export const MADE_FOR_OTHERS: Transition = {
  event: { kind: "provider", phase: "unknown" },
  change: {},
  write: "on_change",
};

/**
 * Returns the transition that proves a deposit besides `others` in its transaction. The index of the proofs has one of
 * them as `depositProven`: the hash and the state alone show that a further one is proven.
 */
export const provenBesides = (others: readonly DepositRow[], transition: Transition): Transition => ({
  ...transition,
  change: { ...transition.change, depositProven: others.every(({ depositProven }) => !depositProven) },
  besides: others.map(({ trackingId }) => trackingId),
});

/** Returns the amounts that a deposit may pay to its vault, in the paid token's smallest unit. */
const payableBy = ({ provider, fromAmount, deliveredAmount, moveMin }: VaultPayment): bigint[] =>
  (provider === null ? [fromAmount] : [deliveredAmount, moveMin]).flatMap((amount) =>
    amount === null ? [] : [BigInt(amount)],
  );

/**
 * Returns the part of a transaction that is left for a deposit, of those that are equal to it, or null if `others`, the
 * user's deposits that the transaction is known to have made, have as many: one part proves one deposit. Pure.
 */
function freePart<Part>(
  parts: readonly Part[],
  of: {
    others: readonly DepositRow[];
    isEqual: (one: Part, other: Part) => boolean;
    has: (other: DepositRow, part: Part) => boolean;
  },
): Part | null {
  const { others, isEqual, has } = of;
  const isFree = (part: Part): boolean =>
    parts.filter((one) => isEqual(one, part)).length > others.filter((other) => has(other, part)).length;
  return parts.find(isFree) ?? null;
}

/** Returns true if a deposit is known to have paid an amount, or what it paid is unknown. */
const hasPaid = ({ receivedAmount }: DepositRow, amount: bigint): boolean =>
  receivedAmount === null || receivedAmount === amount.toString();

/** Returns the token with which a deposit pays its vault. */
const paidToken = ({ provider, fromToken, moveToken }: VaultPayment): string | null =>
  provider === null ? fromToken : moveToken;

/** Returns what a deposit's user paid in the deposit's token in one log, in the token's smallest unit. */
const paymentsIn = (row: VaultPayment, log: Receipt["logs"][number]): { to: string; value: bigint }[] =>
  transfersOf([log], paidToken(row)).filter(({ from }) => sameAddress(from, row.userAddress));

/** Where a deposit's part of a transaction is searched, besides the `others` of the user that it is known to have made. */
interface Searched {
  receipt: Receipt;
  others: readonly DepositRow[];
}

/**
 * Returns the requests of a transaction that may be a deposit's: those for its amount or, because a fee may have lowered
 * it, the highest for less that no payment of as much made; those of an unknown amount, in another token, first if it
 * pays in another one. Pure.
 */
function requestsFor(
  row: VaultPayment,
  { found, asset, receipt }: { found: readonly SubmittedRequest[]; asset: string; receipt: Receipt },
): SubmittedRequest[] {
  const paid = payableBy(row);
  const payments = receipt.logs.flatMap((log) => paymentsIn(row, log).map(({ value }) => value));
  // A fee may be a payment of its own: then none is for the whole amount.
  const isWhole = payments.some((amount) => paid.includes(amount));
  const amounts = found.flatMap(({ assets }) => (assets === null ? [] : [assets]));
  const exact = amounts.find((amount) => paid.includes(amount));
  const lower = amounts.filter(
    (amount) => paid.some((most) => amount < most) && !(isWhole && payments.includes(amount)),
  );
  const highest = lower.reduce((most, amount) => (amount > most ? amount : most), 0n);
  const known = found.filter(({ assets }) => assets === (exact ?? highest));
  const unknown = found.filter(({ assets }) => assets === null);
  const [one, other] = sameAddress(paidToken(row) ?? "", asset) ? [known, unknown] : [unknown, known];
  return one.length > 0 ? one : other;
}

/**
 * Returns a deposit's own request among those (`found`) that its user made at the vault in one transaction; null if all
 * that fit it are already those of `others`. `asset` is the vault's. Pure.
 */
export function ownRequestIn(
  row: VaultPayment & Pick<DepositRow, "vaultAddress">,
  of: Searched & { found: readonly SubmittedRequest[]; asset: string },
): SubmittedRequest | null {
  return freePart(requestsFor(row, of), {
    others: of.others,
    isEqual: (one, other) => one.requestId === other.requestId && one.assets === other.assets,
    has: (other, { requestId, assets }) =>
      other.vaultAddress === row.vaultAddress &&
      other.requestId === requestId &&
      (assets === null || hasPaid(other, assets)),
  });
}

/**
 * Returns what the calls of a batch paid in a deposit's token and minted for its user, in log order. Empty unless
 * payments to one account and mints take turns, because nothing else shows which belong together, or with an order of the
 * Router. Pure.
 */
function mintsIn(row: VaultPayment, receipt: Receipt): Mint[] {
  if (routerRefs(receipt).length > 0) return [];
  const isUser = (account: string): boolean => sameAddress(account, row.userAddress);
  const events = receipt.logs.flatMap((log) => [
    ...paymentsIn(row, log).map((payment) => ({ kind: "paid", ...payment })),
    ...transfersOf([log], row.shareToken).flatMap(({ from, to, value }) => {
      if (isUser(to) && sameAddress(from, zeroAddress)) return [{ kind: "minted", to, value }];
      return isUser(to) || isUser(from) ? [{ kind: "moved", to, value }] : [];
    }),
  ]);
  if (new Set(events.flatMap(({ kind, to }) => (kind === "paid" ? [to] : []))).size > 1) return [];
  const mints: Mint[] = [];
  for (let at = 0; at < events.length; at += 2) {
    const [one, other] = [events[at], events[at + 1]];
    if (one === undefined || other === undefined || one.kind !== events[0]?.kind) return [];
    const [paid, minted] = one.kind === "paid" ? [one, other] : [other, one];
    if (paid.kind !== "paid" || minted.kind !== "minted") return [];
    mints.push({ amountIn: paid.value, shares: minted.value });
  }
  return mints;
}

/** Returns the mints of a batch whose payment equals a deposit's; empty if no payment can be matched to its mint. Pure. */
export const ownMintsIn = (row: VaultPayment, receipt: Receipt): Mint[] =>
  mintsIn(row, receipt).filter(({ amountIn }) => payableBy(row).includes(amountIn));

/**
 * Returns a deposit's own mint among several in one batch; null if all that fit it are already those of `others`, or if
 * equal payments brought different shares. Pure.
 */
export function ownMintIn(row: VaultPayment, { receipt, others }: Searched): Mint | null {
  const own = ownMintsIn(row, receipt);
  const free = freePart(own, {
    others,
    isEqual: (one, other) => one.amountIn === other.amountIn,
    has: (other, { amountIn }) => hasPaid(other, amountIn),
  });
  const isClear = own.every(({ amountIn, shares }) => amountIn !== free?.amountIn || shares === free.shares);
  return isClear ? free : null;
}
