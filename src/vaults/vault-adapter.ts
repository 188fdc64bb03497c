import type { Address, Hex, Log } from "viem";
import type { Query } from "../chains/chain-reads.ts";
import type { VaultType } from "../schemas/vault-schema.ts";
import type { GovernanceEvent } from "./governance/governance-event.ts";
import type { LensVault } from "./lens/position-lens.ts";
import type { Token, Vault } from "./vault.ts";
import type { DepositClaim, DepositClaimCall } from "./vault-deposit-claim.ts";
import type { Deriver } from "./vault-deriver.ts";
import type { VaultExits } from "./vault-exits.ts";
import type { FeeRates } from "./vault-fee-rates.ts";
import type { RequestEvents } from "./vault-request-flow.ts";
import type { ExplainedRevert } from "./vault-reverts.ts";

/**
 * A vault's totals, share price and deposit limits. Amounts are in the asset's smallest unit unless stated otherwise,
 * and null if unknown.
 */
export interface VaultState {
  totalAssets: bigint | null;
  /** Total supply of the share token, in its smallest unit. */
  totalSupply: bigint | null;
  /** Whole assets per whole share, times 10^18, rounded down. */
  sharePrice: bigint | null;
  /** Largest possible deposit. Only a hint: some vaults report too much or too little. */
  maxDeposit: bigint | null;
  /** Minimum deposit, or null if none is known. */
  minDeposit: bigint | null;
  /** True if on-chain data show that deposits of the asset are switched off; false also if unknown. */
  paused: boolean;
  /** Present if `paused` is false but a view that may show a pause failed; some families ignore some failures. */
  pauseUnknown?: true;
  /**
   * Fee of an instant withdrawal, as a fraction of the assets. Null or absent if unknown, if not read, or if there are
   * no instant withdrawals.
   */
  exitFee?: number | null | undefined;
}

/** Whether a vault is paused, and its minimum deposit, as in `VaultState`. */
export type VaultFlags = Pick<VaultState, "paused" | "minDeposit">;

/**
 * The conditions of one deposit, read from the vault's views. Amounts are in the deposited token's smallest unit unless
 * stated, and null if unknown.
 */
export interface DepositTerms {
  /** Shares for the amount by the family's preview, in the share token's smallest unit, or null if it has no result. */
  previewShares: bigint | null;
  /** Revert data of the preview, or of a price that it needs. Null if none is known or if there is a preview. */
  previewRevert: Hex | null;
  /**
   * A sample of the share price: `shares` are worth `assets` of the deposited token, both in smallest units. Null if
   * unknown.
   */
  price: { assets: bigint; shares: bigint } | null;
  /** Largest deposit by the vault's limits, perhaps above 0 while `paused`; null if unknown. Only a hint. */
  maxDeposit: bigint | null;
  /** Minimum deposit, or null if none is known. */
  minDeposit: bigint | null;
  /** True if on-chain data show that deposits of the token are switched off; false also if unknown. */
  paused: boolean;
  /**
   * The asset that the vault names on chain, or the deposited token if the chain shows whether the vault accepts it
   * (see `paused`, `refusal`). Null if unknown or, where this is checked, if the vault names other contracts than the
   * registry entry.
   */
  asset: Address | null;
  /**
   * Why the vault would reject the deposit, such as `not_allowed`. Null or absent if its views show no such reason;
   * pauses and limits are in other fields.
   */
  refusal?: Refusal | null;
  /**
   * True if this deposit would now be an asynchronous request, false if an instant one; without meaning while `paused`.
   * Absent in families where the vault's state does not decide this.
   */
  async?: boolean;
}

/**
 * Why a vault's views say that it would reject a deposit. `price_stale`: the price is out of date or not trusted;
 * `share_locked`: the new shares could not be transferred.
 */
export type Refusal = "not_allowed" | "price_stale" | "share_locked" | "token_unsupported";

