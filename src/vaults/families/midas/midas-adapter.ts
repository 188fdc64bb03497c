import { encodeFunctionData, type Hex, parseAbi } from "viem";
import {
  createQuery,
  mapQuery,
  type Query,
  queryAll,
  read,
  valueOrNull,
} from "../../../chains/chain-reads.ts";
import { mulDivDown } from "../../../lib/amount.ts";
import { DAY_MS } from "../../../lib/durations.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import type {
  DepositCall,
  DepositInput,
  DepositTerms,
  TermsInput,
  VaultAdapter,
  VaultFamily,
  VaultFlags,
  VaultState,
} from "../../vault-adapter.ts";
import { wordParam } from "../../vault-params.ts";
import { unknownPause } from "../../vault-pause.ts";
import { familyErrors } from "../../vault-reverts.ts";
import { sharePriceOf } from "../../vault-share-price.ts";
import { midasAdmission } from "./midas-admission.ts";
import { midasRequests } from "./midas-deposit-requests.ts";
import { midasDeriver } from "./midas-derivation.ts";
import { midasExits } from "./midas-exits.ts";
import { midasFlows } from "./midas-flow-events.ts";
import { midasEvents } from "./midas-governance-events.ts";
import { checkMidasParams, midasDepositAbis, midasMode, midasUnit } from "./midas-params.ts";
import {
  largestPaymentFor,
  type MidasMarket,
  type MidasPayment,
  type MidasRates,
  maxPayment,
  midasMarket,
  midasMinted,
  smallestPaymentFor,
} from "./midas-pricing.ts";
import { midasLens, midasPricingUnchanged, midasToAssets } from "./midas-valuation.ts";

const limitsAbi = once(() =>
  parseAbi([
    "function instantDailyLimit() view returns (uint256)",
    "function dailyLimits(uint256) view returns (uint256)",
    "function maxSupplyCap() view returns (uint256)",
    "function totalSupply() view returns (uint256)",
  ]),
);

/** Byte offset of the amount in every deposit function: the second word after the selector. */
const AMOUNT_OFFSET = 36;

/** The mTokens (Midas's share tokens) that may still be minted under each limit, in the mToken's smallest unit. */
interface MintRoom {
  /** The mToken's total supply, or null if unknown. */
  supply: bigint | null;
  /** Remainder of today's limit on instant deposits. Null for requests, which have no daily limit, and if unknown. */
  today: bigint | null;
  /** mTokens left under the supply cap. Null if there is no cap, as in versions before August 2025, or if unknown. */
  underCap: bigint | null;
  /** False if the supply or, for instant deposits, the daily limit could not be read. */
  known: boolean;
}

const remaining = (limit: bigint, used: bigint): bigint => (limit > used ? limit - used : 0n);

function describeMintRoom(vault: Vault, now: number): Query<MintRoom> {
  const on = { to: vault.entryPoint, abi: limitsAbi() } as const;
  const day = BigInt(Math.floor(now / DAY_MS));
  return createQuery(
    {
      limit: read({ ...on, name: "instantDailyLimit" }),
      used: read({ ...on, name: "dailyLimits", args: [day] }),
      cap: read({ ...on, name: "maxSupplyCap" }),
      supply: read({ to: vault.shareToken, abi: limitsAbi(), name: "totalSupply" }),
    },
    ({ limit, used, cap, supply }): MintRoom => {
      const { instant } = midasMode(vault);
      const minted = valueOrNull(supply);
      return {
        supply: minted,
        today: instant && limit.ok && used.ok ? remaining(limit.value, used.value) : null,
        underCap: cap.ok && minted !== null ? remaining(cap.value, minted) : null,
        known: minted !== null && (!instant || (limit.ok && used.ok)),
      };
    },
  );
}

/** Returns the largest deposit under all limits, in the deposited token's smallest unit, or null if unknown. */
function mostAllowed(market: MidasMarket, room: MintRoom): bigint | null {
  const { rates, allowance } = market;
  if (rates === null || allowance === null || !room.known) return null;
  const bounds = [room.today, room.underCap].flatMap((mTokens) =>
    mTokens === null ? [] : [largestPaymentFor(rates, mTokens)],
  );
  return [maxPayment(rates), allowance / rates.unit, ...bounds].reduce((a, b) => (a < b ? a : b));
}

function minimumAmount({ rates, minMTokens }: MidasMarket): bigint | null {
  return rates === null || minMTokens === null ? null : smallestPaymentFor(rates, minMTokens);
}

const isPaused = ({ paused, accepted }: MidasMarket): boolean => paused || accepted === false;

/** Returns a payment in the vault's asset without a specific payer. */
const anonymousPayment = (vault: Vault): MidasPayment => ({ token: vault.asset, caller: null });

/** Returns a sample of the share price: payment tokens and mTokens of the same value, both in smallest units. */
const priceSample = ({ mTokenRate, tokenRate, unit }: MidasRates) => ({
  assets: mTokenRate,
  shares: tokenRate * unit,
});

/** Prices, fees and limits of a DepositVault (Midas's deposit contract) for one payment, read in one query. */
type MidasSnapshot = { market: MidasMarket; room: MintRoom };

function describeSnapshot(vault: Vault, payment: MidasPayment & { now: number }): Query<MidasSnapshot> {
  return queryAll({ market: midasMarket(vault, payment), room: describeMintRoom(vault, payment.now) });
}

