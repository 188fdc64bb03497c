import { type Address, parseAbi } from "viem";
import {
  createQuery,
  type Query,
  type ReadResult,
  type ReadResults,
  read,
  readThen,
  valueOrNull,
} from "../../../chains/query.ts";
import { sameAddress } from "../../../lib/address.ts";
import { larger, leastAmount, MAX_UINT256, mulDivDown } from "../../../lib/amount.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import { depositSelector, midasMode, midasUnit } from "./params.ts";

/** What decides how many mTokens a payment gives. All rates and units count 10^18 as one. */
export interface MidasRates {
  /** What one payment token is worth; the same unit prices the mToken. */
  tokenRate: bigint;
  mTokenRate: bigint;
  /** In basis points of the payment. */
  fee: bigint;
  /** Of the family's units in one smallest unit of the token. */
  unit: bigint;
}

const WAD = 10n ** 18n;
const FEE_DENOMINATOR = 10_000n;

/** The mTokens for an amount (smallest unit of the token), rounded as the DepositVault rounds. Null: none can be. */
export function midasMinted(rates: MidasRates, amount: bigint): bigint | null {
  const { tokenRate, mTokenRate, fee, unit } = rates;
  const payment = amount * unit;
  if (mTokenRate === 0n || fee > FEE_DENOMINATOR || payment > MAX_UINT256) return null;
  const worth = mulDivDown(payment, tokenRate, WAD);
  // The fee is paid in the token, so it is cut to the token's decimals.
  const feeToken = mulDivDown(payment, fee, FEE_DENOMINATOR * unit) * unit;
  const feeWorth = mulDivDown(feeToken, tokenRate, WAD);
  return mulDivDown(worth - feeWorth, WAD, mTokenRate);
}

/** The most that can be paid in at all: its count in the family's units is a uint256. */
export const maxPayment = ({ unit }: Pick<MidasRates, "unit">): bigint => MAX_UINT256 / unit;

/** The least amount that gives at least so many mTokens; null: no amount does. */
export function leastPaymentFor(rates: MidasRates, mTokens: bigint): bigint | null {
  if (mTokens === 0n) return 0n;
  return leastAmount(maxPayment(rates), (amount) => (midasMinted(rates, amount) ?? 0n) >= mTokens);
}

/** The largest amount that gives at most so many mTokens. */
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

/** Which payment token, and who is seen to pay; null: nobody in particular, or the Router's clone of that deposit. */
export interface MidasPayment {
  token: { address: Address; decimals: number };
  caller: Address | null;
}

/** What a DepositVault says of a payment. Null: not known. mTokens and rates count 10^18 as one. */
export interface MidasMarket {
  /** Whether its mToken and its feed are those of the registry. */
  ours: boolean;
  /** Whether it takes the token; null: it did not say. */
  takes: boolean | null;
  paused: boolean;
  rates: MidasRates | null;
  /** The feeds by themselves, the mToken's first, and what one reverts with when its answer is old. */
  feed: ReadResult<bigint>;
  /** The least mTokens that this payer must get. */
  minMTokens: bigint | null;
  /** In units of 10^18; the largest uint256 stands for no limit. */
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
    // Nothing is minted while the mToken itself is paused.
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

const ONE_WAD = 10n ** 18n;
const BPS_DENOMINATOR = 10_000n;
const NO_ANSWER = { ok: false, revert: null } as const;

/** Reads what a payment depends on, the payment token's own feed included where it has no fixed price. */
export function midasMarket(vault: Vault, payment: MidasPayment): Query<MidasMarket> {
  const { caller } = payment;
  const reads = { ...coreReads(vault, payment), ...(caller === null ? {} : callerReads(vault, caller)) };
  return readThen(reads, (results) => {
    const config = valueOrNull(results.config);
    const toMarket = (token: ReadResult<bigint>) => marketOf(vault, { payment, results, token });
    if (config === null) return createQuery({}, () => toMarket(NO_ANSWER));
    const [tokenFeed, , , stable] = config;
    const tokenRate = read({ to: tokenFeed, abi: feedAbi(), name: "getDataInBase18" });
    // A fixed price is that only while the token's own feed is healthy.
    return createQuery({ tokenRate }, ({ tokenRate: told }) =>
      toMarket(told.ok && stable ? { ok: true, value: ONE_WAD } : told),
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
    ours:
      sameAddress(valueOrNull(results.mToken) ?? "", vault.shareToken) &&
      sameAddress(valueOrNull(results.feedOf) ?? "", vault.pricer),
    takes: takesToken(payment, results),
    paused: [results.paused, results.fnPaused, results.mTokenPaused].some((on) => valueOrNull(on) === true),
    rates: ratesOf(vault, input),
    feed: results.feed.ok && config !== null ? token : results.feed,
    minMTokens: minimumOf(results),
    allowance: config === null || !token.ok ? null : config[2],
  };
}

function takesToken({ token }: MidasPayment, { tokens, config }: Results): boolean | null {
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
  const together = config.value[1] + (instant && instantFee.ok ? instantFee.value : 0n);
  const asked = together < BPS_DENOMINATOR ? together : BPS_DENOMINATOR;
  const waived = valueOrNull(results.waived ?? NO_ANSWER) === true;
  return { tokenRate: token.value, mTokenRate: feed.value, fee: waived ? 0n : asked, unit };
}

/** The first deposit of a payer has a minimum of its own; nobody in particular is somebody new. */
function minimumOf({ minAmount, minFirst, minted, free }: Results): bigint | null {
  if (valueOrNull(free ?? NO_ANSWER) === true) return 0n;
  const returning = (valueOrNull(minted ?? NO_ANSWER) ?? 0n) > 0n;
  return larger(valueOrNull(minAmount), returning ? null : valueOrNull(minFirst));
}
