import { type Address, encodeFunctionData, parseAbi, zeroAddress } from "viem";
import {
  createQuery,
  mapQuery,
  type Query,
  type ReadResults,
  read,
  readThen,
  valueOrNull,
} from "../../../chains/chain-reads.ts";
import { sameAddress } from "../../../lib/address.ts";
import { mulDivDown, smaller } from "../../../lib/amount.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import {
  type ExitCall,
  type ExitInput,
  type ExitRefusal,
  type ExitTerms,
  type ExitTermsInput,
  unknownExitTerms,
  type VaultExits,
} from "../../vault-exits.ts";
import { familyErrors } from "../../vault-reverts.ts";
import { oracleSettingsRead, PRICE_UNIT } from "./mellow-pricing.ts";
import { mellowClaim, queueFor, redeemTokens, requireQueue } from "./mellow-redeem-queues.ts";
import { findMellowClaim, findMellowRequest } from "./mellow-request-events.ts";
import { mellowOpenRequests } from "./mellow-requests.ts";

const vaultAbi = once(() =>
  parseAbi([
    "function isPausedQueue(address) view returns (bool)",
    "function feeManager() view returns (address)",
  ]),
);
const queueAbi = once(() =>
  parseAbi([
    "function asset() view returns (address)",
    "function syncRedeemParams() view returns (uint256 penaltyD6, uint32 maxAge)",
    "function remainingDailyLimit() view returns (uint256 usage, uint256 remaining)",
    "function getLiquidAssets() view returns (uint256)",
    "function redeem(uint256 shares, address receiver)",
  ]),
);
const requestAbi = once(() => parseAbi(["function redeem(uint256 shares)"]));
const shareAbi = once(() =>
  parseAbi([
    "function sharesOf(address account) view returns (uint256)",
    "function flags() view returns (bool mintPause, bool burnPause, bool transferPause, bool whitelist, bool transferWhitelist, uint32 globalLockup)",
    "function accounts(address account) view returns (bool canDeposit, bool canTransfer, bool isBlacklisted)",
  ]),
);
const oracleAbi = once(() =>
  parseAbi([
    "struct DetailedReport { uint224 priceD18; uint32 timestamp; bool isSuspicious; }",
    "function getReport(address asset) view returns (DetailedReport)",
  ]),
);
const feeManagerAbi = once(() => parseAbi(["function redeemFeeD6() view returns (uint24)"]));

const MILLION = 1_000_000n;
const SHARES_OFFSET = 4;
/** Byte offset of the receiver in the calldata of the instant `redeem(uint256 shares, address receiver)`. */
const RECEIVER_OFFSET = 36;
function exitReads(vault: Vault, request: ExitTermsInput) {
  const queue = requireQueue(vault, request.mode);
  const onVault = { to: vault.address, abi: vaultAbi() } as const;
  const onQueue = { to: queue, abi: queueAbi() } as const;
  const onShares = { to: vault.shareToken, abi: shareAbi() } as const;
  return {
    asset: read({ ...onQueue, name: "asset" }),
    params: read({ ...onQueue, name: "syncRedeemParams" }),
    daily: read({ ...onQueue, name: "remainingDailyLimit" }),
    paused: read({ ...onVault, name: "isPausedQueue", args: [queue] }),
    feeManager: read({ ...onVault, name: "feeManager" }),
    held: read({ ...onShares, name: "sharesOf", args: [request.owner] }),
    flags: read({ ...onShares, name: "flags" }),
    account: read({ ...onShares, name: "accounts", args: [request.owner] }),
    report: read({ to: vault.pricer, abi: oracleAbi(), name: "getReport", args: [request.token.address] }),
    settings: oracleSettingsRead(vault),
    // The vault's own view answers its queues only.
    liquid: read({ ...onQueue, name: "getLiquidAssets" }),
  };
}

type Results = ReadResults<ReturnType<typeof exitReads>>;

