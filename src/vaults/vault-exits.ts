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
  /** One of the vault's exit tokens. */
  token: Token;
  /** In the share token's smallest unit. */
  shares: bigint;
  /** The account whose shares are redeemed. */
  owner: Address;
  /**
   * The account that the vault sees as `msg.sender`: the owner, or null for the executor that the Router creates for
   * each order, which then holds the shares and whose address is not known in advance.
   */
  caller: Address | null;
  /** The account that receives the token, or null for the caller's executor, which passes it on. */
  receiver: Address | null;
  /** Minimum in `token`'s smallest unit. Only some families' calls take it. */
  minAssets: bigint;
  /** `ExitTerms.variant` as read before, for families whose call depends on the vault's state. */
  variant?: string | null;
  /** Largest loss that the user accepts, a fraction, for families whose call takes one; 0.005 if absent. */
  slippage?: number;
}

/** Input for reading the conditions of a withdrawal, before its minimum assets are known. */
export interface ExitTermsInput extends Omit<ExitInput, "minAssets" | "variant"> {
  /** Current time in milliseconds since the epoch, for locks, windows and daily limits. */
  now: number;
}

/**
 * A reason why a vault would reject a withdrawal, as its own views show. `mode_unsupported`: the vault pays withdrawals,
 * but at present not in this mode.
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
  /** The token that the vault names on-chain, or null if the read failed or names other contracts than the registry. */
  asset: Address | null;
  /** Shares that the owner can redeem at all, those included that the call itself claims first. */
  heldShares: bigint | null;
  /** Shares that the vault would redeem now. A hint; null where the family's own view says nothing true. */
  maxShares: bigint | null;
  minShares: bigint | null;
  /** What the shares would pay now, after exit fees. For a request priced later: an estimate at today's price. */
  previewAssets: bigint | null;
  /** Revert data of the preview, or null if it did not revert or returned no data. */
  previewRevert: Hex | null;
  /** What the shares are worth before exit fees. */
  grossAssets: bigint | null;
  /** Assets that the vault can pay at once, where the views tell. */
  availableAssets: bigint | null;
  /** When the price is fixed: by this transaction, or when the vault settles. */
  priced: "now" | "later";
  /** Earliest time at which a lock of the owner's shares ends, in unix seconds. */
  lockedUntil: number | null;
  /** Earliest time at which a request made now can be paid, in unix seconds, where the contract says it. */
  earliest: number | null;
  /** Time at which a request made now expires, in unix seconds, or null if it does not. */
  expiresAt: number | null;
  /** What is paid at once where the rest is queued, or null where nothing is split. */
  paidNow: bigint | null;
  paused: boolean;
  refusal: ExitRefusal | null;
  /** Which of the family's calls the vault's state asks for; passed to `encode`. Null if the family has only one. */
  variant: string | null;
}

/** Terms of which nothing is known, for families to fill. */
export const unknownExitTerms: ExitTerms = {
  ...{ asset: null, heldShares: null, maxShares: null, minShares: null },
  ...{ previewAssets: null, previewRevert: null, grossAssets: null, availableAssets: null },
  ...{ priced: "now", lockedUntil: null, earliest: null, expiresAt: null, paidNow: null },
  ...{ paused: false, refusal: null, variant: null },
};

