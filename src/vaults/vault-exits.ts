import { type Address, erc20Abi, type Hex, isAddressEqual, type Log, parseEventLogs } from "viem";
import type { Query } from "../chains/chain-query.ts";
import type { Token, Vault } from "./vault.ts";
import type { ExplainedRevert } from "./vault-reverts.ts";

/**
 * How a vault pays a withdrawal. `instant`: in the transaction that redeems; `request`: the owner requests, and the vault
 * pays or lets the owner claim after it settles; `cooldown`: the owner starts a fixed wait and then claims.
 */
export type ExitMode = "instant" | "request" | "cooldown";

/** Input of a withdrawal: mode, token paid out, shares, owner, caller, receiver and minimum assets. */
export interface ExitInput {
  mode: ExitMode;
  /** Token that the vault pays; one of its exit tokens. */
  token: Token;
  /** Shares to redeem, in the share token's smallest unit. */
  shares: bigint;
  /** The account whose shares are redeemed. */
  owner: Address;
  /**
   * Account that the vault sees as `msg.sender`: the owner, or null for the executor that the Router creates for each
   * order. The executor then holds the shares; its address is not known in advance.
   */
  caller: Address | null;
  /** Account that receives the token, or null for the executor that calls the vault and pays out afterwards. */
  receiver: Address | null;
  /** Minimum output in `token`'s smallest unit. Only some families' functions take it. */
  minAssets: bigint;
  /** `ExitTerms.variant` of the preceding read, for families whose call depends on the vault's state. */
  variant?: string | null;
  /** Slippage of the withdrawal as a fraction, for families whose call takes a maximum loss; 0.005 if absent. */
  slippage?: number;
}

/** Input for reading the conditions of a withdrawal, before its minimum assets are known. */
export interface ExitTermsInput extends Omit<ExitInput, "minAssets" | "variant"> {
  /** Current time in unix milliseconds, for locks, windows and daily limits. */
  now: number;
}

/**
 * A reason why a vault would reject a withdrawal, from its view functions. `mode_unsupported`: the vault does not
 * currently pay withdrawals in this mode.
 */
export type ExitRefusal =
  | "mode_unsupported"
  | "not_allowed"
  | "share_locked"
  | "exits_paused"
  | "no_liquidity"
  | "cooldown"
  | "request_pending"
  | "price_stale"
  | "token_unsupported";

/**
 * The conditions of one withdrawal, read from the vault's views before it is built. Amounts of assets are in the smallest
 * unit of the token paid out, amounts of shares in the share token's; null if unknown.
 */
export interface ExitTerms {
  /**
   * Token that the vault names on chain, or null if the read failed or it names contracts other than the registry's.
   */
  asset: Address | null;
  /** Shares that the owner can redeem in total, including those that the call itself claims first. */
  heldShares: bigint | null;
  /** Shares that the vault would redeem now. Only a hint; null if the family's view function is unreliable. */
  maxShares: bigint | null;
  minShares: bigint | null;
  /**
   * Proceeds of the shares now, after exit fees. For a request that is priced later, an estimate at the current price.
   */
  previewAssets: bigint | null;
  /** Revert data of the preview, or null if it did not revert or returned no data. */
  previewRevert: Hex | null;
  /** Value of the shares before exit fees. */
  grossAssets: bigint | null;
  /** Assets that the vault can pay instantly, if its view functions show them. */
  availableAssets: bigint | null;
  /** Time at which the price is fixed: in this transaction, or when the vault settles. */
  priced: "now" | "later";
  /** Earliest time at which a lock of the owner's shares ends, in unix seconds. */
  lockedUntil: number | null;
  /** Earliest payment time of a request made now, in unix seconds, or null if the contract does not provide it. */
  earliest: number | null;
  /** Expiry of a request made now, in unix seconds, or null if it does not expire. */
  expiresAt: number | null;
  /** Amount that is paid instantly if the rest is queued, or null if the payment is not split. */
  paidNow: bigint | null;
  paused: boolean;
  refusal: ExitRefusal | null;
  /** Variant of the family's call for the vault's current state, for `encode`. Null if the family has only one. */
  variant: string | null;
}

