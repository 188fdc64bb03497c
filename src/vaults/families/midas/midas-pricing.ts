import { type Address, parseAbi } from "viem";
import {
  createQuery,
  isUnmade,
  type Query,
  type ReadResult,
  type ReadResults,
  read,
  readThen,
  valueOrNull,
} from "../../../chains/chain-reads.ts";
import { sameAddress } from "../../../lib/address.ts";
import { larger, MAX_UINT256, mulDivDown, smallestAmount } from "../../../lib/amount.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import { depositSelector, midasMode, midasUnit } from "./midas-params.ts";

/** Prices and fee that determine how many mTokens a payment mints. Prices have 18 decimals. */
export interface MidasRates {
  /** Price of one payment token, in the same currency as `mTokenRate`. */
  tokenRate: bigint;
  /** Price of one mToken, in the same currency as `tokenRate`. */
  mTokenRate: bigint;
  /** Fee in basis points of the payment. */
  fee: bigint;
  /** Factor from the token's smallest unit to an amount with 18 decimals. */
  unit: bigint;
}

/** The number 1 as a fixed-point number with 18 decimals. */
export const WAD = 10n ** 18n;
/** Denominator of Midas's fees, which are in basis points. */
const FEE_DENOMINATOR = 10_000n;

/**
 * Returns the mTokens (18 decimals) that `amount`, in the token's smallest unit, mints after the fee, rounded as in the
 * DepositVault. Null if the mToken's price is 0, the fee is above 100%, or the amount exceeds `maxPayment`.
 */
export function midasMinted(rates: MidasRates, amount: bigint): bigint | null {
  const { tokenRate, mTokenRate, fee, unit } = rates;
  const payment = amount * unit;
  if (mTokenRate === 0n || fee > FEE_DENOMINATOR || payment > MAX_UINT256) return null;
  const value = mulDivDown(payment, tokenRate, WAD);
  // The fee is paid in the token, so it is rounded down to the token's decimals.
  const feeToken = mulDivDown(payment, fee, FEE_DENOMINATOR * unit) * unit;
  const feeValue = mulDivDown(feeToken, tokenRate, WAD);
  return mulDivDown(value - feeValue, WAD, mTokenRate);
}

/**
 * Returns the largest possible payment, in the token's smallest unit: the one that, with 18 decimals, still fits into a
 * uint256.
 */
export const maxPayment = ({ unit }: Pick<MidasRates, "unit">): bigint => MAX_UINT256 / unit;

/**
 * Returns the smallest payment, in the token's smallest unit, that mints at least the given mTokens (18 decimals).
 * Returns 0 for zero mTokens, and null if no payment mints that many, for example because there is no price.
 */
export function smallestPaymentFor(rates: MidasRates, mTokens: bigint): bigint | null {
  if (mTokens === 0n) return 0n;
  return smallestAmount(maxPayment(rates), (amount) => (midasMinted(rates, amount) ?? 0n) >= mTokens);
}

/**
 * Returns the largest payment, in the token's smallest unit, that mints at most the given mTokens (18 decimals): 0 for
 * zero mTokens, and the largest possible payment if none mints more.
 */
export function largestPaymentFor(rates: MidasRates, mTokens: bigint): bigint {
  if (mTokens === 0n) return 0n;
  const tooMuch = smallestAmount(maxPayment(rates), (amount) => (midasMinted(rates, amount) ?? 0n) > mTokens);
  return tooMuch === null ? maxPayment(rates) : tooMuch - 1n;
}

const depositVaultAbi = once(() =>
  parseAbi([
    "function mToken() view returns (address)",
    "function mTokenDataFeed() view returns (address)",
    "function minAmount() view returns (uint256)",
    "function minMTokenAmountForFirstDeposit() view returns (uint256)",
    "function totalMinted(address) view returns (uint256)",
    "function isFreeFromMinAmount(address) view returns (bool)",
    "function instantFee() view returns (uint256)",
    "function waivedFeeRestriction(address) view returns (bool)",
    "function tokensConfig(address) view returns (address dataFeed, uint256 fee, uint256 allowance, bool stable)",
    "function getPaymentTokens() view returns (address[])",
    "function paused() view returns (bool)",
    "function fnPaused(bytes4) view returns (bool)",
  ]),
);
const feedAbi = once(() => parseAbi(["function getDataInBase18() view returns (uint256)"]));
const mTokenAbi = once(() => parseAbi(["function paused() view returns (bool)"]));

/**
 * The token and payer of a deposit. `caller` is null if no specific account pays, or if the Router's executor does,
 * whose address is not known in advance.
 */
export interface MidasPayment {
  token: { address: Address; decimals: number };
  caller: Address | null;
}

/** The DepositVault's conditions for one payment. Amounts and prices have 18 decimals. Null means unknown. */
export interface MidasMarket {
  /** True if the DepositVault's mToken and price feed are those of the registry entry; false also if one is unread. */
  matchesRegistry: boolean;
  /** True if the DepositVault accepts the token. Null also for a token with more than 18 decimals. */
  accepted: boolean | null;
  /** True if the DepositVault, its deposit function or the mToken is paused. An unread pause does not count. */
  paused: boolean;
  /**
   * True if the pause of the DepositVault could not be read, or if the read of that of its deposit function or of the
   * mToken was not made (see `isUnmade`).
   */
  pauseUnknown: boolean;
  /** Null if one of its values is unknown, a price is 0, or the token has more than 18 decimals. */
  rates: MidasRates | null;
  /** The failure of the first price feed that fails, otherwise a success. Feeds revert if their price is stale. */
  feed: ReadResult<bigint>;
  /** Minimum of mTokens that this payer's deposit must mint: the larger of the known minimums that apply. */
  minMTokens: bigint | null;
  /**
   * Amount of the payment token that the DepositVault still accepts. The largest uint256 means no limit. Null also
   * while the token's price feed fails.
   */
  allowance: bigint | null;
}