/** The contract call that redeems shares or requests it, in a step of the Router or in the owner's own transaction. */
export interface ExitCall {
  target: Address;
  data: Hex;
  /** The contract that pulls the shares by allowance of the caller, or null if the call needs none. */
  spender: Address | null;
  /** Byte offset in `data` of the shares, or null if the call takes all that the caller holds. */
  sharesOffset: number | null;
  /** Factor that converts shares in the share token's smallest unit to the unit that the call expects. */
  sharesScale: bigint;
  /**
   * Byte offsets in `data` of words that name the caller itself, which the Router overwrites with its executor's address:
   * an owner argument, and the receiver where it is null in the input.
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

/** An open redemption of a user: requested and not yet paid, or ready to claim. Null amounts are unknown. */
export interface PendingExit {
  /** The family's id of the request: a number, a timestamp, a hash or a date; "0" for what has no number. */
  requestId: string;
  mode: "request" | "cooldown";
  /** In the share token's smallest unit. */
  shares: bigint | null;
  /** What it pays or will pay, in the smallest unit of `token`; an estimate until it is priced. */
  assets: bigint | null;
  /** True once the assets no longer change. */
  priced: boolean;
  token: Address;
  state: "pending" | "claimable" | "rejected" | "expired";
  /** Assets that can be claimed now. */
  claimableAssets: bigint | null;
  /** Shares whose assets can be claimed now. */
  claimableShares: bigint | null;
  /** Times in unix seconds, or null if the chain does not say them. */
  since: number | null;
  earliest: number | null;
  expiresAt: number | null;
  /** True if the user can take the request back now. */
  cancellable: boolean;
  /** True if the shares are still in the user's wallet, so that the balance has them already. */
  inWallet: boolean;
  /** True if the vault reports the withdrawal of `assets` when it is requested, so that its flows count it unpaid. */
  bookedOut: boolean;
}

/** A redemption request of which nothing but its existence is known, for families to fill. */
export const unknownPendingExit: Omit<PendingExit, "token"> = {
  ...{ requestId: "0", mode: "request", shares: null, assets: null, priced: false, state: "pending" },
  ...{ claimableAssets: null, claimableShares: null, since: null, earliest: null, expiresAt: null },
  ...{ cancellable: false, inWallet: false, bookedOut: false },
};

/** A call of the owner's own that claims or cancels a request. */
export interface ExitFollowUp {
  target: Address;
  data: Hex;
}

/**
 * The way out of a vault family: its modes, conditions, calls and requests. Like the adapter it does no I/O: it describes
 * reads, interprets their results and encodes calls.
 */
export interface VaultExits {
  /** Returns how this vault can pay, the one that `auto` prefers first. Empty if no way out is known for it. */
  modes(vault: Vault): readonly ExitMode[];
  /** Returns the tokens that the vault pays out in a mode, the asset first where it is one of them. */
  tokens(vault: Vault, mode: ExitMode): readonly Token[];
  /** True if an executor of the Router may hold the shares and redeem them in a mode, as far as the family's rules say. */
  viaRouter(vault: Vault, mode: ExitMode): boolean;
  /** Returns a query for the conditions of one withdrawal. */
  terms(vault: Vault, request: ExitTermsInput): Query<ExitTerms>;
  /**
   * Returns a query for a sample of shares: what they are worth, and what they pay after the fees of leaving now, in the
   * asset's smallest unit. Null if leaving now is impossible. Absent if leaving now costs nothing, or never is possible.
   */
  exitPrice?(vault: Vault): Query<{ gross: bigint; net: bigint } | null>;
  /** True if a redemption may realise losses that `previewRedeem` leaves out; its call then takes the largest one. */
  takesLoss?: true;
  /** Encodes the redemption or the request. Does not check its conditions. */
  encode(vault: Vault, request: ExitInput): ExitCall;
  /** Maps revert data of the family's own errors of withdrawals to an error code, or returns null for any other error. */
  explain?(revert: Hex): ExplainedRevert | null;
  /**
   * Returns a query for a user's open redemptions. `requestIds` are those known from receipts and logs, for families that
   * cannot list requests by account (`findsByIds`). Absent if every withdrawal of the family is instant.
   */
  pending?(
    vault: Vault,
    of: { user: Address; requestIds: readonly string[]; now: number },
  ): Query<readonly PendingExit[]>;
  /** True if `pending` finds no request whose id it is not given. */
  findsByIds?: true;
  /**
   * Returns a query for a sentence about rewards that the vault pays apart from the shares, for the holder to claim, or
   * null if it pays none. Absent if no view of the family tells.
   */
  rewards?(vault: Vault): Query<string | null>;
  /** Encodes the claim of a claimable redemption, or returns null if the vault pays it by itself. */
  claim?(vault: Vault, of: { user: Address; request: PendingExit }): ExitFollowUp | null;
  /** Encodes the cancellation of an open redemption, or returns null if the family has none. */
  cancel?(vault: Vault, of: { user: Address; request: PendingExit }): ExitFollowUp | null;
  /** Finds the user's redemption request in the logs of a successful receipt, or returns null if there is none. */
  findRequest?(vault: Vault, seen: { user: Address; logs: readonly Log[] }): ExitRequestSeen | null;
  /**
   * Finds what a redemption request of the user paid, among the logs of a receipt: a claim, a payment by the vault, a
   * rejection or a cancellation. Returns null if the logs settle none of the requests.
   */
  findSettlement?(
    vault: Vault,
    seen: { user: Address; requestId: string; logs: readonly Log[] },
  ): ExitSettlement | null;
}

/** A redemption request found in a receipt. */
export interface ExitRequestSeen {
  /** Null if the family does not number requests. */
  requestId: string | null;
  /** In the share token's smallest unit. */
  shares: bigint | null;
}

/** How a redemption request ended, as a receipt shows. `assets` are in the smallest unit of the token paid out. */
export interface ExitSettlement {
  outcome: "paid" | "rejected" | "cancelled";
  assets: bigint | null;
}

/** Returns the amounts of a token that the transfers among the logs of a receipt brought to an account. */
export function paidTo(logs: readonly Log[], of: { token: Address; receiver: Address }): bigint[] {
  const own = logs.filter(({ address }) => isAddressEqual(address, of.token));
  return parseEventLogs({ abi: erc20Abi, eventName: "Transfer", logs: own })
    .filter(({ args }) => isAddressEqual(args.to, of.receiver))
    .map(({ args }) => args.value);
}