/** Input of a deposit call. `amount` is in `token`'s smallest unit. */
export interface DepositInput {
  /** One of the vault's accepted tokens. */
  token: Token;
  amount: bigint;
  /**
   * The account that the vault sees as `msg.sender`: the user, or null for the Router's executor, whose address is not
   * known in advance.
   */
  caller: Address | null;
  /** The account that is to receive the shares. */
  receiver: Address;
  /** Minimum shares in the share token's smallest unit. Only some families' deposit calls take it. */
  minShares: bigint;
  /**
   * `DepositTerms.async` of the preceding read, for families that deposit instantly or by request, depending on the
   * vault's state.
   */
  async?: boolean;
}

/** Input for reading the conditions of a deposit, before its minimum of shares is known. */
export interface TermsInput extends Omit<DepositInput, "minShares" | "async"> {
  /** Current time in milliseconds since the epoch, for conditions that depend on it. */
  now: number;
}

/** The contract call that makes a deposit, either in a step of the Router or in the user's own transaction. */
export interface DepositCall {
  target: Address;
  /** The contract that pulls the token and therefore needs the allowance. */
  spender: Address;
  data: Hex;
  /**
   * Byte offset in `data` of the amount. The Router, if it makes the call, overwrites it with its executor's balance of
   * the token, times `amountScale`.
   */
  amountOffset: number;
  /**
   * Factor that converts an amount in the token's smallest unit to the unit that the call expects, such as 10^12 for a
   * 6-decimal token and a call with 18 decimals.
   */
  amountScale: bigint;
  shareToken: Address;
  /** The account that receives the minted shares. If it is the caller, the Router must pass them on to the user. */
  sharesTo: "receiver" | "caller";
  /** True if the call only requests a deposit, which the vault settles later. */
  async: boolean;
  /**
   * What enforces the minimum of shares. `native`: the vault's own call, with or without the Router. `router`: only the
   * Router, if it makes the call.
   */
  minShares: "native" | "router";
}

/**
 * A deposit into or withdrawal from a vault, decoded from one of its events. An amount is null if it is unknown, for
 * example because the event does not contain it, and in Midas's redemption requests, where it is not final.
 */
export interface VaultFlow {
  kind: "deposit" | "withdrawal";
  /** The account that it counts for: usually the owner of the minted or redeemed shares, else caller or receiver. */
  user: Address;
  /** In the smallest unit of the vault's asset; null also for an amount in another token. */
  assets: bigint | null;
  /** In the share token's smallest unit. */
  shares: bigint | null;
  /** True if it is neither deposit nor payment: it only moves what a request holds, or takes shares as a penalty. */
  sharesOnly?: true;
  /**
   * `taken`: it counts only if one that is `made` by the user follows in the transaction, which itself does not count.
   * `burned`: it counts only if the transaction has no withdrawal of the user's with as many shares, which are the same.
   */
  request?: "taken" | "made" | "burned";
  /** Query, run at the event's block, that converts another token's amount by the vault's prices; null if it fails. */
  conversion?: Query<bigint | null>;
  /** Id by which `VaultExits.takenOut` knows the flow's request (see `toFlowRequestId`). Absent for other flows. */
  requestId?: string;
}

/** The contracts and events from which a vault's deposits and withdrawals are indexed, with their decoder. */
export interface FlowSource extends RequestEvents {
  /** Addresses of the contracts whose logs are read. Not every one needs to emit one of the events. */
  addresses: readonly Address[];
  /** First topics (event signatures) of the events. */
  topics: readonly Hex[];
  /** True if some events name the caller instead of the shares' owner: the Router's executor instead of the user. */
  namesCaller?: boolean;
  /** Transfers of `token` to `receivers` that are read too. Absent: none. */
  received?: { token: Address; receivers: readonly Address[] };
  /** Number that grows when `decode` reads the same logs in another way, so that they are read again. Absent: 0. */
  revision?: number;
  /** Decodes one log, or returns null if it does not count as a deposit into or withdrawal from this vault. */
  decode(log: Pick<Log, "address" | "topics" | "data">): VaultFlow | null;
}

