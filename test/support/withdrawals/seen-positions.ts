import type { Position } from "../../../src/schemas/position-schema.ts";

/** Figures of an account's position: the value of shares and of open requests, and the wallet's balance. */
export interface Seen {
  position: Position | null;
  /** The position in the vault beside. */
  beside: Position | null;
  wallet: bigint;
}

/** Returns the sum of what accounts hold: their wallets, and the value of their shares and open requests. */
export const totalOf = (seen: readonly Seen[]): bigint =>
  seen.reduce((sum, { position, beside, wallet }) => {
    const values = [position, beside].map((one) => (one === null ? "0" : one.current_assets));
    if (values.includes(null)) throw new Error(`no value: ${describe(seen)}`);
    return values.reduce((all, value) => all + BigInt(value ?? "0"), sum + wallet);
  }, 0n);

/** An account's deposits less its payments at both vaults, as its wallet shows them. */
export interface Paid {
  /** The wallet's balance of the asset before the first deposit. */
  start: bigint;
  /** Assets that were moved into the vault beside, less those that came back. */
  moved: bigint;
  /** Shares that came from another account, less those that went to it, whose cost is unknown. */
  received: bigint;
}

/** Largest worth of received or missing shares that may count as rounding, in the asset's smallest unit. */
const ROUNDING = 4n;
/** Received shares of at most one part in this many count as dust. */
const DUST_PARTS = 9_000n;

/** Returns whether received shares must hide the yield, or null if a position does not show what they are worth. */
function hidesYield({ share_balance, current_assets, requests }: Position, received: bigint): boolean | null {
  const away = requests.filter(({ kind, in_wallet }) => kind === "redeem" && !in_wallet);
  if (current_assets === null || away.some(({ shares }) => shares === null)) return null;
  const shares = away.reduce((sum, one) => sum + BigInt(one.shares ?? 0n), BigInt(share_balance));
  if (received === 0n) return false;
  if (shares === 0n || (received > 0n && received * DUST_PARTS <= shares)) return null;
  const size = received < 0n ? -received : received;
  // The value is rounded down: it does not show what more shares are worth.
  const most = BigInt(current_assets) + (size > shares ? 1n : 0n);
  return (size * most) / shares > ROUNDING ? true : null;
}

/**
 * Checks that the deposited assets in an account's positions equal the deposits minus the payments, to the unit, and that
 * the yield is the difference to the value, or unknown if shares came or went by a transfer. Moves are deposits of one
 * vault and payments of the other. Throws an Error if not.
 */
export function checkBasis(seen: Seen, { start, moved, received }: Paid): void {
  const { position, beside, wallet } = seen;
  if (beside !== null && beside.deposited_assets !== String(moved))
    throw new Error(`moved ${moved}, beside is ${beside.deposited_assets}: ${describe([seen])}`);
  if (position === null) return;
  const net = start - wallet - moved;
  if (position.deposited_assets !== String(net))
    throw new Error(`deposited ${position.deposited_assets}, in less out is ${net}: ${describe([seen])}`);
  const { yield_assets: earned } = position;
  const known = earned === String(BigInt(position.current_assets ?? 0n) - net);
  const hidden = hidesYield(position, received);
  if (
    (hidden !== true && !known && earned !== null) ||
    (earned === null ? hidden === false : hidden === true)
  )
    throw new Error(`the yield is ${earned}: ${describe([seen])}`);
}

/**
 * Checks the same before the last actions are indexed: what is not unknown must be right. Throws an Error if not.
 */
export function checkUnindexed(seen: Seen, paid: Paid): void {
  const { position, wallet } = seen;
  if (position === null || position.deposited_assets === null) return;
  const net = paid.start - wallet - paid.moved;
  if (position.deposited_assets !== String(net) && position.yield_assets !== null)
    throw new Error(
      `deposited ${position.deposited_assets} before it is indexed, is ${net}: ${describe([seen])}`,
    );
}

/** Describes what accounts hold, for the message of a failure. */
export const describe = (seen: readonly Seen[]): string =>
  seen
    .map(({ position, beside, wallet }) => {
      const { share_balance, current_assets, deposited_assets, requests } = position ?? {};
      return JSON.stringify({
        wallet: `${wallet}`,
        share_balance,
        current_assets,
        deposited_assets,
        requests,
        beside: beside === null ? null : [beside.share_balance, beside.current_assets],
      });
    })
    .join(" | ");
