import { type Address, encodeFunctionData, isAddressEqual, type Log, parseAbi, parseEventLogs } from "viem";
import {
  createQuery,
  mapQuery,
  type Query,
  queryAll,
  type ReadResults,
  read,
  valueOrNull,
} from "../../../chains/chain-reads.ts";
import { mulDivDown } from "../../../lib/amount.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import {
  type ExitCall,
  type ExitFollowUp,
  type ExitInput,
  type ExitRequestSeen,
  type ExitSettlement,
  type ExitTerms,
  type ExitTermsInput,
  type PendingExit,
  unknownExitTerms,
  unknownPendingExit,
  type VaultExits,
} from "../../vault-exits.ts";
import { claimFor } from "../../vault-log-arguments.ts";
import { conversionPrice, conversionReads } from "./erc7540-base.ts";
import {
  ANY_REQUEST,
  openShares,
  type PartsById,
  requestParts,
  sumOfParts,
} from "./erc7540-request-parts.ts";
import { findCancellation } from "./erc7540-returned-shares.ts";
import {
  NOTHING_CANCELLED,
  type OwnRequests,
  RETURNED_SHARES,
  returnedSharesClaim,
} from "./erc7887-cancellations.ts";

const redeemAbi = once(() =>
  parseAbi([
    "function balanceOf(address) view returns (uint256)",
    "function convertToAssets(uint256) view returns (uint256)",
    "function requestRedeem(uint256 shares, address controller, address owner) returns (uint256 requestId)",
    "function redeem(uint256 shares, address receiver, address controller) returns (uint256 assets)",
    "function maxWithdraw(address controller) view returns (uint256)",
  ]),
);
const eventsAbi = once(() =>
  parseAbi([
    "event RedeemRequest(address indexed controller, address indexed owner, uint256 indexed requestId, address sender, uint256 shares)",
    "event RedeemRequested(address indexed controller, address indexed owner, uint256 requestId, address sender, uint256 shares)",
    "event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)",
    "event RedeemClaimable(address indexed controller, uint256 indexed requestId, uint256 assets, uint256 shares)",
  ]),
);
/** Byte offset of the shares in the calldata of `requestRedeem`: the first word after the selector. */
const SHARES_OFFSET = 4;

/** State of a user's requests that the view functions of ERC-7540 do not return. */
export interface UnshownRequests extends OwnRequests {
  /**
   * Assets of settled requests that the vault does not show while the user may not claim them, in the asset's smallest
   * unit. Absent if there are none.
   */
  barred?: bigint;
  /**
   * Fee that the vault takes of a pending request when it settles it, in basis points, or null if unknown. Absent if it
   * takes none.
   */
  exitFeeBps?: bigint | null;
}

/** Deviations of an ERC-7540 vault family's withdrawals from the standard. An omitted flag counts as false. */
export interface Erc7540ExitOptions {
  /** Returns a query for the family's own view functions, whose results override those of the standard ones. */
  views?(vault: Vault, request: ExitTermsInput): Query<Partial<ExitTerms>>;
  /**
   * Returns a query for what the standard's views do not show of a user's requests, such as cancellations; null if it
   * cannot be read. Absent if they show all.
   */
  requests?(vault: Vault, of: { user: Address; now: number }): Query<UnshownRequests | null>;
  /**
   * Encodes the family's own claim instead of `redeem(shares, receiver, controller)`, or returns null if nothing is
   * known to be claimable.
   */
  claim?(vault: Vault, of: { user: Address; request: PendingExit }): ExitFollowUp | null;
  /** Encodes the cancellation of a pending request that is `cancellable`. Absent if the family does not support it. */
  cancel?(vault: Vault, of: { user: Address; request: PendingExit }): ExitFollowUp | null;
  /**
   * True if the vault may number its requests. Those with a known id are then read by it, and the claimable assets are
   * distributed to them by their shares.
   */
  numbered?: true;
  /** Explains revert data of the family's own withdrawal errors, or returns null for other errors. */
  explain?: VaultExits["explain"];
  /** True if a vault of the family may replace a user's open request by the next one, so that its shares are lost. */
  replaces?: true;
}

const onVault = (vault: Vault) => ({ to: vault.entryPoint, abi: redeemAbi() }) as const;

/**
 * Creates the withdrawal part of an ERC-7540 family's adapter: a request, which the owner must send directly (not
 * through the Router), then a claim. What a new request will pay is an estimate. Source: EIP-7540.
 */
export function erc7540Exits(options: Erc7540ExitOptions = {}): VaultExits {
  const { explain } = options;
  return {
    modes: () => ["request"],
    tokens: (vault) => [vault.asset],
    viaRouter: () => false,
    terms: (vault, request) => requestTerms(vault, { request, options }),
    encode: (vault, request) => requestCall(vault, request),
    ...(explain === undefined ? {} : { explain }),
    ...(options.numbered && { findsByIds: () => true, settlesUnnamed: () => true }),
    pending: (vault, of) => describePending(vault, { ...of, options }),
    ...(options.replaces === true && { openShares }),
    claim: (vault, of) =>
      of.request.requestId === RETURNED_SHARES
        ? returnedSharesClaim(vault, of)
        : (options.claim ?? claimCall)(vault, of),
    cancel: (vault, of) => (of.request.cancellable ? (options.cancel?.(vault, of) ?? null) : null),
    findRequest: (vault, seen) => findRedeemRequest(vault, { ...seen, numbered: options.numbered === true }),
    findSettlement: findClaim,
  };
}