/**
 * A user's open asynchronous deposits into one vault: amounts that await settlement, and amounts that are ready to
 * claim. An amount is null if it is unknown, for example because a view failed or does not exist.
 */
export interface PendingDeposit {
  /** Assets that await settlement, in the asset's smallest unit. */
  pendingAssets: bigint | null;
  /** Shares that are settled and ready to claim, in the share token's smallest unit. */
  claimableShares: bigint | null;
  /** Assets that were deposited for the claimable shares, in the asset's smallest unit. */
  claimableAssets: bigint | null;
  /**
   * Assets of cancelled requests that the user can claim back now, which `pendingAssets` includes, in the asset's
   * smallest unit. Absent if there are none.
   */
  returnedAssets?: bigint;
  /** True if the vault rejected all of the known requests. */
  rejected?: boolean;
  /** Those of the known request ids whose requests are open. Absent if not read. */
  openIds?: readonly string[];
  /**
   * Assets that the vault's events count as deposited although their shares are not claimed yet, and the time of the
   * last of these events in unix seconds, 0 if none is known. Absent if not read.
   */
  booked?: { assets: bigint | null; at: number };
}

/**
 * A deposit request found in a transaction receipt. `requestId` is null if the request has none. `assets` is in the
 * asset's smallest unit, or null if unknown, for example because the request pays in another token.
 */
export interface SubmittedRequest {
  requestId: string | null;
  assets: bigint | null;
}

/** Asynchronous deposits of a vault family, such as ERC-7540 requests: how to read, claim and recognise them. */
export interface AsyncDeposits {
  /**
   * Returns a query for a user's open deposits. `requestIds` are the ids of the requests known so far, for families
   * that cannot list requests by account.
   */
  pending(vault: Vault, of: { user: Address; requestIds: readonly string[] }): Query<PendingDeposit>;
  /**
   * Encodes the user's call that claims the claimable shares of `pending` or, without any, its returned assets. Null if
   * nothing is known to be claimable or settlement itself sends the shares.
   */
  claim(vault: Vault, of: { user: Address; pending: PendingDeposit }): DepositClaimCall | null;
  /** True if the vault takes no further deposit while a request of the account is not settled. Absent means false. */
  oneAtATime?: true;
  /** True if settlement itself sends the shares, so that the user claims nothing. */
  sendsUnclaimed?: true;
  /** Finds the user's first request in a successful receipt's logs, by one of the entry point; null if there is none. */
  findRequest(vault: Vault, seen: { user: Address; logs: readonly Log[] }): SubmittedRequest | null;
  /**
   * Returns the shares that the user received in a successful receipt in which the vault's own event shows that a
   * request of the user was claimed or settled; otherwise null. Only families with separate requests compare the id.
   */
  findClaim(
    vault: Vault,
    seen: { user: Address; requestId: string | null; logs: readonly Log[] },
  ): DepositClaim | null;
  /**
   * Returns true if the vault's own event in a successful receipt shows that a request of the user was cancelled and
   * paid back. Only families with separate requests compare `requestId`; null is any. Absent if no such event is read.
   */
  findCancellation?(
    vault: Vault,
    seen: { user: Address; requestId: string | null; logs: readonly Log[] },
  ): boolean;
}

/**
 * The reads and calls of a vault family. An adapter does no I/O: it describes reads, interprets their results and
 * encodes calls. This allows the reads of many vaults to be batched.
 */
