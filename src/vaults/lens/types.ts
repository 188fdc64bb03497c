import type { Address, Hex } from "viem";

/**
 * What the lens reads of one vault. `shareToken` is where `balanceOf(user)` is read; `pricer` answers what
 * the shares are worth and may be the same contract. `kind` says how:
 * - `convert_or_ratio`: `convertToAssets(balance)`, and when that fails `balance × totalAssets() of the pricer /
 *   totalSupply() of the share token`, rounded down. Only where totalAssets means the net assets of all shares.
 * - `convert`: `convertToAssets(balance)` and nothing else (idle-only totalAssets, several vaults per share).
 * - `balance`: the share balance alone.
 * - `rate`: for a balance that is not zero, the first word which `selector(argument)` of the pricer answers;
 *   the family that chose the selector knows what it means. A function without parameter ignores the argument.
 * - `report`: as `rate`, where the third word is there and zero; else nothing is known, for that word says that
 *   nobody may use the first.
 * - `pair`: as `rate`, of two contracts: what `selector()` of the pricer answers in the upper 128 bits of the word,
 *   what the argument's answers in the lower; nothing is known where one does not answer or is larger.
 */
export type LensVault =
  | { kind: "convert_or_ratio" | "convert"; shareToken: Address; pricer: Address }
  | { kind: "balance"; shareToken: Address }
  | {
      kind: "rate" | "report" | "pair";
      shareToken: Address;
      pricer: Address;
      selector: Hex;
      argument: Address;
    };

/** One `eth_call` without `to`: its data and the vaults it answers for, in the order of the answer. */
export interface PositionCall<V extends LensVault> {
  data: Hex;
  vaults: readonly V[];
}

/**
 * What one vault answered. Balances in share units, `assets` in asset units, `rate` as the pricer gave it.
 * `none`: the balance is zero. `assets_unknown`: no conversion answered, or none was asked for.
 * `balance_unknown`: balanceOf failed. `not_reached`: gas or room ran out before this vault; ask again.
 * The smaller the numbers, the more positions have room: on the wire a number takes its own bytes and one.
 */
export type PositionRead =
  | { status: "none" | "balance_unknown" | "not_reached" }
  | { status: "assets_unknown"; balance: bigint }
  | { status: "converted" | "ratio"; balance: bigint; assets: bigint }
  | { status: "rate"; balance: bigint; rate: bigint };

/**
 * The answer to one call and the chain and block it was made at. `blockNumber` is null when the chain does
 * not tell it; the timestamp is in seconds.
 */
export interface PositionAnswer {
  chainId: number;
  blockNumber: bigint | null;
  blockTimestamp: bigint;
  positions: PositionRead[];
}