function requestTerms(
  vault: Vault,
  { request, options }: { request: ExitTermsInput; options: Erc7540ExitOptions },
): Query<ExitTerms> {
  const standard = createQuery(
    {
      ...conversionReads(vault),
      held: read({ to: vault.shareToken, abi: redeemAbi(), name: "balanceOf", args: [request.owner] }),
      value: read({ to: vault.pricer, abi: redeemAbi(), name: "convertToAssets", args: [request.shares] }),
    },
    (results): ExitTerms => ({
      ...unknownExitTerms,
      asset: valueOrNull(results.asset),
      heldShares: valueOrNull(results.held),
      previewAssets: valueOrNull(results.value),
      previewRevert: results.value.ok ? null : results.value.revert,
      grossAssets: valueOrNull(results.value),
      priced: "later",
    }),
  );
  const own = options.views?.(vault, request);
  if (own === undefined) return standard;
  return mapQuery(queryAll({ standard, own }), (results) => ({ ...results.standard, ...results.own }));
}

function requestCall(vault: Vault, request: ExitInput): ExitCall {
  const args = [request.shares, request.owner, request.owner] as const;
  return {
    target: vault.entryPoint,
    data: encodeFunctionData({ abi: redeemAbi(), functionName: "requestRedeem", args }),
    spender: null,
    sharesOffset: SHARES_OFFSET,
    sharesScale: 1n,
    selfOffsets: [],
    paysTo: "caller",
    minAssets: "none",
    tokenOut: vault.asset.address,
    async: true,
  };
}

function describePending(
  vault: Vault,
  of: { user: Address; requestIds: readonly string[]; now: number; options: Erc7540ExitOptions },
): Query<readonly PendingExit[] | null> {
  const { user, now, options } = of;
  const standard = createQuery(standardReads(vault, user), (results) => results);
  const own: Query<UnshownRequests | null> =
    options.requests?.(vault, { user, now }) ?? createQuery({}, () => NOTHING_CANCELLED);
  const parts = requestParts(vault, { user, requestIds: options.numbered ? of.requestIds : [] });
  return mapQuery(queryAll({ standard, own, parts }), (results) => {
    const { parts: found, own: cancelled } = results;
    if (found === null || cancelled === null) return null;
    const seen = { standard: results.standard, own: cancelled, parts: found };
    return [...openRequests(vault, seen), ...returningShares(vault, seen)];
  });
}

const standardReads = (vault: Vault, user: Address) => ({
  ...conversionReads(vault),
  assets: read({ ...onVault(vault), name: "maxWithdraw", args: [user] }),
});

/** `ANY_REQUEST` as a request id. */
const ANY_ID = ANY_REQUEST.toString();

interface Seen {
  standard: ReadResults<ReturnType<typeof standardReads>>;
  own: UnshownRequests;
  parts: PartsById;
}

/** Value of claimable shares, in the asset's smallest unit, below which a vault may pay nothing for them. */
const LEAST = 2n;

/**
 * Returns the user's requests with their waiting and claimable parts. If several can be claimed, the vault returns only
 * the sum of their assets, which is distributed by shares, rounded down. What the user may not claim counts as pending,
 * under the id 0 and for an unknown number of shares.
 */
function openRequests(vault: Vault, { standard, own, parts }: Seen): PendingExit[] {
  const claimable = sumOfParts(parts, "ready");
  const token = vault.asset.address;
  const { barred = 0n } = own;
  // A price of nothing does not show what was settled before.
  const isPriced = (conversionPrice(vault, standard)?.assets ?? 0n) > 0n;
  const isUnshown = barred > 0n && parts.every(([id]) => id !== ANY_ID);
  const all: PartsById = isUnshown ? [...parts, [ANY_ID, { waiting: 0n, ready: 0n }]] : parts;
  return all.map(([requestId, { waiting, ready }]) => {
    const owed = requestId === ANY_ID ? barred : 0n;
    // A paused vault answers that nothing can be withdrawn even where shares are claimable. Others answer so of what a
    // claim has left, which is worth too little.
    const isLeft = isPriced && (valueAt(vault, { shares: ready, standard }) ?? LEAST) < LEAST;
    const payable = ready === 0n ? 0n : valueOrNull(standard.assets) || (isLeft ? 0n : null);
    const paid = payable === null || ready === claimable ? payable : mulDivDown(payable, ready, claimable);
    const value = valueAt(vault, { shares: waiting, standard });
    const estimate = value === null || value === 0n ? value : lessExitFee(value, own.exitFeeBps);
    return {
      ...{ ...unknownPendingExit, requestId, shares: owed > 0n ? null : waiting + ready, token },
      ...{ claimableAssets: paid, claimableShares: ready },
      assets: paid === null || estimate === null ? null : paid + owed + estimate,
      priced: waiting === 0n && ready === claimable,
      state: ready > 0n ? "claimable" : "pending",
      ...(owed > 0n && { refusal: "not_allowed" as const }),
      cancellable: waiting > 0n && own.cancellable,
    };
  });
}

