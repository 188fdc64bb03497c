import { type Address, parseAbi } from "viem";
import {
  createQuery,
  type Query,
  type ReadResult,
  type ReadResults,
  read,
  readThen,
  valueOrNull,
} from "../../../chains/chain-query.ts";
import { sameAddress } from "../../../lib/address.ts";
import { larger, leastAmount, MAX_UINT256, mulDivDown } from "../../../lib/amount.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import { depositSelector, midasMode, midasUnit } from "./midas-params.ts";

/** Rates and fee of a payment. Rates have 18 decimals. */
export interface MidasRates {
  /** Price of one payment token, in the same currency as `mTokenRate`. */
  tokenRate: bigint;
  mTokenRate: bigint;
  /** Basis points of the payment. */
  fee: bigint;
  /** Units with 18 decimals per smallest unit of the token. */
  unit: bigint;
}

/** One, with 18 decimals. */
export const WAD = 10n ** 18n;
const FEE_DENOMINATOR = 10_000n;

/**
 * Returns the mTokens for an amount in the token's smallest unit, rounded down as the DepositVault rounds. Null when the deposit
 * is impossible.
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

/** Returns the largest possible payment, in the token's smallest unit: with 18 decimals it must fit a uint256. */
export const maxPayment = ({ unit }: Pick<MidasRates, "unit">): bigint => MAX_UINT256 / unit;

/** Returns the smallest amount that mints at least so many mTokens; null when no amount does. */
export function leastPaymentFor(rates: MidasRates, mTokens: bigint): bigint | null {
  if (mTokens === 0n) return 0n;
  return leastAmount(maxPayment(rates), (amount) => (midasMinted(rates, amount) ?? 0n) >= mTokens);
}

/** Returns the largest amount that mints at most so many mTokens. */
export function mostPaymentFor(rates: MidasRates, mTokens: bigint): bigint {
  if (mTokens === 0n) return 0n;
  const tooMuch = leastAmount(maxPayment(rates), (amount) => (midasMinted(rates, amount) ?? 0n) > mTokens);
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

/** A payment token and the account that pays. `caller` is null for no particular account, or for the Router's clone. */
export interface MidasPayment {
  token: { address: Address; decimals: number };
  caller: Address | null;
}

/** A DepositVault's terms for one payment. Amounts and rates have 18 decimals; null when not known. */
export interface MidasMarket {
  /** True when its mToken and feed are those of the registry row. */
  matchesRegistry: boolean;
  /** True when it accepts the token. */
  accepted: boolean | null;
  paused: boolean;
  rates: MidasRates | null;
  /** The first failing feed, with its revert data, or a working one: a feed reverts when its price is stale. */
  feed: ReadResult<bigint>;
  /** The minimum mTokens for this payer. */
  minMTokens: bigint | null;
  /** The payment token's remaining allowance. The largest uint256 means no limit. */
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
    // A paused mToken cannot be minted.
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

/** Reads a DepositVault's terms for a payment, in two rounds: the payment token's feed is known after the first. */
export function midasMarket(vault: Vault, payment: MidasPayment): Query<MidasMarket> {
  const { caller } = payment;
  const reads = { ...coreReads(vault, payment), ...(caller === null ? {} : callerReads(vault, caller)) };
  return readThen(reads, (results) => {
    const config = valueOrNull(results.config);
    const toMarket = (token: ReadResult<bigint>) => marketOf(vault, { payment, results, token });
    if (config === null) return createQuery({}, () => toMarket(NO_ANSWER));
    const [tokenFeed, , , stable] = config;
    const tokenRate = read({ to: tokenFeed, abi: feedAbi(), name: "getDataInBase18" });
    // A token with a fixed price is accepted only while its feed works.
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

/** Returns the minimum for a payer. First deposits have a minimum of their own, which also applies to no particular payer. */
function minimumOf({ minAmount, minFirst, minted, free }: Results): bigint | null {
  if (valueOrNull(free ?? NO_ANSWER) === true) return 0n;
  const returning = (valueOrNull(minted ?? NO_ANSWER) ?? 0n) > 0n;
  return larger(valueOrNull(minAmount), returning ? null : valueOrNull(minFirst));
}
