import type { Address, Hex, Log } from "viem";
import type { Query } from "../chains/chain-query.ts";
import type { VaultType } from "../schemas/vault-schema.ts";
import type { FeeRates } from "./fee-rates.ts";
import type { GovernanceEvent } from "./governance/governance-event.ts";
import type { LensVault } from "./lens/position-lens.ts";
import type { Token, Vault } from "./vault.ts";
import type { Deriver } from "./vault-derivation.ts";
import type { ExplainedRevert } from "./vault-reverts.ts";

/** A vault's totals, price and limits at one block. Amounts in the asset's smallest unit; null when a view did not answer. */
export interface VaultState {
  totalAssets: bigint | null;
  /** Smallest unit of the share token. */
  totalSupply: bigint | null;
  /** Whole assets per whole share, times 10^18, rounded down. */
  sharePrice: bigint | null;
  /** A hint only: vaults are known to report too much and too little. */
  maxDeposit: bigint | null;
  minDeposit: bigint | null;
  /** True when an on-chain switch refuses every deposit. */
  paused: boolean;
}

/** The part of a vault's state that lists show. */
export type VaultFlags = Pick<VaultState, "paused" | "minDeposit">;

/** The terms of one deposit, read from the vault's views before it is made. Amounts in the deposited token's smallest unit. */
export interface DepositTerms {
  /** Shares for the amount by the family's preview; null when it gave none. */
  previewShares: bigint | null;
  /** Revert data of the preview; null when it did not revert or gave no data. */
  previewRevert: Hex | null;
  /** A sample of the share price: `shares` are worth `assets`, both in smallest units. */
  price: { assets: bigint; shares: bigint } | null;
  maxDeposit: bigint | null;
  minDeposit: bigint | null;
  paused: boolean;
  /**
   * The asset that the vault names on chain, or the deposited token when the chain shows that the vault accepts it. Null
   * when the vault did not answer: then nothing is sent to it.
   */
  asset: Address | null;
  /** A refusal that the views prove and that no other member shows, such as `not_allowed` or `price_stale`. */
  refusal?: Refusal | null;
  /** True when the vault takes this deposit as a request now. Set only by families that support both. */
  async?: boolean;
}

/** A reason why a vault would refuse a deposit, proven by its own views. */
export type Refusal = "not_allowed" | "price_stale" | "share_locked" | "token_unsupported";

/** A deposit to encode. `amount` is in the smallest unit of `token`. */
export interface DepositInput {
  /** One of the vault's accepted tokens. */
  token: Token;
  amount: bigint;
  /** The vault's `msg.sender`: the user, or null for the Router's clone, whose address is not known beforehand. */
  caller: Address | null;
  receiver: Address;
  /** Minimum shares in the share token's smallest unit, for families whose deposit call takes it. */
  minShares: bigint;
  /** `DepositTerms.async`, for families that deposit at once or by request depending on the vault's state. */
  async?: boolean;
}

/** A deposit whose terms are read, before its minimum shares are known. */
export interface TermsInput extends Omit<DepositInput, "minShares" | "async"> {
  /** Milliseconds since the epoch, for daily limits. */
  now: number;
}

/** The call that deposits, made by the Router's step or by the user's transaction. */
export interface DepositCall {
  target: Address;
  spender: Address;
  data: Hex;
  /** Byte offset of the amount's word in `data`, where the Router writes the amount that arrived. */
  amountOffset: number;
  /** Factor from the token's smallest unit to the unit that the call counts in. */
  amountScale: bigint;
  shareToken: Address;
  /** The account that shares are minted to. Shares minted to the caller must be forwarded. */
  sharesTo: "receiver" | "caller";
  /** True when the vault mints shares later, at settlement. */
  async: boolean;
  /** `native`: the vault's call enforces the minimum shares too. `router`: only the Router does. */
  minShares: "native" | "router";
}

/** A deposit or withdrawal decoded from a vault's event. Amounts in smallest units; null when the event omits them. */
export interface VaultFlow {
  kind: "deposit" | "withdrawal";
  /** The owner of the shares. */
  user: Address;
  /** Smallest unit of the vault's asset. */
  assets: bigint | null;
  shares: bigint | null;
}

/** The events from which a vault's deposits and withdrawals are indexed. */
export interface FlowSource {
  /** Contracts that emit the events. */
  addresses: readonly Address[];
  /** First topics of the events. */
  topics: readonly Hex[];
  /** True when the events name the caller as the user. For a deposit through the Router that is a one-time contract. */
  namesCaller?: boolean;
  /** Decodes one log; null when it is no deposit or withdrawal of this vault, such as a fee or a request. */
  decode(log: Pick<Log, "address" | "topics" | "data">): VaultFlow | null;
}

