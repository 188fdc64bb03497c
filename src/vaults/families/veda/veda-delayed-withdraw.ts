import {
  type Address,
  encodeFunctionData,
  erc20Abi,
  isAddressEqual,
  type Log,
  parseAbi,
  parseEventLogs,
  zeroAddress,
} from "viem";
import {
  createQuery,
  mapQuery,
  type Query,
  queryAll,
  type ReadResult,
  read,
  valueOrNull,
} from "../../../chains/chain-reads.ts";
import { sameAddress } from "../../../lib/address.ts";
import { mulDivDown } from "../../../lib/amount.ts";
import { once } from "../../../lib/once.ts";
import type { Token, Vault } from "../../vault.ts";
import {
  type ExitCall,
  type ExitInput,
  type ExitRequestSeen,
  type ExitSettlement,
  type ExitTerms,
  type ExitTermsInput,
  joinPending,
  type PendingExit,
  unknownPendingExit,
} from "../../vault-exits.ts";
import { addressParam, tokensParam } from "../../vault-params.ts";
import { mayBurn } from "./veda-authority.ts";
import { delayedContract, delayedContracts, delayedRequestId } from "./veda-delayed-contracts.ts";
import { oneShare } from "./veda-pricing.ts";

/**
 * ABI of Veda's older contract for withdrawals after a fixed delay. Source: Veda-Labs/boring-vault, DelayedWithdraw.
 */
export const vedaDelayedAbi = once(() =>
  parseAbi([
    "function isPaused() view returns (bool)",
    "function withdrawAssets(address) view returns (bool allowWithdraws, uint32 withdrawDelay, uint32 completionWindow, uint128 outstandingShares, uint16 withdrawFee, uint16 maxLoss)",
    "function withdrawRequests(address user, address asset) view returns (bool allowThirdPartyToComplete, uint16 maxLoss, uint40 maturity, uint96 shares, uint96 exchangeRateAtTimeOfRequest)",
    "function requestWithdraw(address asset, uint96 shares, uint16 maxLoss, bool allowThirdPartyToComplete)",
    "function completeWithdraw(address asset, address account) returns (uint256 assetsOut)",
    "function cancelWithdraw(address asset)",
    "event WithdrawRequested(address indexed account, address indexed asset, uint96 shares, uint40 maturity)",
    "event WithdrawCancelled(address indexed account, address indexed asset, uint96 shares)",
    "event WithdrawCompleted(address indexed account, address indexed asset, uint256 shares, uint256 assets)",
  ]),
);
/**
 * ABI of the accountant's views for the price of one whole share in a given token's smallest unit. The safe one reverts
 * while the accountant is paused. Source: Veda-Labs/boring-vault, AccountantWithRateProviders.
 */
export const rateAbi = once(() =>
  parseAbi([
    "function getRateInQuoteSafe(address) view returns (uint256)",
    "function getRateInQuote(address) view returns (uint256)",
  ]),
);
/** Byte offset of the shares in the calldata of `requestWithdraw`. */
const SHARES_OFFSET = 36;
const BPS = 10_000n;
/** Length of the window in which a matured request can be completed if the contract sets none, in seconds. */
const DEFAULT_WINDOW = 7 * 86_400;

/**
 * Returns a query for the conditions of a request to the delayed-withdrawal contract. The fee is taken from the shares;
 * the payment is null if the fee or the rate is unknown, or if the fee is above 100%. If the owner is known to have an
 * open request for a supported token, `refusal` is `request_pending`.
 */