/** Exit conditions with all values unknown, for families to override. */
export const unknownExitTerms: ExitTerms = {
  ...{ asset: null, heldShares: null, maxShares: null, minShares: null },
  ...{ previewAssets: null, previewRevert: null, grossAssets: null, availableAssets: null },
  ...{ priced: "now", lockedUntil: null, earliest: null, expiresAt: null, paidNow: null },
  ...{ paused: false, refusal: null, variant: null },
};

/** Contract call that redeems or requests, in a step of the Router or in the owner's own transaction. */
export interface ExitCall {
  target: Address;
  data: Hex;
  /** Contract that takes the shares by allowance of the caller, or null if the call needs no allowance. */
  spender: Address | null;
  /** Byte offset of the shares in `data`, or null if the call redeems the caller's whole balance. */
  sharesOffset: number | null;
  /** Factor that converts shares in the share token's smallest unit to the unit that the call expects. */
  sharesScale: bigint;
  /**
   * Byte offsets of words in `data` that name the caller, which the Router replaces by its executor's address: an owner
   * argument, and the receiver if the input has none.
   */
  selfOffsets: readonly number[];
  /** The account that the token is paid to. */
  paysTo: "receiver" | "caller";
  /** `native`: the call itself enforces the minimum assets. `none`: only the Router does, if it makes the call. */
  minAssets: "native" | "none";
  tokenOut: Address;
  /** True if the call only requests the withdrawal. */
  async: boolean;
}

/** An open redemption of a user: requested and not yet paid, or ready to be claimed. Null amounts are unknown. */
export interface PendingExit {
  /** The family's id of the request: a number, a timestamp, a hash or a date; "0" for unnumbered requests. */
  requestId: string;
  mode: "request" | "cooldown";
  /** Shares of the request, in the share token's smallest unit. */
  shares: bigint | null;
  /** Amount that the request pays, in the smallest unit of `token`; an estimate until it is priced. */
  assets: bigint | null;
  /** True once the assets no longer change. */
  priced: boolean;
  token: Address;
  state: "pending" | "claimable" | "rejected" | "expired";
  /** Assets that can be claimed now. */
  claimableAssets: bigint | null;
  /** Shares whose assets can be claimed now, or that can be claimed back. */
  claimableShares: bigint | null;
  /** Kind of what a claim pays: assets, or the shares of a cancelled request. */
  pays: "assets" | "shares";
  /** Times in unix seconds, or null if the chain does not provide them. */
  since: number | null;
  earliest: number | null;
  expiresAt: number | null;
  /** True if the user can cancel the request now. */
  cancellable: boolean;
  /** True if the shares are still in the user's wallet and therefore part of the balance. */
  inWallet: boolean;
  /**
   * True if the vault emits its withdrawal event at the request, so that the flows count `assets` before the payment.
   */
  bookedOut: boolean;
}

/** An open redemption with all values unknown, for families to override. */
export const unknownPendingExit: Omit<PendingExit, "token"> = {
  ...{ requestId: "0", mode: "request", shares: null, assets: null, priced: false, state: "pending" },
  ...{ claimableAssets: null, claimableShares: null, since: null, earliest: null, expiresAt: null },
  ...{ pays: "assets", cancellable: false, inWallet: false, bookedOut: false },
};

/** The owner's call that claims or cancels a request. */
export interface ExitFollowUp {
  target: Address;
  data: Hex;
}

/**
 * Withdrawals of a vault family: its modes, conditions, calls and requests. Like the adapter, it does no I/O: it
 * describes reads, interprets their results and encodes calls.
 */