function describeExit(vault: Vault, request: ExitTermsInput): Query<ExitTerms> {
  const asset = request.token.address;
  // Another queue pays this token.
  if (!sameAddress(asset, redeemTokens(vault, request.mode)[0].address))
    return createQuery({}, () => ({ ...unknownExitTerms, refusal: "token_unsupported" }));
  return readThen(exitReads(vault, request), (results) => {
    const manager = valueOrNull(results.feeManager) ?? zeroAddress;
    const fee = read({ to: manager, abi: feeManagerAbi(), name: "redeemFeeD6" });
    return createQuery({ fee }, (more) => {
      const rate = valueOrNull(more.fee);
      return termsOf(request, {
        ...{ results, asset },
        fee: rate === null ? null : BigInt(rate),
      });
    });
  });
}

function termsOf(
  request: ExitTermsInput,
  { results, fee, asset }: { results: Results; fee: bigint | null; asset: Address },
): ExitTerms {
  const instant = request.mode === "instant";
  const report = valueOrNull(results.report);
  const price = report === null || report.priceD18 === 0n || report.isSuspicious ? null : report.priceD18;
  const penalty = instant ? (valueOrNull(results.params)?.[0] ?? null) : 0n;
  const held = valueOrNull(results.held);
  const flags = valueOrNull(results.flags);
  const interval = valueOrNull(results.settings)?.redeemInterval ?? null;
  const ours = sameAddress(valueOrNull(results.asset) ?? "", asset);
  return {
    ...unknownExitTerms,
    asset: ours ? asset : null,
    heldShares: held,
    maxShares: instant ? smaller(held, valueOrNull(results.daily)?.[1] ?? null) : null,
    previewAssets: netAssets(request.shares, { price, penalty, fee }),
    grossAssets: price === null ? null : mulDivDown(request.shares, PRICE_UNIT, price),
    availableAssets: instant ? valueOrNull(results.liquid) : null,
    priced: instant ? "now" : "later",
    earliest: instant || interval === null ? null : Math.floor(request.now / 1_000) + interval,
    lockedUntil: isLocked(request, flags?.[5] ?? 0) ? (flags?.[5] ?? null) : null,
    paused: valueOrNull(results.paused) === true || flags?.[1] === true,
    refusal: refusalOf(request, {
      results,
      unusable: report !== null && (price === null || isOld(request, results)),
    }),
  };
}

/** Returns true if the lock-up of all shares, which ends at `lockup` in unix seconds, is not over. */
const isLocked = ({ now }: ExitTermsInput, lockup: number): boolean => lockup * 1_000 > now;

function refusalOf(
  request: ExitTermsInput,
  { results, unusable }: { results: Results; unusable: boolean },
): ExitRefusal | null {
  const [, , transferPause, , transferWhitelist, lockup] = valueOrNull(results.flags) ?? [];
  if (valueOrNull(results.account)?.[2] === true) return "not_allowed";
  if (isLocked(request, lockup ?? 0)) return "share_locked";
  // The executor must receive the shares first, which is a transfer.
  if (request.caller === null && (transferPause === true || transferWhitelist === true)) return "not_allowed";
  return unusable && request.mode === "instant" ? "price_stale" : null;
}

/** Returns true if the last report is older than the queue of instant redemptions allows; false also if unknown. */
function isOld({ now }: ExitTermsInput, { report, params }: Results): boolean {
  if (!report.ok || !params.ok) return false;
  return report.value.timestamp + params.value[1] < Math.floor(now / 1_000);
}

/**
 * Returns the assets for shares after penalty and fee, in the asset's smallest unit, rounded at each step as in the
 * queues. Null if the price, the penalty or the fee is unknown, or if a rate exceeds 100%.
 */