export function delayedTerms(vault: Vault, request: ExitTermsInput): Query<Partial<ExitTerms>> {
  const to = addressParam(vault, "delayed_withdraw") ?? zeroAddress;
  const on = { to, abi: vedaDelayedAbi() } as const;
  const token = request.token.address;
  return createQuery(
    {
      paused: read({ ...on, name: "isPaused" }),
      config: read({ ...on, name: "withdrawAssets", args: [token] }),
      open: read({ ...on, name: "withdrawRequests", args: [request.owner, token] }),
      rate: read({ to: vault.pricer, abi: rateAbi(), name: "getRateInQuoteSafe", args: [token] }),
    },
    ({ paused, config, open, rate }) => {
      const [allowed, delay, window, , fee] = valueOrNull(config) ?? [];
      const start = Math.floor(request.now / 1_000);
      const earliest = delay === undefined ? null : start + delay;
      const busy = (valueOrNull(open)?.[3] ?? 0n) > 0n;
      const { shares } = request;
      return {
        previewAssets:
          fee === undefined || BigInt(fee) > BPS || !rate.ok
            ? null
            : mulDivDown(shares - mulDivDown(shares, BigInt(fee), BPS), rate.value, oneShare(vault)),
        priced: "later",
        earliest,
        expiresAt: earliest === null ? null : earliest + (window || DEFAULT_WINDOW),
        paused: valueOrNull(paused) === true,
        // A second request would start the wait of the first again.
        refusal: allowed === false ? "token_unsupported" : busy ? "request_pending" : null,
      };
    },
  );
}

/**
 * Encodes a withdrawal request to the delayed-withdrawal contract, with the contract's default maximum loss. The owner
 * of the shares must send it, after approving the contract, which pulls them. Apart from the contract's administrators,
 * only the owner can complete the request.
 */
export function delayedCall(vault: Vault, request: ExitInput): ExitCall {
  const target = addressParam(vault, "delayed_withdraw") ?? zeroAddress;
  const args = [request.token.address, request.shares, 0, false] as const;
  return {
    ...{ target, spender: target, sharesOffset: SHARES_OFFSET, sharesScale: 1n, selfOffsets: [] },
    data: encodeFunctionData({ abi: vedaDelayedAbi(), functionName: "requestWithdraw", args }),
    ...{ paysTo: "caller", minAssets: "none", tokenOut: request.token.address, async: true },
  };
}

/**
 * Returns the tokens that the vault's contracts may pay: its asset first, then the other accepted tokens, then those
 * that it only pays (registry parameter `redeem_tokens`). Throws an Error if that list is invalid.
 */
export const vedaExitTokens = (vault: Vault): Token[] => [
  vault.asset,
  ...vault.acceptedAssets.filter(({ address }) => !sameAddress(address, vault.asset.address)),
  ...tokensParam(vault, "redeem_tokens"),
];

/**
 * Returns the tokens of requests to the delayed-withdrawal contract: `vedaExitTokens`, then those that the vault has
 * stopped paying, which open requests may still name (registry parameter `stopped_tokens`).
 */
export const delayedTokens = (vault: Vault): Token[] => [
  ...vedaExitTokens(vault),
  ...tokensParam(vault, "stopped_tokens"),
];

/**
 * Returns a query for the user's requests at the delayed-withdrawal contracts for `delayedTokens`; null if one cannot
 * be read, or if one has matured and its window is unknown. Their assets, after the current fee, are an estimate at the
 * lower of the request's and the current rate, which the accountant also shows while it is paused; null if the rate or
 * the fee is unknown, or if the fee is above 100%.
 */
export function pendingDelayed(
  vault: Vault,
  of: { user: Address; now: number },
): Query<readonly PendingExit[] | null> {
  const parts = delayedContracts(vault).flatMap((to) =>
    delayedTokens(vault).map(
      ({ address: token }) => [`${to}/${token}`, pendingIn(vault, { ...of, to, token })] as const,
    ),
  );
  return mapQuery(queryAll(Object.fromEntries(parts)), (found) => joinPending(Object.values(found)));
}

/** An account's request for one token at one delayed-withdrawal contract, if it has one. */
interface DelayedSlot {
  user: Address;
  now: number;
  to: Address;
  token: Address;
}