export interface VaultExits {
  /** Returns the withdrawal modes of this vault, the preferred one of `auto` first. Empty if it supports none. */
  modes(vault: Vault): readonly ExitMode[];
  /** Returns the tokens that the vault can pay in a mode, its asset first. */
  tokens(vault: Vault, mode: ExitMode): readonly Token[];
  /** Returns true if the family's rules allow an executor of the Router to hold and redeem the shares in a mode. */
  viaRouter(vault: Vault, mode: ExitMode): boolean;
  /** Returns a query for the conditions of one withdrawal. */
  terms(vault: Vault, request: ExitTermsInput): Query<ExitTerms>;
  /**
   * Returns a query for a sample of shares: their value and their proceeds after the fees of redeeming now, in the
   * asset's smallest unit. Null if redeeming now is impossible. Absent if it never costs a fee or is never possible.
   */
  exitPrice?(vault: Vault): Query<{ gross: bigint; net: bigint } | null>;
  /** Encodes the redemption or the request, without checking its conditions. */
  encode(vault: Vault, request: ExitInput): ExitCall;
  /** Maps revert data of the family's own withdrawal errors to an error code, or returns null for other errors. */
  explain?(revert: Hex): ExplainedRevert | null;
  /**
   * Returns a query for a user's open redemptions. `requestIds` are those known from receipts and logs, for families that
   * cannot list requests by account (`findsByIds`). Absent if every withdrawal of the family is instant.
   */
  pending?(
    vault: Vault,
    of: { user: Address; requestIds: readonly string[]; now: number },
  ): Query<readonly PendingExit[]>;
  /** True if `pending` finds only requests whose ids it is given. */
  findsByIds?: true;
  /**
   * Returns a query for the assets that a user's flows with request ids have taken out of the vault, in the asset's
   * smallest unit, or null if unknown: the payments, and the amounts that the flows count for open requests and
   * `bookedOut` adds back. Absent if the family's flows have no request ids.
   */
  takenOut?(vault: Vault, of: { user: Address; flows: readonly RequestFlow[] }): Query<bigint | null>;
  /**
   * Returns a query for a sentence about rewards that the holder has to claim separately, or null if there are none.
   * Absent if no view function of the family shows them.
   */
  rewards?(vault: Vault): Query<string | null>;
  /** Encodes the claim of a claimable redemption, or returns null if the vault pays without a claim. */
  claim?(vault: Vault, of: { user: Address; request: PendingExit }): ExitFollowUp | null;
  /** Encodes the cancellation of an open redemption, or returns null if the family does not support it. */
  cancel?(vault: Vault, of: { user: Address; request: PendingExit }): ExitFollowUp | null;
  /** Finds the user's redemption request in the logs of a successful receipt, or returns null if there is none. */
  findRequest?(vault: Vault, seen: { user: Address; logs: readonly Log[] }): ExitRequestSeen | null;
  /**
   * Returns how a receipt's logs settle a redemption request of the user: a claim, a payment by the vault, a rejection
   * or a cancellation. Returns null if they settle none of the requests.
   */
  findSettlement?(
    vault: Vault,
    seen: { user: Address; requestId: string; logs: readonly Log[] },
  ): ExitSettlement | null;
}

/** A flow of a redemption request in the vault's events: the request, or a deposit that cancels it. */
export interface RequestFlow {
  kind: "deposit" | "withdrawal";
  requestId: string;
  /** Amount in the asset's smallest unit, never negative; null if the event does not contain it. */
  assets: bigint | null;
}

/** A redemption request found in a receipt. */
export interface ExitRequestSeen {
  /** Id of the request, or null if the family does not number requests. */
  requestId: string | null;
  /** Shares of the request, in the share token's smallest unit. */
  shares: bigint | null;
}

/** End of a redemption request or of a part of it, as a receipt shows it. */
export interface ExitSettlement {
  outcome: "paid" | "rejected" | "cancelled";
  /** Paid amount, in the smallest unit of the token paid out. */
  assets: bigint | null;
  /** Shares that were paid or returned; null or absent if unknown, or for the whole request. */
  shares?: bigint | null;
}

/** Returns the amounts of a token that transfers in a receipt's logs paid to an account. */
export function paidTo(logs: readonly Log[], of: { token: Address; receiver: Address }): bigint[] {
  const own = logs.filter(({ address }) => isAddressEqual(address, of.token));
  return parseEventLogs({ abi: erc20Abi, eventName: "Transfer", logs: own })
    .filter(({ args }) => isAddressEqual(args.to, of.receiver))
    .map(({ args }) => args.value);
}
