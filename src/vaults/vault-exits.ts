import { type Address, erc20Abi, type Hex, isAddressEqual, type Log, parseEventLogs } from "viem";
import type { Query, Read } from "../chains/chain-reads.ts";
import type { Token, Vault } from "./vault.ts";
import type { RequestFlow } from "./vault-request-flow.ts";
import type { ExplainedRevert } from "./vault-reverts.ts";

/**
 * How a vault pays a withdrawal. `instant`: in the transaction that redeems. `request`: after it settles the owner's
 * request, but some vaults pay what is liquid at once. `cooldown`: when the owner claims after a wait.
 */
export type ExitMode = "instant" | "request" | "cooldown";

/** Input of the call that redeems shares or requests their redemption. */
export interface ExitInput {
  mode: ExitMode;
  /** The token that the vault pays; one of its exit tokens. */
  token: Token;
  /** Shares to redeem, in the share token's smallest unit. */
  shares: bigint;
  /** The account whose shares are redeemed. */
  owner: Address;
  /**
   * The account that the vault sees as `msg.sender`: the owner, or null for the Router's executor, which then holds the
   * shares. The executor's address is not known in advance.
   */
  caller: Address | null;
  /** The account that receives the token, or null for the executor, which pays it out afterwards. */
  receiver: Address | null;
  /** Minimum output in `token`'s smallest unit. Only the calls of some families take it. */
  minAssets: bigint;
  /** `ExitTerms.variant` of the preceding read, for families whose call depends on the vault's state. */
  variant?: string | null;
  /** Slippage of the withdrawal as a fraction, for families whose call takes a maximum loss; 0.005 if absent. */
  slippage?: number;
}

/** Input for reading the conditions of a withdrawal, before its minimum output is known. */
export interface ExitTermsInput extends Omit<ExitInput, "minAssets" | "variant"> {
  /** Current time in unix milliseconds, for conditions that depend on it. */
  now: number;
}

/** Why a vault's views say that it would reject a withdrawal. */
export type ExitRefusal =
  // The vault pays no withdrawals in this mode now.
  | "mode_unsupported"
  // The account may not redeem.
  | "not_allowed"
  | "share_locked"
  | "exits_paused"
  // The vault holds too few assets.
  | "no_liquidity"
  | "cooldown"
  // An earlier request or its cancellation must end first.
  | "request_pending"
  // The vault's price is out of date or not trusted.
  | "price_stale"
  // The vault does not pay this token.
  | "token_unsupported";

/**
 * The conditions of one withdrawal, read from the vault's views. Amounts of assets are in the smallest unit of the
 * token paid, amounts of shares in the share token's; null if unknown.
 */
export interface ExitTerms {
  /**
   * The asset that the vault names on chain, or the requested token if the chain shows how the vault treats it (see
   * `refusal`). Null if unknown or, where this is checked, if the vault names other contracts than the registry entry.
   */
  asset: Address | null;
  /** The owner's shares, including those that the call itself claims first. */
  heldShares: bigint | null;
  /**
   * Largest number of shares that the vault would redeem or take a request for now, which may be cut to the requested
   * ones. Null if unknown; some families also return null if it does not limit this withdrawal. Only a hint.
   */
  maxShares: bigint | null;
  /** Smallest number of shares that the vault redeems or takes a request for: null if unknown, 0 or null if none. */
  minShares: bigint | null;
  /** Payment for the shares after exit fees; for a request that is priced later, an estimate at the current price. */
  previewAssets: bigint | null;
  /** Revert data of the preview, or of a price that it needs; null if none is known or if the family ignores it. */
  previewRevert: Hex | null;
  /** Value of the shares before exit fees. */
  grossAssets: bigint | null;
  /**
   * Assets that the vault can pay instantly, or a limit of its own on payments, in some families also for requests.
   * Null if unknown; some families also return null if they do not limit this withdrawal. Only a hint.
   */
  availableAssets: bigint | null;
  /** Assets that the contract which pays holds: no limit, but they explain a revert without a reason. Absent: unread. */
  payerAssets?: bigint | null;
  /** When the price is fixed: `now`, `later` (at settlement, or unknown), `recorded` (at request; less may be paid). */
  priced: "now" | "recorded" | "later";
  /** Time at which a lock ends that stops this withdrawal, in unix seconds, or null if none is known. */
  lockedUntil: number | null;
  /** Earliest time at which a request made now is paid or claimable, in unix seconds; null if unknown or instant. */
  earliest: number | null;
  /** Time at which a request made now expires, in unix seconds, or null if none is known. */
  expiresAt: number | null;
  /** Estimate of the part that is paid at once if the vault queues the rest; null if unknown or never split. */
  paidNow: bigint | null;
  /** True if on-chain data show that such withdrawals are switched off; false also if unknown. */
  paused: boolean;
  /** True if a holder's `maxRedeem` is 0 and the views suggest that the vault is closed, not illiquid. Only a hint. */
  closed: boolean;
  /** True if the market that the vault takes its assets from is paused. Absent: not, or unknown. */
  halted?: true;
  /** Why the vault would reject the withdrawal, or null if no reason is known. Fields like `paused` may show others. */
  refusal: ExitRefusal | null;
  /** Variant for the vault's current state, as `encode` and `paysUnclaimed` take it, or null. */
  variant: string | null;
}

