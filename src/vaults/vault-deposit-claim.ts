import type { Address, Hex } from "viem";

/**
 * Shares that a deposit request received, in the share token's smallest unit. `assets` is the part of the deposited
 * assets for which they are, in the asset's smallest unit; null if they are for the whole request or maybe several.
 */
export interface DepositClaim {
  shares: bigint;
  assets: bigint | null;
  /** True if the vault's events show that no other request received these shares. Absent if they do not tell. */
  alone?: true;
  /** True if the vault only announces the shares, so that they count once no request is open. Absent otherwise. */
  announced?: true;
}

/** The user's call that claims the shares of deposit requests. */
export interface DepositClaimCall {
  target: Address;
  data: Hex;
  /** True if the call pays back the assets of cancelled requests instead. */
  paysBack?: true;
}
