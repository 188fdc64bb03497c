import { type Address, encodeFunctionData, erc20Abi, type Hex, isAddressEqual, parseAbi } from "viem";
import {
  createQuery,
  mapQuery,
  type Query,
  queryAll,
  type ReadResult,
  type ReadResults,
  read,
  readThen,
  valueOrNull,
} from "../../../chains/chain-reads.ts";
import { sameAddress } from "../../../lib/address.ts";
import { MAX_UINT256, mulDivDown, smaller } from "../../../lib/amount.ts";
import { DAY_MS } from "../../../lib/durations.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import {
  type ExitCall,
  type ExitInput,
  type ExitTerms,
  type ExitTermsInput,
  unknownExitTerms,
  type VaultExits,
} from "../../vault-exits.ts";
import { familyErrors } from "../../vault-reverts.ts";
import { ORDINARY_ACCOUNT } from "../erc4626-base/erc4626-derivation.ts";
import { midasMintedShares, midasPutIn } from "./midas-deposit-requests.ts";
import { midasUnit } from "./midas-params.ts";
import { WAD } from "./midas-pricing.ts";
import {
  findMidasRequest,
  findMidasSettlement,
  midasPending,
  midasTakenOut,
  midasTakenShares,
  redemptionTokens,
  redemptionVault,
} from "./midas-redemption-requests.ts";

const redemptionAbi = once(() =>
  parseAbi([
    "function mToken() view returns (address)",
    "function getPaymentTokens() view returns (address[])",
    "function tokensConfig(address) view returns (address dataFeed, uint256 fee, uint256 allowance, bool stable)",
    "function instantFee() view returns (uint256)",
    "function minAmount() view returns (uint256)",
    "function isFreeFromMinAmount(address) view returns (bool)",
    "function waivedFeeRestriction(address) view returns (bool)",
    "function instantDailyLimit() view returns (uint256)",
    "function dailyLimits(uint256) view returns (uint256)",
    "function paused() view returns (bool)",
    "function fnPaused(bytes4) view returns (bool)",
  ]),
);
const callsAbi = once(() => ({
  instant: parseAbi([
    "function redeemInstant(address tokenOut, uint256 amountMTokenIn, uint256 minReceiveAmount)",
  ]),
  instantFor: parseAbi([
    "function redeemInstant(address tokenOut, uint256 amountMTokenIn, uint256 minReceiveAmount, address recipient)",
  ]),
  request: parseAbi(["function redeemRequest(address tokenOut, uint256 amountMTokenIn) returns (uint256)"]),
}));
const feedAbi = once(() => parseAbi(["function getDataInBase18() view returns (uint256)"]));
const mTokenAbi = once(() =>
  parseAbi(["function balanceOf(address) view returns (uint256)", "function paused() view returns (bool)"]),
);

/** Selectors of the redemption functions, each of which can be paused separately. */
const SELECTORS = { instant: "0x8b53f75e", instantFor: "0x85ab2c13", request: "0xbfc2d46a" } as const;
/** Byte offset of the shares in every redemption function: the second word after the selector. */
const SHARES_OFFSET = 36;
const FEE_DENOMINATOR = 10_000n;

/** Returns the vault's RedemptionVault. Throws an Error if it has none; such a vault supports no mode of withdrawal. */
function requireRedemptionVault(vault: Vault): Address {
  const found = redemptionVault(vault);
  if (found === null) throw new Error(`${vault.vaultId}: no redemption vault is known`);
  return found;
}

/** Returns the function that a redemption calls. Functions without a recipient pay their caller. */
function functionOf({ mode, caller, receiver }: Omit<ExitTermsInput, "now">): keyof typeof SELECTORS {
  if (mode !== "instant") return "request";
  const toCaller = receiver === null || (caller !== null && isAddressEqual(caller, receiver));
  return toCaller ? "instant" : "instantFor";
}