export interface VaultAdapter {
  /** Name of the family, which registry entries store as `adapter`. */
  readonly name: string;
  /** True if the family's contracts enforce no minimum deposit. */
  readonly noMinimum: boolean;
  /**
   * Validates the family's parameters of a registry entry. Throws an Error for an invalid one. Absent if the family
   * validates none.
   */
  checkParams?(vault: Vault): void;
  /** Returns how the position lens reads a user's share balance and its value in this vault. */
  lens(vault: Vault): LensVault;
  /**
   * Returns the value of `shares` in the asset's smallest unit, rounded down, from the raw word (`rate`) that a
   * position lens of kind `rate`, `report` or `pair` read. Null if the value is unknown. Absent in families whose lens
   * has none of these kinds.
   */
  toAssets?(vault: Vault, read: { shares: bigint; rate: bigint }): bigint | null;
  /**
   * Returns a query for whether the vault still uses the price contracts of its registry entry; that of an asset which
   * it no longer accepts counts as used. False also if unknown. Absent if the family does not check this.
   */
  pricingUnchanged?(vault: Vault): Query<boolean>;
  /** Returns a query for a vault's totals, share price and limits. `now` is in milliseconds since the epoch. */
  state(vault: Vault, now: number): Query<VaultState>;
  /** Returns a query for whether a vault is paused, and for its minimum deposit. */
  flags(vault: Vault): Query<VaultFlags>;
  /** Returns a query for the conditions of one deposit, such as its preview, limits, pause and permission. */
  terms(vault: Vault, request: TermsInput): Query<DepositTerms>;
  /** Encodes a deposit's contract call without checking its conditions. Throws if the call cannot express the input. */
  encode(vault: Vault, request: DepositInput): DepositCall;
  /** Explains revert data of the family's own errors, or returns null for any other error. */
  explain?(revert: Hex): ExplainedRevert | null;
  /** Returns the contracts and events that report the vault's deposits and withdrawals. */
  flows(vault: Vault): FlowSource;
  /**
   * Returns the vault's asynchronous deposits, or null if this vault has none: those at the entry point or, to read what
   * is pending, `anywhere`. Absent if no vault of the family has any.
   */
  asyncDeposits?(vault: Vault, at?: "anywhere"): AsyncDeposits | null;
  /** The family's withdrawals. Absent if they are not supported. */
  exits?: VaultExits;
  /**
   * True if the fee for instant withdrawals is read from the conditions of a withdrawal instead of the vault's state.
   */
  exitFeeInTerms?: true;
}

/** View function of a vault that returns an account or contract that governs the vault. */
export type RoleView = "owner" | "curator" | "governorAdmin" | "role_manager" | "management";

/** A vault family: vaults of one interface, and how they are read, derived and watched. */
export interface VaultFamily {
  /** The family's adapter, whose `name` identifies the family in registry entries. */
  adapter: VaultAdapter;
  /** The vault type that the API shows for the family's vaults. */
  type: VaultType;
  deriver: Deriver;
  /** Events of the family that report governance changes, in addition to the common ones. */
  governanceEvents?: readonly GovernanceEvent[];
  /**
   * The linked contract that governs the vault or its fees, and the signature of the vault's view function that returns
   * its address.
   */
  governanceLink?: { contract: "authority" | "feeManager"; view: string };
  /**
   * Returns a query for the vault's performance fee and management fee in the family's unit, for snapshots. Absent if
   * these do not store them.
   */
  feeRatesQuery?: (vault: Vault) => Query<FeeRates>;
  /**
   * Returns a query for the part of the profits that the vault keeps from its holders, as a fraction (1 is 100%). The
   * result is null if unknown. Absent if it is not read.
   */
  profitFeeQuery?: (vault: Vault) => Query<number | null>;
  /**
   * Returns a query for the part of its assets that the vault takes from its holders in a year, as a fraction (1 is
   * 100%), such as a management fee. The result is null if unknown. Absent if it is not read.
   */
  yearlyFeeQuery?: (vault: Vault) => Query<number | null>;
  /** Returns a query for the vault's timelock in seconds; the result is null if unknown. Absent if it is not read. */
  timelockQuery?: (vault: Vault) => Query<bigint | null>;
  /**
   * View functions that return who governs the family's vaults, in groups of alternatives: of each group, a vault has
   * one. Absent if none is known.
   */
  roleViews?: readonly (readonly RoleView[])[];
  /**
   * True if a `maxRedeem` below a holder's balance counts as a lack of liquidity in those of the family's vaults that
   * only have instant withdrawals.
   */
  instantWithdrawals?: true;
}