/**
 * Default conditions of a withdrawal, which a family overrides with what it knows: all values unknown, priced now,
 * neither paused, closed nor refused.
 */
export const unknownExitTerms: ExitTerms = {
  ...{ asset: null, heldShares: null, maxShares: null, minShares: null },
  ...{ previewAssets: null, previewRevert: null, grossAssets: null, availableAssets: null },
  ...{ priced: "now", lockedUntil: null, earliest: null, expiresAt: null, paidNow: null },
  ...{ paused: false, closed: false, refusal: null, variant: null },
};

/**
 * The contract call that redeems shares or requests their redemption, either in a step of the Router or in the owner's
 * own transaction.
 */
export interface ExitCall {
  target: Address;
  data: Hex;
  /** The contract that takes the shares by an allowance from the caller; null if none is known to need one. */
  spender: Address | null;
  /** Byte offset of the shares in `data`, or null if the call redeems the caller's whole balance. */
  sharesOffset: number | null;
  /** Factor that converts shares in the share token's smallest unit to the unit that the call expects. */
  sharesScale: bigint;
  /**
   * Byte offsets of the words in `data` that the Router replaces with its executor's address: an owner argument, and
   * the receiver if the input has none. Empty for a call by the owner.
   */
  selfOffsets: readonly number[];
  /** The account that the token is paid to. */
  paysTo: "receiver" | "caller";
  /** What enforces the minimum of assets. `native`: the call itself. `none`: only the Router, if it makes the call. */
  minAssets: "native" | "none";
  /** The token that the vault pays, immediately or at settlement. */
  tokenOut: Address;
  /** True if the vault may pay later, because the call makes a request. */
  async: boolean;
}

/** A user's redemption: open, rejected, expired, or cancelled with shares to return. An amount is null if unknown. */
export interface PendingExit {
  /** Id of the request in the family's format; "0" if no id is used. */
  requestId: string;
  mode: "request" | "cooldown";
  /** Shares of the request, in the share token's smallest unit. */
  shares: bigint | null;
  /**
   * Payment of the request, in the smallest unit of `token`, or the value of the shares that it returns; an estimate
   * until it is priced.
   */
  assets: bigint | null;
  /** Value of `assets` in the vault's asset, in its smallest unit, if `token` is another one. Null if unknown. */
  value: bigint | null;
  /** True if the assets no longer change; false also if that is unknown. */
  priced: boolean;
  token: Address;
  /** `rejected`: the vault will not pay; `expired`: the time in which it could be paid or claimed is over. */
  state: "pending" | "claimable" | "rejected" | "expired";
  /** Why the vault refuses the claim of a pending request, apart from its wait. Absent if no reason is known. */
  refusal?: "exits_paused" | "not_allowed" | "price_unsafe" | "no_liquidity";
  /** Assets that can be claimed now. */
  claimableAssets: bigint | null;
  /** Shares whose assets can be claimed now, or that can be claimed back. */
  claimableShares: bigint | null;
  /** Token that a claim pays: assets, or the shares of a cancelled request. */
  pays: "assets" | "shares";
  /** Times of the request, its earliest payment and its expiry, in unix seconds; null if unknown or none. */
  since: number | null;
  earliest: number | null;
  expiresAt: number | null;
  /** True if the user may be able to cancel the request now. */
  cancellable: boolean;
  /** Time from which the request can be cancelled, in unix seconds. Absent if none is known. */
  cancellableAt?: number;
  /** True if the shares are still in the user's wallet and therefore part of the share balance. */
  inWallet: boolean;
  /** True if the flows or `takenOut` count the request as paid from when it is made, although it is not yet. */
  bookedOut: boolean;
  /** Time from which they count it, in unix seconds, or null if unknown. */
  bookedAt: number | null;
}