function exitReads(vault: Vault, request: ExitTermsInput) {
  const on = { to: requireRedemptionVault(vault), abi: redemptionAbi() } as const;
  // The vault exempts its caller from fees and the minimum: the owner's exemption does not count for the executor.
  const account = request.caller ?? ORDINARY_ACCOUNT;
  return {
    mToken: read({ ...on, name: "mToken" }),
    tokens: read({ ...on, name: "getPaymentTokens" }),
    config: read({ ...on, name: "tokensConfig", args: [request.token.address] }),
    instantFee: read({ ...on, name: "instantFee" }),
    waived: read({ ...on, name: "waivedFeeRestriction", args: [account] }),
    minimum: read({ ...on, name: "minAmount" }),
    free: read({ ...on, name: "isFreeFromMinAmount", args: [account] }),
    limit: read({ ...on, name: "instantDailyLimit" }),
    used: read({ ...on, name: "dailyLimits", args: [BigInt(Math.floor(request.now / DAY_MS))] }),
    paused: read({ ...on, name: "paused" }),
    fnPaused: read({ ...on, name: "fnPaused", args: [SELECTORS[functionOf(request)]] }),
    held: read({ to: vault.shareToken, abi: mTokenAbi(), name: "balanceOf", args: [request.owner] }),
    payable: read({ to: request.token.address, abi: erc20Abi, name: "balanceOf", args: [on.to] }),
    mTokenPaused: read({ to: vault.shareToken, abi: mTokenAbi(), name: "paused" }),
    feed: read({ to: vault.pricer, abi: feedAbi(), name: "getDataInBase18" }),
  };
}

type Results = ReadResults<ReturnType<typeof exitReads>>;

/**
 * Returns a query for the conditions of a redemption. It takes up to two batches, because the first returns the price
 * feed of the token to pay.
 */
function describeExit(vault: Vault, request: ExitTermsInput): Query<ExitTerms> {
  return readThen(exitReads(vault, request), (results) => {
    const config = valueOrNull(results.config);
    const known = config !== null && BigInt(config[0]) !== 0n;
    const reads = known ? { rate: read({ to: config[0], abi: feedAbi(), name: "getDataInBase18" }) } : {};
    return createQuery(reads, ({ rate }) =>
      termsOf(vault, {
        request,
        results,
        rate: known && rate?.ok && config[3] ? { ok: true, value: WAD } : rate,
      }),
    );
  });
}

function termsOf(
  vault: Vault,
  of: { request: ExitTermsInput; results: Results; rate: ReadResult<bigint> | undefined },
): ExitTerms {
  const { request, results, rate } = of;
  const instant = request.mode === "instant";
  const config = valueOrNull(results.config);
  const listed = valueOrNull(results.tokens)?.some((token) => sameAddress(token, request.token.address));
  const ours = sameAddress(valueOrNull(results.mToken) ?? "", vault.shareToken);
  const feed = results.feed.ok && rate !== undefined ? rate : results.feed;
  const unit = midasUnit(request.token.decimals);
  const left = limitLeft(results);
  const fee = feeOf(results, instant);
  return {
    ...unknownExitTerms,
    asset: ours && config !== null ? request.token.address : null,
    heldShares: valueOrNull(results.held),
    maxShares: instant ? smaller(valueOrNull(results.held), left) : null,
    minShares: valueOrNull(results.free) === true ? 0n : valueOrNull(results.minimum),
    previewAssets: paidFor(of, { fee, unit }),
    previewRevert: feed.ok ? null : feed.revert,
    grossAssets: paidFor(of, { fee: 0n, unit }),
    availableAssets: config === null || unit === null ? null : payableOf(config[2], { fee, unit }),
    payerAssets: valueOrNull(results.payable),
    priced: instant ? "now" : "later",
    paused: [results.paused, results.fnPaused, results.mTokenPaused].some((on) => valueOrNull(on) === true),
    refusal: listed === false ? "token_unsupported" : null,
  };
}

/**
 * Returns what the vault may still pay of a token, in its smallest unit, rounded down: it counts payments before the fee
 * against its allowance (18 decimals). Null if the allowance is unlimited or the fee unknown.
 */
function payableOf(allowance: bigint, { fee, unit }: { fee: bigint | null; unit: bigint }): bigint | null {
  if (allowance === MAX_UINT256 || fee === null) return null;
  return mulDivDown(allowance, FEE_DENOMINATOR - fee, FEE_DENOMINATOR) / unit;
}

function limitLeft({ limit, used }: Results): bigint | null {
  if (!limit.ok || !used.ok) return null;
  return limit.value > used.value ? limit.value - used.value : 0n;
}

/**
 * Returns the fee in basis points of the redeemed mTokens, at most 10,000, or null if unknown. It is 0 for an account
 * that is exempt; requests do not pay the fee for instant redemptions.
 */
function feeOf(results: Results, instant: boolean): bigint | null {
  if (valueOrNull(results.waived) === true) return 0n;
  const config = valueOrNull(results.config);
  const own = instant ? valueOrNull(results.instantFee) : 0n;
  if (config === null || own === null) return null;
  const total = config[1] + own;
  return total < FEE_DENOMINATOR ? total : FEE_DENOMINATOR;
}

