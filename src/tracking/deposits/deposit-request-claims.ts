import { getAddress, type Hex } from "viem";
import type { DepositRow } from "../../db/queries/deposit-queries.ts";
import type { DepositClaim } from "../../vaults/vault-deposit-claim.ts";
import {
  askedBy,
  askedTogether,
  claimOwnership,
  isSameRequest,
  type Judged,
  type RequestSubject,
} from "./deposit-request-siblings.ts";
import { isClaimed } from "./deposit-state-machine.ts";
import type { Transition } from "./deposit-transitions.ts";
import { isRequestGone } from "./track-deposit-request.ts";

/** Part of a claim by which rounding of the vault may exceed the assets that it is for: one in a thousand. */
const ROUNDED_PART = 1_000n;

/** A transaction that sent a request's shares or a part of them. */
export interface Claim extends DepositClaim {
  hash: Hex;
  blockNumber: bigint;
  /** False if it may have sent shares of other requests too. */
  own: boolean;
}

/**
 * Returns the claim of a request that a transaction shows by the vault's own event, or null if it shows none; also null
 * if the vault rejected the request.
 */
export async function claimIn(of: Judged): Promise<Claim | null> {
  const { row, now, others, receipt, hash } = of;
  if (now.pending.rejected === true) return null;
  const { requestId } = row;
  const claim = { user: getAddress(row.userAddress), requestId, logs: receipt.logs };
  const seen = now.requests.findClaim(now.vault, claim);
  if (seen === null || !isClaim(seen, now)) return null;
  const { blockNumber } = receipt;
  if (seen.alone === true) return { ...seen, hash, blockNumber, own: true };
  const ownership = await claimOwnership({ row, others, receipt, hash }, of.readTransaction);
  if (ownership === "another's") return null;
  return { ...seen, hash, blockNumber, own: ownership === "own" };
}

/** Returns true if what the vault's events show took a request's assets: anyone may claim nothing for the user. */
function isClaim({ shares, assets, alone, announced }: DepositClaim, { pending }: Judged["now"]): boolean {
  if (announced === true && isRequestGone(pending) !== true) return false;
  return shares > 0n || (assets ?? 0n) > 0n || alone === true;
}

/** Returns true if the vault took assets for the claims, but gave no shares. */
export const areWorthless = (claims: readonly Claim[]): boolean =>
  claims.length > 0 && claims.every(({ shares }) => shares === 0n);

/** Returns by how many assets a request exceeds its claims: 0 or less if they are for all of it. */
function unclaimed(
  row: Pick<RequestSubject, "receivedAmount" | "fromAmount">,
  claims: readonly Claim[],
): bigint {
  const asked = askedBy(row);
  return claims.reduce((left, { assets }) => left - (assets ?? asked), asked);
}

/** Returns true if claims are for all of a request's assets, or more. */
export const isWhole = (row: RequestSubject, claims: readonly Claim[]): boolean =>
  claims.length > 0 && unclaimed(row, claims) <= 0n;

/**
 * Returns the transition of a deposit whose shares were sent by the given claims. The shares are null if others may
 * have been settled with it: also if several claims together are for more than its assets. Without any shares, the
 * deposit fails, whoever shares the claims.
 */
export function claimTransition(row: RequestSubject, claims: readonly Claim[]): Transition {
  const alone = claims.length === 1 || unclaimed(row, claims) >= 0n;
  const shares = claims.reduce((sum, claim) => sum + claim.shares, 0n);
  const known = alone && claims.every(({ own }) => own) ? shares.toString() : null;
  const last = claims.reduce((one, other) => (other.blockNumber >= one.blockNumber ? other : one));
  if (areWorthless(claims))
    return {
      event: { kind: "chain", shows: "vault_unminted", confirmed: true },
      change: { substatus: "UNKNOWN_ERROR", shares: "0", claimTxHash: last.hash },
      write: "on_change",
    };
  return {
    event: { kind: "chain", shows: "vault_claimed", confirmed: true },
    change: { substatus: null, shares: known, claimTxHash: last.hash },
    write: "on_change",
  };
}

/** What a cancellation paid back of a request, in the asset's smallest unit. */
export interface Rest {
  hash: Hex;
  assets: bigint;
}

/**
 * Returns the transition of a deposit of which claims gave shares for a part and the vault paid back the rest, in one
 * or several payments (`rests`, oldest first); "unpaid" if these leave more of it open than rounding explains. Null if
 * nothing was claimed or paid back, if the claims may be another request's too, or if both are for more than it asked.
 */
export function partlyClaimed(
  row: RequestSubject,
  { claims, rests }: { claims: readonly Claim[]; rests: readonly Rest[] },
): Transition | "unpaid" | null {
  if (claims.length === 0 || !claims.every(({ own, assets }) => own && assets !== null)) return null;
  let left = unclaimed(row, claims);
  let refundTxHash: Hex | null = null;
  // What is paid after all of the rest is another request's.
  for (const { hash, assets } of rests) {
    if (refundTxHash !== null && left * ROUNDED_PART <= askedBy(row)) break;
    left -= assets;
    refundTxHash = hash;
  }
  if (refundTxHash === null || -left * ROUNDED_PART > askedBy(row)) return null;
  if (left * ROUNDED_PART > askedBy(row)) return "unpaid";
  const { change } = claimTransition(row, claims);
  return {
    event: { kind: "chain", shows: "vault_partly_claimed", confirmed: true },
    change: { ...change, substatus: null, refundTxHash },
    write: "on_change",
  };
}

/** Assets of an ended request that are still to be found among the claims. */
interface Taken {
  /** The last claim that paid it. */
  hash: string | null;
  /** In the asset's smallest unit. */
  left: bigint;
}

/** Returns the assets that claims paid to those of `others` that have ended and share the request's id. Pure. */
export function takenByEnded(row: RequestSubject, others: readonly DepositRow[]): Taken[] {
  const ended = others.filter((other) => isClaimed(other) && other.requestId === row.requestId);
  return ended
    .filter((one) => !isSameRequest(one, row))
    .map((one) => ({ hash: one.claimTxHash, left: askedBy(one) }));
}

/**
 * Takes from a claim what ended requests had of it: those that it or one of the `later` claims ended. Returns what is
 * left, or null if they had all of it. A claim whose assets are unknown stays as it is. Changes `taken`.
 */
export function withoutTaken(
  claim: Claim,
  { taken, later }: { taken: readonly Taken[]; later: readonly string[] },
): Claim | null {
  if (claim.assets === null) return claim;
  let rest = claim.assets;
  for (const one of taken) {
    if (one.hash !== claim.hash && !later.includes(one.hash ?? "")) continue;
    const part = one.left < rest ? one.left : rest;
    one.left -= part;
    rest -= part;
  }
  if (rest === claim.assets) return claim;
  return rest * ROUNDED_PART <= claim.assets ? null : { ...claim, assets: rest, own: false };
}

/** Returns true if claims are for less than the account asked for up to the last, and an earlier request is open. */
export async function areEarlierOnes(claims: readonly Claim[], last: Judged): Promise<boolean> {
  if (claims.some(({ assets }) => assets === null)) return false;
  const together = await askedTogether(last);
  return together.isLater && claims.reduce((sum, { assets }) => sum + (assets ?? 0n), 0n) < together.assets;
}
