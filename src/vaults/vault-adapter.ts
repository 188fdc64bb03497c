import type { Address, Hex, Log } from "viem";
import type { Query } from "../chains/query.ts";
import type { LensVault } from "./lens/position-lens.ts";
import type { ExplainedRevert } from "./reverts.ts";
import type { Token, Vault } from "./vault.ts";

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

/** What a vault says of one deposit before it is made. Amounts in the deposited token's smallest unit. */
export interface DepositTerms {
  /** Shares for the amount by the family's own preview; null when it gave none. */
  previewShares: bigint | null;
  /** What the preview reverted with. */
  previewRevert: Hex | null;
  /** What those shares are worth, in the deposited token's smallest unit, is `shares × assets / shares of this sample`. */
  price: { assets: bigint; shares: bigint } | null;
  maxDeposit: bigint | null;
  minDeposit: bigint | null;
  paused: boolean;
  /**
   * The asset the vault names on chain, or the deposited token when the chain shows that the vault takes it;
   * null when it did not answer: then nothing is sent to it.
   */
  asset: Address | null;
  /** A refusal that the reads prove and no other member says, such as `not_allowed` or `price_stale`. */
  refusal?: Refusal | null;
  /** Whether the vault takes this deposit as a request now; only families that can do both say so. */
  async?: boolean;
}

/** Why a vault would not take a deposit, by what its own views say. */
export type Refusal = "not_allowed" | "price_stale" | "share_locked" | "token_unsupported";

/** A deposit to be encoded: `amount` in the smallest unit of `token`. */
export interface DepositInput {
  /** Which of the vault's accepted tokens goes in. */
  token: Token;
  amount: bigint;
  /** Whom the vault sees as sender: the user, or the Router's clone (null, not known beforehand). */
  caller: Address | null;
  receiver: Address;
  /** The least shares, for families whose own call takes it; smallest unit of the share token. */
  minShares: bigint;
  /** What `terms` said of it, for families that deposit at once or by request as the vault's state has it. */
  async?: boolean;
}

/** The question `terms` answers: a request whose floor is not known yet. */
export interface TermsInput extends Omit<DepositInput, "minShares" | "async"> {
  /** Milliseconds since the epoch, for limits that are counted by the day. */
  now: number;
}

/** The call that deposits, as the Router's step or the user's transaction makes it. */
export interface DepositCall {
  target: Address;
  spender: Address;
  data: Hex;
  /** Byte offset of the amount's word in `data`, where the Router writes what really arrived. */
  amountOffset: number;
  /** Factor on that amount, for families that count in other decimals. */
  amountScale: bigint;
  shareToken: Address;
  /** Who is minted to; `caller` shares must be forwarded. */
  sharesTo: "receiver" | "caller";
  /** Whether shares come later, after the vault's settlement. */
  async: boolean;
  /** Who enforces the least number of shares: the vault's own call too, or the Router alone. */
  minShares: "native" | "router";
}

/** A deposit or withdrawal that a vault's own event shows. Amounts in smallest units; null: the event does not tell. */
export interface VaultFlow {
  kind: "deposit" | "withdrawal";
  /** Whose position it changes: the owner of the shares. */
  user: Address;
  /** In the vault's asset. */
  assets: bigint | null;
  shares: bigint | null;
}

/** Where a family's deposits and withdrawals are seen, for the flows indexer. */
export interface FlowSource {
  /** The contracts that emit them. */
  addresses: readonly Address[];
  /** First topics of the events. */
  topics: readonly Hex[];
  /** True where the events name whoever called as the user: through the Router, a contract of its own each time. */
  namesCaller?: boolean;
  /** What one log shows; null: no deposit or withdrawal of this vault (a fee, a request whose claim counts). */
  decode(log: Pick<Log, "address" | "topics" | "data">): VaultFlow | null;
}

/** What a user has asked an asynchronous vault for. */
export interface PendingDeposit {
  /** Not settled yet, in the asset's smallest unit. */
  pendingAssets: bigint | null;
  /** Settled and waiting to be claimed, in the share token's smallest unit. */
  claimableShares: bigint | null;
  /** The deposits those shares are for, in the asset's smallest unit, where claims are made in it (ERC-7540). */
  claimableAssets: bigint | null;
  /** Whether the vault has refused what was asked for, for good; what was paid in is not given back by it. */
  rejected?: boolean;
}

/** A request that a receipt shows: its number, where the family gives them one, and what went in. */
export interface SubmittedRequest {
  requestId: string | null;
  assets: bigint | null;
}

/** Deposits that a vault settles later (ERC-7540 and alike). */
export interface AsyncDeposits {
  /** `requestIds`: the user's known requests, for families that cannot list them by account. */
  pending(vault: Vault, of: { user: Address; requestIds: readonly string[] }): Query<PendingDeposit>;
  /** The call, from the user, that turns all that is claimable into shares; null where settlement sends them. */
  claim(vault: Vault, of: { user: Address; pending: PendingDeposit }): { target: Address; data: Hex } | null;
  /** The request that a successful receipt shows for the user; null: none. */
  requestIn(vault: Vault, seen: { user: Address; logs: readonly Log[] }): SubmittedRequest | null;
}

/**
 * A vault family. Adapters do no I/O: they describe reads, say what the answers mean, and encode.
 * Whoever calls them batches the reads of many vaults.
 */
export interface VaultAdapter {
  readonly name: string;
  /** True only where the family's own rules know no minimum. */
  readonly noMinimum: boolean;
  /**
   * Reads every parameter that any other member does. Throws an Error for a row whose parameters are none; absent
   * where rows have none to read.
   */
  checkParams?(vault: Vault): void;
  /** How the position lens reads a balance and what it is worth. */
  lens(vault: Vault): LensVault;
  /** What a balance is worth by the word that a lens of kind `rate` read; null: not known. */
  worth?(vault: Vault, read: { shares: bigint; rate: bigint }): bigint | null;
  /**
   * Whether the contracts that lens and `worth` price a balance by are still the ones that the vault itself goes by;
   * absent where the vault cannot change them.
   */
  stillValued?(vault: Vault): Query<boolean>;
  /** `now`: milliseconds since the epoch, for limits that are counted by the day. */
  state(vault: Vault, now: number): Query<VaultState>;
  /** The few reads of `state` that lists need, for all vaults of a chain at once. */
  flags(vault: Vault): Query<VaultFlags>;
  terms(vault: Vault, request: TermsInput): Query<DepositTerms>;
  encode(vault: Vault, request: DepositInput): DepositCall;
  /** What revert data of this family's contracts stands for; null: none of its own errors. */
  explain?(revert: Hex): ExplainedRevert | null;
  /** Where its deposits and withdrawals are seen. */
  flows(vault: Vault): FlowSource;
  /** Null: every deposit gives shares at once. A family may decide vault by vault. */
  requests?(vault: Vault): AsyncDeposits | null;
}