function coreReads(vault: Vault, { token }: MidasPayment) {
  const on = { to: vault.entryPoint, abi: depositVaultAbi() } as const;
  const selector = depositSelector(midasMode(vault));
  return {
    config: read({ ...on, name: "tokensConfig", args: [token.address] }),
    tokens: read({ ...on, name: "getPaymentTokens" }),
    mToken: read({ ...on, name: "mToken" }),
    feedOf: read({ ...on, name: "mTokenDataFeed" }),
    feed: read({ to: vault.pricer, abi: feedAbi(), name: "getDataInBase18" }),
    instantFee: read({ ...on, name: "instantFee" }),
    minAmount: read({ ...on, name: "minAmount" }),
    minFirst: read({ ...on, name: "minMTokenAmountForFirstDeposit" }),
    paused: read({ ...on, name: "paused" }),
    fnPaused: read({ ...on, name: "fnPaused", args: [selector] }),
    // A paused mToken cannot be minted, which stops deposits too.
    mTokenPaused: read({ to: vault.shareToken, abi: mTokenAbi(), name: "paused" }),
  };
}

function callerReads(vault: Vault, caller: Address) {
  const on = { to: vault.entryPoint, abi: depositVaultAbi(), args: [caller] } as const;
  return {
    waived: read({ ...on, name: "waivedFeeRestriction" }),
    minted: read({ ...on, name: "totalMinted" }),
    free: read({ ...on, name: "isFreeFromMinAmount" }),
  };
}

type Results = ReadResults<ReturnType<typeof coreReads>> &
  Partial<ReadResults<ReturnType<typeof callerReads>>>;

const NO_ANSWER = { ok: false, revert: null } as const;

/**
 * Returns a query for a DepositVault's conditions for a payment; without a caller, those of an account without
 * exemptions that deposits for the first time.
 */
export function midasMarket(vault: Vault, payment: MidasPayment): Query<MidasMarket> {
  const { caller } = payment;
  const reads = { ...coreReads(vault, payment), ...(caller === null ? {} : callerReads(vault, caller)) };
  return readThen(reads, (results) => {
    const config = valueOrNull(results.config);
    const toMarket = (token: ReadResult<bigint>) => marketOf(vault, { payment, results, token });
    if (config === null) return createQuery({}, () => toMarket(NO_ANSWER));
    const [tokenFeed, , , stable] = config;
    const tokenRate = read({ to: tokenFeed, abi: feedAbi(), name: "getDataInBase18" });
    // The DepositVault accepts a token with a fixed price only while the token's feed works.
    return createQuery({ tokenRate }, ({ tokenRate: rate }) =>
      toMarket(rate.ok && stable ? { ok: true, value: WAD } : rate),
    );
  });
}

function marketOf(
  vault: Vault,
  input: { payment: MidasPayment; results: Results; token: ReadResult<bigint> },
): MidasMarket {
  const { payment, results, token } = input;
  const config = valueOrNull(results.config);
  return {
    matchesRegistry:
      sameAddress(valueOrNull(results.mToken) ?? "", vault.shareToken) &&
      sameAddress(valueOrNull(results.feedOf) ?? "", vault.pricer),
    accepted: acceptsToken(payment, results),
    paused: [results.paused, results.fnPaused, results.mTokenPaused].some((on) => valueOrNull(on) === true),
    pauseUnknown: !results.paused.ok || [results.fnPaused, results.mTokenPaused].some(isUnmade),
    rates: ratesOf(vault, input),
    feed: results.feed.ok && config !== null ? token : results.feed,
    minMTokens: minimumOf(results),
    allowance: config === null || !token.ok ? null : config[2],
  };
}

function acceptsToken({ token }: MidasPayment, { tokens, config }: Results): boolean | null {
  if (midasUnit(token.decimals) === null) return null;
  if (tokens.ok) return tokens.value.some((known) => sameAddress(known, token.address));
  return config.ok ? BigInt(config.value[0]) !== 0n : null;
}

function ratesOf(
  vault: Vault,
  input: { payment: MidasPayment; results: Results; token: ReadResult<bigint> },
): MidasRates | null {
  const { payment, results, token } = input;
  const unit = midasUnit(payment.token.decimals);
  const { config, feed, instantFee } = results;
  if (unit === null || !config.ok || !feed.ok || !token.ok) return null;
  if (feed.value === 0n || token.value === 0n) return null;
  const { instant } = midasMode(vault);
  if (instant && !instantFee.ok) return null;
  const total = config.value[1] + (instant && instantFee.ok ? instantFee.value : 0n);
  const charged = total < FEE_DENOMINATOR ? total : FEE_DENOMINATOR;
  const waived = valueOrNull(results.waived ?? NO_ANSWER) === true;
  return { tokenRate: token.value, mTokenRate: feed.value, fee: waived ? 0n : charged, unit };
}

/**
 * Returns the minimum of mTokens for a payer, or null if unknown. The separate minimum for first deposits also applies
 * if no specific payer is given.
 */
function minimumOf({ minAmount, minFirst, minted, free }: Results): bigint | null {
  if (valueOrNull(free ?? NO_ANSWER) === true) return 0n;
  const returning = (valueOrNull(minted ?? NO_ANSWER) ?? 0n) > 0n;
  return larger(valueOrNull(minAmount), returning ? null : valueOrNull(minFirst));
}
