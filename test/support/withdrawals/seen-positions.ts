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