/**
 * Returns the query for the user's open request for one token: a list of one or none, null as in `pendingDelayed`. One
 * that has matured is pending while its claim is known to revert, as where the vault does not let the contract pay.
 */
function pendingIn(vault: Vault, slot: DelayedSlot): Query<readonly PendingExit[] | null> {
  const { user, to, token } = slot;
  const on = { to, abi: vedaDelayedAbi() } as const;
  const rateIn = (quote: Address) =>
    read({ to: vault.pricer, abi: rateAbi(), name: "getRateInQuoteSafe", args: [quote] });
  const seen = createQuery(
    {
      request: read({ ...on, name: "withdrawRequests", args: [user, token] }),
      config: read({ ...on, name: "withdrawAssets", args: [token] }),
      paused: read({ ...on, name: "isPaused" }),
      rate: rateIn(token),
      rateAnyway: read({ to: vault.pricer, abi: rateAbi(), name: "getRateInQuote", args: [token] }),
      assetRate: rateIn(vault.asset.address),
    },
    (results) => results,
  );
  const isLast = sameAddress(to, delayedContract(vault) ?? "");
  // Proofs read whether the vault lets the last contract pay. Those before it may have kept that right.
  const pays = isLast
    ? createQuery({}, () => vault.params["delayed_withdraw"] !== "")
    : mayBurn(to, vault.shareToken);
  return mapQuery(queryAll({ seen, pays }), (found) => toPending(vault, { ...slot, ...found }));
}

/** What a delayed-withdrawal contract and the accountant say of a request. */
interface DelayedReads {
  request: ReadResult<readonly [boolean, number, number, bigint, bigint]>;
  config: ReadResult<readonly [boolean, number, number, bigint, number, number]>;
  paused: ReadResult<boolean>;
  rate: ReadResult<bigint>;
  rateAnyway: ReadResult<bigint>;
  assetRate: ReadResult<bigint>;
}

function toPending(
  vault: Vault,
  { to, token, now, seen, pays }: DelayedSlot & { seen: DelayedReads; pays: boolean | null },
): readonly PendingExit[] | null {
  const { request, config, paused, rate: today, rateAnyway, assetRate } = seen;
  if (!request.ok) return null;
  const [, ownLoss, maturity, shares, rate] = request.value;
  if (shares === 0n) return [];
  // Window and fee are the current ones: the contract stores neither with the request.
  const [allowed, , window, , fee, commonLoss = 0] = valueOrNull(config) ?? [];
  // Whether the request has expired depends on the window.
  if (window === undefined && now >= maturity * 1_000) return null;
  // The fee is taken in shares, and the lower of the two rates counts.
  const paid = fee === undefined ? null : shares - mulDivDown(shares, BigInt(fee), BPS);
  const current = valueOrNull(today) ?? valueOrNull(rateAnyway);
  const assets =
    paid === null || paid < 0n || current === null
      ? null
      : mulDivDown(paid, current < rate ? current : rate, oneShare(vault));
  const expiresAt = window === undefined ? null : maturity + (window || DEFAULT_WINDOW);
  const isPaused = pays === false || allowed === false || valueOrNull(paused) === true || isUnpriced(today);
  const moved = today.ok && movedTooFar(today.value, { recorded: rate, maxLoss: ownLoss || commonLoss });
  const refusal = isPaused ? "exits_paused" : moved ? "price_unsafe" : undefined;
  const [ready, over] = [
    now >= maturity * 1_000 && refusal === undefined,
    expiresAt !== null && now > expiresAt * 1_000,
  ];
  return [
    {
      ...unknownPendingExit,
      ...{ mode: "cooldown", shares, assets, token, expiresAt, earliest: maturity, cancellable: true },
      requestId: delayedRequestId(vault, { contract: to, token }),
      value:
        assets === null
          ? null
          : vedaValue(assets, { rate: valueOrNull(today), assetRate: valueOrNull(assetRate) }),
      state: over ? "expired" : ready ? "claimable" : "pending",
      ...(refusal !== undefined && { refusal }),
      claimableAssets: ready && !over ? assets : 0n,
      claimableShares: ready && !over ? shares : 0n,
    },
  ];
}