/** 100% in basis points. */
const BPS = 10_000n;

/**
 * Returns an amount less a fee in basis points, rounded down; null if the fee is null or above 100%. An absent fee is
 * none.
 */
export function lessExitFee(amount: bigint, feeBps: bigint | null = 0n): bigint | null {
  return feeBps === null || feeBps > BPS ? null : mulDivDown(amount, BPS - feeBps, BPS);
}

function returningShares(vault: Vault, { standard, own, parts }: Seen): PendingExit[] {
  const shares = own.returning + own.returned;
  const named = { ...unknownPendingExit, requestId: RETURNED_SHARES, token: vault.asset.address } as const;
  // Where the vault takes the shares out of the pending request before it returns them, their number is not known.
  const away = own.cancelling === true && sumOfParts(parts, "waiting") === 0n;
  if (shares === 0n) return away ? [{ ...named, claimableShares: 0n, pays: "shares" }] : [];
  const assets = valueAt(vault, { shares, standard });
  return [
    {
      ...{ ...named, shares: away ? null : shares, assets: away ? null : assets },
      ...{ claimableAssets: 0n, claimableShares: own.returned, pays: "shares" },
      state: own.returned > 0n ? "claimable" : "pending",
    },
  ];
}

function valueAt(vault: Vault, of: { shares: bigint; standard: Seen["standard"] }): bigint | null {
  const price = conversionPrice(vault, of.standard);
  if (of.shares === 0n) return 0n;
  return price === null || price.shares === 0n ? null : mulDivDown(of.shares, price.assets, price.shares);
}

function claimCall(
  vault: Vault,
  { user, request }: { user: Address; request: PendingExit },
): ExitFollowUp | null {
  const shares = request.claimableShares;
  if (shares === null || shares === 0n) return null;
  const data = encodeFunctionData({
    abi: redeemAbi(),
    functionName: "redeem",
    args: [shares, user, user],
  });
  return { target: vault.entryPoint, data };
}

function findRedeemRequest(
  vault: Vault,
  { user, logs, numbered }: { user: Address; logs: readonly Log[]; numbered: boolean },
): ExitRequestSeen | null {
  const own = logs.filter(({ address }) => isAddressEqual(address, vault.entryPoint));
  // VaultCraft's vaults emit the event under another name, with the request id not indexed.
  const eventName: ["RedeemRequest", "RedeemRequested"] = ["RedeemRequest", "RedeemRequested"];
  const requests = parseEventLogs({ abi: eventsAbi(), eventName, logs: own });
  const found = requests.find(({ args }) => isAddressEqual(args.controller, user));
  if (found === undefined) return null;
  // Under number 0 most vaults return all open requests, and claims do not name a request.
  const requestId = numbered ? found.args.requestId.toString() : ANY_ID;
  return { requestId, shares: found.args.shares };
}

function findClaim(
  vault: Vault,
  { user, logs }: { user: Address; logs: readonly Log[] },
): ExitSettlement | null {
  const own = logs.filter(({ address }) => isAddressEqual(address, vault.entryPoint));
  const claims = parseEventLogs({ abi: eventsAbi(), eventName: "Withdraw", logs: own }).filter(({ args }) =>
    isAddressEqual(args.owner, user),
  );
  const cancellation = findCancellation(vault, { user, logs });
  if (claims.length === 0) return cancellation ?? findWorthless(own, user);
  const assets = claims.reduce((sum, { args }) => sum + args.assets, 0n);
  const shares = claims.reduce((sum, { args }) => sum + args.shares, 0n);
  const returned = cancellation?.shares ?? 0n;
  const settlement = { outcome: "paid", assets, shares, ...(returned > 0n && { returned }) } as const;
  return claimFor(vault, { settlement, user, logs, receivers: claims.map(({ args }) => args.receiver) });
}

/**
 * Finds the announcement that a user's shares were settled for nothing, of which nothing is left to claim. Returns null
 * if there is none. Source: centrifuge/protocol, IAsyncRedeemVault.
 */
function findWorthless(own: readonly Log[], user: Address): ExitSettlement | null {
  const settled = parseEventLogs({ abi: eventsAbi(), eventName: "RedeemClaimable", logs: [...own] });
  const shares = settled
    .filter(({ args }) => isAddressEqual(args.controller, user) && args.assets === 0n)
    .reduce((sum, { args }) => sum + args.shares, 0n);
  return shares === 0n ? null : { outcome: "paid", assets: 0n, shares, announced: true };
}