/** A user's open asynchronous deposits into one vault. Null when a view did not answer. */
export interface PendingDeposit {
  /** Not settled yet, in the asset's smallest unit. */
  pendingAssets: bigint | null;
  /** Settled and claimable, in the share token's smallest unit. */
  claimableShares: bigint | null;
  /** Assets that the claimable shares were bought with, in the asset's smallest unit. Claims of ERC-7540 are made in assets. */
  claimableAssets: bigint | null;
  /** True when the vault rejected every request. The vault itself does not refund a rejected request. */
  rejected?: boolean;
}

/** A deposit request found in a receipt. Null members: the family numbers no requests, or the amount is not in the asset. */
export interface SubmittedRequest {
  requestId: string | null;
  assets: bigint | null;
}

/** Deposits that a vault settles later, as in ERC-7540. */
export interface AsyncDeposits {
  /** Reads a user's open deposits. `requestIds` are the known requests, for families that cannot list them by account. */
  pending(vault: Vault, of: { user: Address; requestIds: readonly string[] }): Query<PendingDeposit>;
  /** Encodes the user's call that claims all claimable shares; null where settlement sends the shares, or nothing is claimable. */
  claim(vault: Vault, of: { user: Address; pending: PendingDeposit }): { target: Address; data: Hex } | null;
  /** Finds the user's request in the logs of a successful receipt; null when there is none. */
  findRequest(vault: Vault, seen: { user: Address; logs: readonly Log[] }): SubmittedRequest | null;
}

/**
 * The reads and calls of a vault family. An adapter does no I/O: it describes reads, interprets their results and encodes
 * calls, so that the reads of many vaults can be batched.
 */
export interface VaultAdapter {
  /** The name that registry rows store. */
  readonly name: string;
  /** True when the family's contracts enforce no minimum deposit. */
  readonly noMinimum: boolean;
  /** Checks all of a row's parameters. Throws an Error for an invalid one. Absent where the family has no parameters. */
  checkParams?(vault: Vault): void;
  /** Returns how the position lens reads a balance and its value. */
  lens(vault: Vault): LensVault;
  /** Converts shares to assets by the word that a lens of kind `rate` read; null when the value is not known. */
  toAssets?(vault: Vault, read: { shares: bigint; rate: bigint }): bigint | null;
  /**
   * Reads whether the contracts that price a balance are still the ones that the vault uses. Absent where the vault cannot
   * replace them.
   */
  pricingUnchanged?(vault: Vault): Query<boolean>;
  /** Reads a vault's state. `now` is in milliseconds since the epoch, for daily limits. */
  state(vault: Vault, now: number): Query<VaultState>;
  /** Reads the part of the state that lists show, for many vaults at once. */
  flags(vault: Vault): Query<VaultFlags>;
  /** Reads the terms of one deposit. */
  terms(vault: Vault, request: TermsInput): Query<DepositTerms>;
  /** Encodes the call that deposits. */
  encode(vault: Vault, request: DepositInput): DepositCall;
  /** Explains revert data by the family's own errors; null for any other error. */
  explain?(revert: Hex): ExplainedRevert | null;
  /** Returns the events of deposits and withdrawals. */
  flows(vault: Vault): FlowSource;
  /** Returns how asynchronous deposits are followed; null when this vault mints shares at once. */
  asyncDeposits?(vault: Vault): AsyncDeposits | null;
}

/** One vault family: its adapter, how its vaults are derived from their chain, and the events that govern them. */
export interface VaultFamily {
  /** Registry rows name the family by the adapter's `name`. */
  adapter: VaultAdapter;
  /** The type that the API shows for its vaults. */
  type: VaultType;
  deriver: Deriver;
  /** Governance changes that no view shows, besides those that contracts of any family emit. */
  governanceEvents?: readonly GovernanceEvent[];
  /** A view without arguments by which a vault names a linked contract that its registry row does not name. */
  governanceLink?: { contract: "authority" | "feeManager"; view: string };
  /** Reads the performance fee and the management fee. Absent if the family has no view functions for both. */
  feeRatesQuery?: (vault: Vault) => Query<FeeRates>;
  /** Withdrawals are paid immediately, so that a low `maxWithdraw` shows a lack of liquidity. */
  instantWithdrawals?: true;
}
