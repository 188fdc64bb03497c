import type { Address, Hex } from "viem";
import type { Described } from "../chains/read.ts";
import type { LensVault } from "./lens/types.ts";
import type { Vault } from "./vault.ts";

/** What a vault says of itself at one block. Null: it does not say. Amounts in the asset's smallest unit. */
export interface VaultState {
  totalAssets: bigint | null;
  /** In the share token's smallest unit. */
  totalSupply: bigint | null;
  /** Whole assets per whole share, times 10^18, rounded down. */
  sharePrice: bigint | null;
  /** A hint at best: vaults are known to overstate and to understate it. */
  maxDeposit: bigint | null;
  minDeposit: bigint | null;
  /** Whether an on-chain switch refuses every deposit. */
  paused: boolean;
}

/** The part of the state that lists show. */
export type VaultFlags = Pick<VaultState, "paused" | "minDeposit">;

/** What a vault says of one deposit before it is made. */
export interface DepositTerms {
  /** Shares for the amount by the family's own preview; null when it gave none. */
  previewShares: bigint | null;
  /** What the preview reverted with. */
  previewRevert: Hex | null;
  /** What those shares are worth, in the asset's smallest unit, is `shares × assets / shares of this sample`. */
  price: { assets: bigint; shares: bigint } | null;
  maxDeposit: bigint | null;
  minDeposit: bigint | null;
  paused: boolean;
  /** The asset the vault names on chain; null when it did not answer: then nothing is sent to it. */
  asset: Address | null;
}

/** A deposit to be encoded: `amount` in the asset's smallest unit. */
export interface DepositRequest {
  amount: bigint;
  /** Whom the vault sees as sender: the user, or the Router's clone (null, not known beforehand). */
  caller: Address | null;
  receiver: Address;
}

/** The call that deposits, as the Router's step or the user's transaction makes it. */
export interface DepositCall {
  target: Address;
  spender: Address;
  data: Hex;
  /** Byte offset of the amount's word in `data`, where the Router writes what really arrived; null: none. */
  amountOffset: number | null;
  /** Factor on that amount, for families that count in other decimals. */
  amountScale: bigint;
  shareToken: Address;
  /** Who is minted to; `caller` shares must be forwarded. */
  sharesTo: "receiver" | "caller";
  async: boolean;
  /** Who enforces the least number of shares. */
  minShares: "native" | "router";
}

/**
 * A vault family. Adapters do no I/O: they describe reads, say what the answers mean, and encode.
 * Whoever calls them batches the reads of many vaults.
 */
export interface VaultAdapter {
  readonly name: string;
  /** True only where the family's own rules know no minimum. */
  readonly noMinimum: boolean;
  /** How the position lens reads a balance and what it is worth. */
  lens(vault: Vault): LensVault;
  state(vault: Vault): Described<VaultState>;
  /** The few reads of `state` that lists need, for all vaults of a chain at once. */
  flags(vault: Vault): Described<VaultFlags>;
  terms(vault: Vault, request: DepositRequest): Described<DepositTerms>;
  encode(vault: Vault, request: DepositRequest): DepositCall;
}