/**
 * Default values of an open redemption, which a family overrides with what it knows: a pending request with the id "0"
 * that cannot be cancelled, with unknown amounts and times.
 */
export const unknownPendingExit: Omit<PendingExit, "token"> = {
  ...{ requestId: "0", mode: "request", shares: null, assets: null, priced: false, state: "pending" },
  ...{ claimableAssets: null, claimableShares: null, since: null, earliest: null, expiresAt: null },
  ...{ value: null, pays: "assets", cancellable: false, inWallet: false, bookedOut: false, bookedAt: null },
};

/** Joins lists of open redemptions. Returns null if one of them could not be read. */
export function joinPending(lists: readonly (readonly PendingExit[] | null)[]): PendingExit[] | null {
  const known = lists.filter((list) => list !== null);
  return known.length === lists.length ? known.flat() : null;
}

/** The user's call that claims or cancels a redemption request. */
export type ExitFollowUp = Pick<ExitCall, "target" | "data">;

/**
 * The withdrawals of a vault family: modes, conditions, calls and requests. Like the adapter, this object does no I/O:
 * it describes reads, interprets their results and encodes calls.
 */
export interface VaultExits {
  /** Returns the withdrawal modes of this vault. Empty if withdrawals are not supported. */
  modes(vault: Vault): readonly ExitMode[];
  /** Returns the tokens that the vault may pay in a mode, by its registry entry; `terms` may show that it does not. */
  tokens(vault: Vault, mode: ExitMode): readonly Token[];
  /** Returns true if the Router's executor may hold and redeem the shares in a mode. */
  viaRouter(vault: Vault, mode: ExitMode): boolean;
  /** Returns a contract that may need an allowance of the owner's shares though `encode` names none; absent: null. */
  mayNeedAllowance?(vault: Vault, mode: ExitMode): Address | null;
  /** True if a request is made by the plain redemption, in which the vault pays what is liquid and queues the rest. */
  redeemQueues?: true;
  /** True if the shares of a request stay with the user until it is claimed. */
  keepsShares?: true;
  /** Returns a query for the conditions of one withdrawal. May throw an Error for a mode that `modes` lacks. */
  terms(vault: Vault, request: ExitTermsInput): Query<ExitTerms>;
  /**
   * Returns a query for a sample of shares: their value (`gross`) and the payment for redeeming them now, after fees
   * (`net`), in the asset's smallest unit; null if unknown or not instant, in some families also while nothing is paid.
   * `now` is in unix milliseconds. Absent if unread.
   */
  exitPrice?(vault: Vault, now: number): Query<{ gross: bigint; net: bigint } | null>;
  /** Encodes the redemption or request without checking its conditions. Throws if the call cannot express the input. */
  encode(vault: Vault, request: ExitInput): ExitCall;
  /** Explains revert data of the family's own withdrawal errors, or returns null for other errors. */
  explain?(revert: Hex): ExplainedRevert | null;
  /**
   * Returns a query for a user's open redemptions; the result is null if they cannot be read. `requestIds` are the ids
   * known from receipts and logs (see `findsByIds`), `now` is in unix milliseconds. Absent if the family has none.
   */
  pending?(
    vault: Vault,
    of: { user: Address; requestIds: readonly string[]; now: number },
  ): Query<readonly PendingExit[] | null>;
  /** Returns true if `pending` may find requests only by `requestIds`. If absent, it finds most without them. */
  findsByIds?(vault: Vault): boolean;
  /** Returns reads of the shares in a user's open requests; their sum shows if one replaces another. None: unchecked. */
  openShares?(vault: Vault, user: Address): readonly Read<bigint>[];
  /**
   * Returns a query for what a user's flows with request ids have taken out of the vault less what they have put in, in
   * the asset's smallest unit; null if unknown. It includes requests that count as paid already (`bookedOut`).
   */
  takenOut?(vault: Vault, of: { user: Address; flows: readonly RequestFlow[] }): Query<bigint | null>;
  /** Returns a query for the shares that the flows' deposit requests minted; null if unknown. Absent: flows have them. */
  mintedShares?(vault: Vault, flows: readonly RequestFlow[]): Query<bigint | null>;
  /** Returns the shares that a user's flows with request ids took from the wallet, with open requests; null if unknown. */
  takenShares?(vault: Vault, of: { user: Address; flows: readonly RequestFlow[] }): bigint | null;
  /** Returns a query for a sentence about rewards that the holder must claim separately; null if none are known. */
  rewards?(vault: Vault): Query<string | null>;
  /** Returns true if settled requests in this mode are usually paid without a claim. Absent means false. */
  paysUnclaimed?(mode: ExitMode, vault: Vault, variant?: string | null): boolean;
  /** Encodes the claim of a claimable redemption; null if nothing is known to be claimable or none is needed. */
  claim?(vault: Vault, of: { user: Address; request: PendingExit }): ExitFollowUp | null;
  /** Encodes a cancellation of an open redemption; null if it cannot be cancelled, now or ever. Absent means null. */
  cancel?(vault: Vault, of: { user: Address; request: PendingExit }): ExitFollowUp | null;
  /** Returns false if requests with the vault can never be cancelled. Absent means true where `cancel` is not absent. */
  cancels?(vault: Vault): boolean;
  /** True if only the call itself shows that an open request can no longer be cancelled. */
  cancelsUntold?: true;
  /** Returns true if a request moves `token`, or shares, when it is paid and none when it is cancelled. Absent: false. */
  cancelsUnseen?(requestId: string, token: string): boolean;
  /** True if a rejected request returns neither assets nor shares on chain. */
  keepsRejected?: true;
  /** Returns true if the shares of a cancelled request are returned by a later transaction. Absent means false. */
  returnsLater?(vault: Vault): boolean;
  /** Finds the user's redemption request in a successful receipt's logs; null if there is none. */
  findRequest?(vault: Vault, seen: { user: Address; logs: readonly Log[] }): ExitRequestSeen | null;
  /**
   * Finds in a receipt's logs how the user's redemption request was settled: paid, rejected or cancelled. Null if they do
   * not settle it. `requestLogs` are those of the transaction that made the request.
   */
  findSettlement?(
    vault: Vault,
    seen: { user: Address; requestId: string; logs: readonly Log[]; requestLogs: readonly Log[] },
  ): ExitSettlement | null;
  /** Finds a cancelled request of the user, of any id, in a receipt's logs: its shares were `returned`, or `kept`. */
  findCancellation?(vault: Vault, seen: { user: Address; logs: readonly Log[] }): "returned" | "kept" | null;
  /** Returns true if the vault may number its requests, but its settlements do not name them. Absent means false. */
  settlesUnnamed?(vault: Vault): boolean;
}

