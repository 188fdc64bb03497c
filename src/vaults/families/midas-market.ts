import { type Address, parseAbi } from "viem";
import {
  type Described,
  describe,
  describeThen,
  type ReadResult,
  type ReadResults,
  read,
  valueOrNull,
} from "../../chains/read.ts";
import { sameAddress } from "../../lib/address.ts";
import { larger } from "../../lib/amount.ts";
import { once } from "../../lib/once.ts";
import type { Vault } from "../vault.ts";
import type { MidasRates } from "./midas-mint.ts";
import { depositSelector, midasMode, unitOf } from "./midas-params.ts";

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
export interface Payment {
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

function coreReads(vault: Vault, { token }: Payment) {
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

const ONE = 10n ** 18n;
const BPS = 10_000n;
const FAILED = { ok: false, revert: null } as const;

/** Reads what a payment depends on, the payment token's own feed included where it has no fixed price. */
export function midasMarket(vault: Vault, payment: Payment): Described<MidasMarket> {
  const { caller } = payment;
  const reads = { ...coreReads(vault, payment), ...(caller === null ? {} : callerReads(vault, caller)) };
  return describeThen(reads, (results) => {
    const config = valueOrNull(results.config);
    const toMarket = (token: ReadResult<bigint>) => marketOf(vault, { payment, results, token });
    if (config === null) return describe({}, () => toMarket(FAILED));
    const [tokenFeed, , , stable] = config;
    const tokenRate = read({ to: tokenFeed, abi: feedAbi(), name: "getDataInBase18" });
    // A fixed price is that only while the token's own feed is healthy.
    return describe({ tokenRate }, ({ tokenRate: told }) =>
      toMarket(told.ok && stable ? { ok: true, value: ONE } : told),
    );
  });
}

function marketOf(
  vault: Vault,
  input: { payment: Payment; results: Results; token: ReadResult<bigint> },
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

function takesToken({ token }: Payment, { tokens, config }: Results): boolean | null {
  if (unitOf(token.decimals) === null) return null;
  if (tokens.ok) return tokens.value.some((known) => sameAddress(known, token.address));
  return config.ok ? BigInt(config.value[0]) !== 0n : null;
}

function ratesOf(
  vault: Vault,
  input: { payment: Payment; results: Results; token: ReadResult<bigint> },
): MidasRates | null {
  const { payment, results, token } = input;
  const unit = unitOf(payment.token.decimals);
  const { config, feed, instantFee } = results;
  if (unit === null || !config.ok || !feed.ok || !token.ok) return null;
  if (feed.value === 0n || token.value === 0n) return null;
  const { instant } = midasMode(vault);
  if (instant && !instantFee.ok) return null;
  const together = config.value[1] + (instant && instantFee.ok ? instantFee.value : 0n);
  const asked = together < BPS ? together : BPS;
  const waived = valueOrNull(results.waived ?? FAILED) === true;
  return { tokenRate: token.value, mTokenRate: feed.value, fee: waived ? 0n : asked, unit };
}

/** The first deposit of a payer has a minimum of its own; nobody in particular is somebody new. */
function minimumOf({ minAmount, minFirst, minted, free }: Results): bigint | null {
  if (valueOrNull(free ?? FAILED) === true) return 0n;
  const returning = (valueOrNull(minted ?? FAILED) ?? 0n) > 0n;
  return larger(valueOrNull(minAmount), returning ? null : valueOrNull(minFirst));
}