function toTerms(request: TermsInput, { market, room }: MidasSnapshot): DepositTerms {
  const { rates, feed } = market;
  return {
    asset: market.matchesRegistry && market.accepted !== null ? request.token.address : null,
    previewShares: rates === null ? null : midasMinted(rates, request.amount),
    previewRevert: feed.ok ? null : feed.revert,
    price: rates === null ? null : priceSample(rates),
    maxDeposit: mostAllowed(market, room),
    minDeposit: minimumAmount(market),
    paused: isPaused(market),
  };
}

function toState(vault: Vault, { market, room }: MidasSnapshot): VaultState {
  const { rates } = market;
  const paused = isPaused(market);
  const sample = rates === null ? null : priceSample(rates);
  const decimals = { asset: vault.asset.decimals, share: vault.shareDecimals };
  const { supply } = room;
  return {
    totalAssets: sample === null || supply === null ? null : mulDivDown(supply, sample.assets, sample.shares),
    totalSupply: supply,
    sharePrice: sharePriceOf(sample, decimals),
    maxDeposit: paused ? 0n : mostAllowed(market, room),
    minDeposit: minimumAmount(market),
    paused,
    ...unknownPause(!paused && market.pauseUnknown),
  };
}

function depositData(vault: Vault, request: DepositInput & { units: bigint }): Hex {
  const { instant, namesRecipient } = midasMode(vault);
  const { instantFor, instant: plain, requestFor, request: plainRequest } = midasDepositAbis();
  const [token, referrer] = [request.token.address, wordParam(vault, "referrer")];
  if (instant) {
    const args = [token, request.units, request.minShares, referrer] as const;
    return namesRecipient
      ? encodeFunctionData({ abi: instantFor, args: [...args, request.receiver] })
      : encodeFunctionData({ abi: plain, args });
  }
  const args = [token, request.units, referrer] as const;
  return namesRecipient
    ? encodeFunctionData({ abi: requestFor, args: [...args, request.receiver] })
    : encodeFunctionData({ abi: plainRequest, args });
}

function encode(vault: Vault, request: DepositInput): DepositCall {
  const { instant, namesRecipient } = midasMode(vault);
  const unit = midasUnit(request.token.decimals);
  if (unit === null) throw new RangeError(`${request.token.symbol} has more than 18 decimals`);
  return {
    target: vault.entryPoint,
    spender: vault.spender,
    data: depositData(vault, { ...request, units: request.amount * unit }),
    amountOffset: AMOUNT_OFFSET,
    amountScale: unit,
    shareToken: vault.shareToken,
    sharesTo: namesRecipient ? "receiver" : "caller",
    async: !instant,
    minShares: instant ? "native" : "router",
  };
}

const explain = familyErrors({
  reasons: [
    { reason: /^C?DF: |^DV: rate zero$/, code: "price_stale" },
    { reason: /^WMAC: has(nt)? role$|^WSL: sanctioned$/, code: "not_allowed" },
    { reason: /^DV: (mToken|mint) amount < min$|^MTMB: min balance not met$/, code: "below_minimum" },
    { reason: /^DV: invalid mint amount$/, code: "zero_shares" },
    { reason: /^MV: exceed (limit|allowance)$|^DV: max supply cap exceeded$/, code: "above_maximum" },
    {
      reason: /^MV: token not exists$|^Pausable: (fn )?paused$|^ERC20Pausable: token transfer while paused$/,
      code: "vault_paused",
    },
  ],
});

/**
 * Adapter of Midas. A DepositVault takes payment tokens and mints the mToken (the share token), immediately or when a
 * request is approved. `checkMidasParams` lists its registry parameters. Source: midas-apps/contracts.
 */
export const midas: VaultAdapter = {
  name: "midas",
  noMinimum: false,
  checkParams: checkMidasParams,
  lens: midasLens,
  toAssets: midasToAssets,
  pricingUnchanged: midasPricingUnchanged,
  state: (vault, now) =>
    mapQuery(describeSnapshot(vault, { now, ...anonymousPayment(vault) }), (reading) =>
      toState(vault, reading),
    ),
  flags: (vault) =>
    mapQuery(
      midasMarket(vault, anonymousPayment(vault)),
      (market): VaultFlags => ({ paused: isPaused(market), minDeposit: minimumAmount(market) }),
    ),
  terms: (vault, request) =>
    mapQuery(
      queryAll({
        market: midasMarket(vault, request),
        room: describeMintRoom(vault, request.now),
        refusal: midasAdmission(vault, request),
      }),
      ({ refusal, ...reading }): DepositTerms => ({ ...toTerms(request, reading), refusal }),
    ),
  encode,
  explain,
  flows: midasFlows,
  // Anyone can send requests to a DepositVault, also if deposits are built as instant ones.
  asyncDeposits: (vault, at) => (midasMode(vault).instant && at !== "anywhere" ? null : midasRequests),
  exits: midasExits,
  exitFeeInTerms: true,
};

/** Vault family of Midas's mTokens: its adapter, deriver and governance events. */
export const midasFamily: VaultFamily = {
  adapter: midas,
  type: "midas",
  deriver: midasDeriver,
  governanceEvents: midasEvents,
};