/** A redemption request found in a receipt. */
export interface ExitRequestSeen {
  /** Id of the request, "0" if no id is used. Null if the receipt does not show the id. */
  requestId: string | null;
  /** Shares of the request, in the share token's smallest unit, or null if unknown. */
  shares: bigint | null;
  /** Assets that the vault records for them, in the paid token's smallest unit. Absent if it records none. */
  assets?: bigint;
  /** Mode of the request. Absent if the receipt does not show it or the vault has one such mode. */
  mode?: PendingExit["mode"];
  /** The token that the vault will pay. Absent if the receipt does not show it or the vault pays one token. */
  token?: Address;
}

/** The end of a redemption request or of a part of it, as a receipt shows it. */
export interface ExitSettlement {
  outcome: "paid" | "rejected" | "cancelled";
  /** Amount paid, in the smallest unit of the token paid: 0 if nothing was paid, null if unknown. */
  assets: bigint | null;
  /** Shares that were paid or returned. Null or absent if unknown, or if they are those of the whole request. */
  shares?: bigint | null;
  /** True if `assets` are those of this request alone, whatever else is paid with it. Absent if that is unknown. */
  alone?: true;
  /** Shares of cancelled requests that the receipt shows as returned beside a payment. Absent if there are none. */
  returned?: bigint;
  /** True if this may be the payment of a part whose shares are unknown. Absent otherwise. */
  inParts?: true;
  /** True if the vault only announces the payment, so that it counts once the request is gone. Absent otherwise. */
  announced?: true;
  /** True if the vault numbers its requests, but these events name none. Absent otherwise; see `settlesUnnamed`. */
  unnamed?: true;
  /** Id of the open request that took the cancelled one's place and shares. Absent otherwise. */
  successor?: string;
}

/**
 * Returns the amounts of a receipt's ERC-20 `Transfer` events of a token to an account, from `sender` if it is given, in
 * log order and in the token's smallest unit. Empty if there are none, and always for the native currency.
 */
export function paidTo(
  logs: readonly Log[],
  of: { token: Address; receiver: Address; sender?: Address },
): bigint[] {
  const own = logs.filter(({ address }) => isAddressEqual(address, of.token));
  return parseEventLogs({ abi: erc20Abi, eventName: "Transfer", logs: own })
    .filter(({ args }) => isAddressEqual(args.to, of.receiver))
    .filter(({ args }) => isAddressEqual(args.from, of.sender ?? args.from))
    .map(({ args }) => args.value);
}