/**
 * Returns the amount that the redeemed mTokens pay, in the token's smallest unit, truncated like in the
 * RedemptionVault. Null if a price or the fee is unknown, or if the token has more than 18 decimals.
 */
function paidFor(
  {
    request,
    results,
    rate,
  }: { request: ExitTermsInput; results: Results; rate: ReadResult<bigint> | undefined },
  { fee, unit }: { fee: bigint | null; unit: bigint | null },
): bigint | null {
  const [mTokenRate, tokenRate] = [valueOrNull(results.feed), rate === undefined ? null : valueOrNull(rate)];
  if (fee === null || unit === null || mTokenRate === null || tokenRate === null || tokenRate === 0n)
    return null;
  const charged = mulDivDown(request.shares, fee, FEE_DENOMINATOR);
  return mulDivDown(request.shares - charged, mTokenRate, tokenRate) / unit;
}

function exitData(request: ExitInput): Hex {
  const { instant, instantFor, request: requested } = callsAbi();
  const unit = midasUnit(request.token.decimals);
  if (unit === null) throw new RangeError(`${request.token.symbol} has more than 18 decimals`);
  const [token, minimum] = [request.token.address, request.minAssets * unit];
  const name = functionOf(request);
  if (name === "request") return encodeFunctionData({ abi: requested, args: [token, request.shares] });
  if (name === "instant" || request.receiver === null)
    return encodeFunctionData({ abi: instant, args: [token, request.shares, minimum] });
  return encodeFunctionData({ abi: instantFor, args: [token, request.shares, minimum, request.receiver] });
}

function encode(vault: Vault, request: ExitInput): ExitCall {
  const target = requireRedemptionVault(vault);
  const instant = request.mode === "instant";
  return {
    target,
    data: exitData(request),
    // The vault takes the fee by allowance and burns the rest by role; one variant takes everything by allowance.
    spender: target,
    sharesOffset: SHARES_OFFSET,
    sharesScale: 1n,
    selfOffsets: [],
    paysTo: functionOf(request) === "instantFor" ? "receiver" : "caller",
    minAssets: instant ? "native" : "none",
    tokenOut: request.token.address,
    async: !instant,
  };
}

/** Returns what a user's requests have taken out of the vault less what they have put in; null if unknown. */
function takenByRequests(vault: Vault, of: Parameters<typeof midasTakenOut>[1]): Query<bigint | null> {
  const amounts = queryAll({ out: midasTakenOut(vault, of), in: midasPutIn(vault, of.flows) });
  return mapQuery(amounts, (taken) =>
    taken.out === null || taken.in === null ? null : taken.out - taken.in,
  );
}

const explain = familyErrors({
  errors: {
    "error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)": "no_liquidity",
  },
  reasons: [
    { reason: /^MV: token not exists$/, code: "token_unsupported" },
    { reason: /^MV: exceed (limit|allowance)$/, code: "no_liquidity" },
    { reason: /^RV\w*: amount < min$|^RV\w*: amountMTokenIn < fee$/, code: "below_minimum" },
    { reason: /^MTMB: min balance not met$/, code: "below_minimum" },
    { reason: /^RV\w+: insufficient|transfer amount exceeds balance/, code: "no_liquidity" },
    { reason: /^RV\w+: \w+ (< needed|> balance)$/, code: "no_liquidity" },
    { reason: /^Pausable: (fn )?paused$|token transfer while paused$/, code: "exits_paused" },
  ],
});

/**
 * Withdrawals from Midas. The RedemptionVault pays instantly or accepts a request, which an administrator pays by
 * approving it; a rejected request returns nothing on chain. A vault without a RedemptionVault or its tokens in the
 * registry entry supports no mode. Source: midas-apps/contracts.
 */
export const midasExits: VaultExits = {
  modes: (vault) =>
    redemptionVault(vault) === null || redemptionTokens(vault).length === 0 ? [] : ["instant", "request"],
  tokens: redemptionTokens,
  viaRouter: (vault, mode) => mode === "instant" && vault.params["redeem_via"] === "router",
  terms: describeExit,
  encode,
  explain,
  pending: midasPending,
  findsByIds: () => true,
  takenOut: takenByRequests,
  mintedShares: midasMintedShares,
  takenShares: midasTakenShares,
  paysUnclaimed: () => true,
  claim: () => null,
  keepsRejected: true,
  findRequest: findMidasRequest,
  findSettlement: findMidasSettlement,
};