/** Returns true if the accountant is paused, so that its view of the rate reverts. False also if that is unread. */
const isUnpriced = (rate: ReadResult<bigint>): boolean =>
  !rate.ok && rate.revert !== null && rate.revert !== "0x";

/** Returns true if a rate differs from that `recorded` in the request by more than the maximum loss, in basis points. */
function movedTooFar(rate: bigint, { recorded, maxLoss }: { recorded: bigint; maxLoss: number }): boolean {
  const [low, high] = recorded < rate ? [recorded, rate] : [rate, recorded];
  return mulDivDown(low, BPS + BigInt(maxLoss), BPS) < high;
}

/**
 * Converts an amount of a token to the vault's asset, both in smallest units, rounded down, by the price of a share in
 * the token (`rate`) and in the asset (`assetRate`). Null if one is unknown or `rate` is 0.
 */
export function vedaValue(
  amount: bigint,
  { rate, assetRate }: { rate: bigint | null; assetRate: bigint | null },
): bigint | null {
  return rate === null || assetRate === null || rate === 0n ? null : mulDivDown(amount, assetRate, rate);
}

const delayedLogs = (vault: Vault, logs: readonly Log[]): Log[] => {
  const contracts = delayedContracts(vault);
  return logs.filter(({ address }) => contracts.some((one) => sameAddress(one, address)));
};

/** Finds the user's request at a delayed-withdrawal contract in a receipt's logs, or returns null. */
export function findDelayedRequest(
  vault: Vault,
  { user, logs }: { user: Address; logs: readonly Log[] },
): ExitRequestSeen | null {
  const own = delayedLogs(vault, logs);
  const found = parseEventLogs({ abi: vedaDelayedAbi(), eventName: "WithdrawRequested", logs: own }).find(
    ({ args }) => isAddressEqual(args.account, user),
  );
  if (found === undefined) return null;
  const { address: contract, args } = found;
  const requestId = delayedRequestId(vault, { contract, token: args.asset });
  return { requestId, shares: args.shares, mode: "cooldown", token: args.asset };
}

/** Returns how many shares left an account in a receipt. */
function sharesFrom(account: Address, { token, logs }: { token: Address; logs: readonly Log[] }): bigint {
  const own = logs.filter(({ address }) => isAddressEqual(address, token));
  return parseEventLogs({ abi: erc20Abi, eventName: "Transfer", logs: own })
    .filter(({ args }) => isAddressEqual(args.from, account))
    .reduce((sum, { args }) => sum + args.value, 0n);
}

/**
 * Finds in a receipt's logs how a user's request at a delayed-withdrawal contract ended: completed or cancelled. Null
 * if the logs do not show its end.
 */
export function findDelayedSettlement(
  vault: Vault,
  { user, requestId, logs }: { user: Address; requestId: string; logs: readonly Log[] },
): ExitSettlement | null {
  const own = delayedLogs(vault, logs);
  for (const { address: contract, eventName, args } of parseEventLogs({ abi: vedaDelayedAbi(), logs: own })) {
    if (!isAddressEqual(args.account, user)) continue;
    if (delayedRequestId(vault, { contract, token: args.asset }) !== requestId) continue;
    if (eventName === "WithdrawCompleted") {
      const { assets } = args;
      // Its shares are those after the fee, which leaves the contract too; other events may have moved shares as well.
      const alone = own.filter(({ address }) => isAddressEqual(address, contract)).length === 1;
      const shares = alone ? sharesFrom(contract, { token: vault.shareToken, logs }) : null;
      return { outcome: "paid", assets, ...(shares !== null && shares >= args.shares && { shares }) };
    }
    if (eventName === "WithdrawCancelled") return { outcome: "cancelled", assets: 0n };
  }
  return null;
}