function netAssets(
  shares: bigint,
  { price, penalty, fee }: Record<"price" | "penalty" | "fee", bigint | null>,
): bigint | null {
  if (price === null || penalty === null || fee === null) return null;
  if (penalty > MILLION || fee > MILLION) return null;
  const reduced = mulDivDown(shares, MILLION - penalty, MILLION);
  return mulDivDown(reduced - mulDivDown(reduced, fee, MILLION), PRICE_UNIT, price);
}

/** Decimals by which the sample of `exitPrice` exceeds one share, so that rounding does not show. */
const SAMPLE_DECIMALS = 6;

function exitPrice(vault: Vault, now: number): ReturnType<NonNullable<VaultExits["exitPrice"]>> {
  const [token] = redeemTokens(vault, "instant");
  // Values in another token than the asset would not be comparable.
  if (queueFor(vault, "instant") === null || !sameAddress(token.address, vault.asset.address))
    return createQuery({}, () => null);
  const shares = 10n ** BigInt(vault.shareDecimals + SAMPLE_DECIMALS);
  const account = { owner: zeroAddress, caller: zeroAddress, receiver: zeroAddress };
  const sample = { mode: "instant", token: vault.asset, shares, ...account, now } as const;
  return mapQuery(describeExit(vault, sample), (terms) => {
    const { asset, paused, refusal, grossAssets: gross, previewAssets: net } = terms;
    // The queue pays nothing without a report that is trusted and recent.
    const pays = asset !== null && !paused && refusal === null;
    return pays && gross !== null && net !== null ? { gross, net } : null;
  });
}

function encode(vault: Vault, request: ExitInput): ExitCall {
  const target = requireQueue(vault, request.mode);
  const call = { target, spender: null, sharesOffset: SHARES_OFFSET, sharesScale: 1n } as const;
  const ends = { minAssets: "none", tokenOut: redeemTokens(vault, request.mode)[0].address } as const;
  if (request.mode !== "instant") {
    const data = encodeFunctionData({ abi: requestAbi(), args: [request.shares] });
    return { ...call, ...ends, data, selfOffsets: [], paysTo: "caller", async: true };
  }
  const receiver = request.receiver ?? request.caller ?? zeroAddress;
  const args = [request.shares, receiver] as const;
  return {
    ...{ ...call, ...ends, async: false },
    data: encodeFunctionData({ abi: queueAbi(), functionName: "redeem", args }),
    selfOffsets: request.caller === null && request.receiver === null ? [RECEIVER_OFFSET] : [],
    paysTo: request.receiver === null ? "caller" : "receiver",
  };
}

/**
 * Withdrawals from Mellow's Core vaults: requests, and instant redemptions, which may have a penalty; each only if the
 * registry entry names a queue for it. Requests cannot be cancelled. Source: mellow-finance/flexible-vaults.
 */
export const mellowExits: VaultExits = {
  modes: (vault) => (["instant", "request"] as const).filter((mode) => queueFor(vault, mode) !== null),
  tokens: redeemTokens,
  viaRouter: (_vault, mode) => mode === "instant",
  terms: describeExit,
  exitPrice,
  encode,
  explain: familyErrors({
    errors: {
      "error QueuePaused()": "exits_paused",
      "error BurnPaused()": "exits_paused",
      "error TransferPaused()": "exits_paused",
      "error StaleReport()": "price_stale",
      "error InvalidReport()": "price_stale",
      "error DailyLimitOverflow()": "no_liquidity",
      "error InsufficientAssets(uint256 requested, uint256 available)": "no_liquidity",
      "error GlobalLockupNotExpired(uint256 timestamp, uint256 lockup)": "share_locked",
      "error TransferNotAllowed(address from, address to)": "not_allowed",
      "error Blacklisted(address account)": "not_allowed",
      "error ZeroValue()": "nothing_to_withdraw",
    },
  }),
  pending: mellowOpenRequests,
  claim: mellowClaim,
  findRequest: findMellowRequest,
  findSettlement: findMellowClaim,
};
