import { encodeFunctionData, type Hex, parseAbi } from "viem";
import { createQuery, mapQuery, type Query, queryAll, read, valueOrNull } from "../../../chains/query.ts";
import { mulDivDown } from "../../../lib/amount.ts";
import { DAY_MS } from "../../../lib/durations.ts";
import { once } from "../../../lib/once.ts";
import { familyErrors } from "../../reverts.ts";
import { sharePriceOf } from "../../share-price.ts";
import type { Vault } from "../../vault.ts";
import type {
  DepositCall,
  DepositInput,
  DepositTerms,
  TermsInput,
  VaultAdapter,
  VaultFlags,
  VaultState,
} from "../../vault-adapter.ts";
import { wordParam } from "../../vault-params.ts";
import { midasFlows } from "./flows.ts";
import { checkMidasParams, midasDepositAbis, midasMode, midasUnit } from "./params.ts";
import {
  leastPaymentFor,
  type MidasMarket,
  type MidasPayment,
  type MidasRates,
  maxPayment,
  midasMarket,
  midasMinted,
  mostPaymentFor,
} from "./pricing.ts";
import { midasRequests } from "./requests.ts";
import { midasLens, midasStillValued, midasWorth } from "./valuation.ts";

const limitsAbi = once(() =>
  parseAbi([
    "function instantDailyLimit() view returns (uint256)",
    "function dailyLimits(uint256) view returns (uint256)",
    "function maxSupplyCap() view returns (uint256)",
    "function totalSupply() view returns (uint256)",
  ]),
);

/** The token and the amount are the first words of every deposit. */
const AMOUNT_OFFSET = 36;

/** What is left of the limits. mTokens; null: not known. */
interface MintRoom {
  supply: bigint | null;
  /** Left of today's limit on instant deposits; null for requests, which it does not bind. */
  today: bigint | null;
  /** Left under the cap on the supply; null: no cap, as before August 2025. */
  underCap: bigint | null;
  known: boolean;
}

const lessOrNone = (limit: bigint, used: bigint): bigint => (limit > used ? limit - used : 0n);

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
        today: instant && limit.ok && used.ok ? lessOrNone(limit.value, used.value) : null,
        underCap: cap.ok && minted !== null ? lessOrNone(cap.value, minted) : null,
        known: minted !== null && (!instant || (limit.ok && used.ok)),
      };
    },
  );
}

/** The most that fits under every limit, smallest unit of the token; null: not known. */
function mostAllowed(market: MidasMarket, room: MintRoom): bigint | null {
  const { rates, allowance } = market;
  if (rates === null || allowance === null || !room.known) return null;
  const bounds = [room.today, room.underCap].flatMap((mTokens) =>
    mTokens === null ? [] : [mostPaymentFor(rates, mTokens)],
  );
  return [maxPayment(rates), allowance / rates.unit, ...bounds].reduce((a, b) => (a < b ? a : b));
}

function minimumAmount({ rates, minMTokens }: MidasMarket): bigint | null {
  return rates === null || minMTokens === null ? null : leastPaymentFor(rates, minMTokens);
}

const isPaused = ({ paused, takes }: MidasMarket): boolean => paused || takes === false;

/** A payment of the asset by nobody in particular. */
const anonymousPayment = (vault: Vault): MidasPayment => ({ token: vault.asset, caller: null });

/** Tokens, in smallest units, for mTokens. */
const priceSample = ({ mTokenRate, tokenRate, unit }: MidasRates) => ({
  assets: mTokenRate,
  shares: tokenRate * unit,
});

type MidasSnapshot = { market: MidasMarket; room: MintRoom };

function describeSnapshot(vault: Vault, payment: MidasPayment & { now: number }): Query<MidasSnapshot> {
  return queryAll({ market: midasMarket(vault, payment), room: describeMintRoom(vault, payment.now) });
}

function toTerms(request: TermsInput, { market, room }: MidasSnapshot): DepositTerms {
  const { rates, feed } = market;
  return {
    asset: market.ours && market.takes !== null ? request.token.address : null,
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
  };
}

function depositData(vault: Vault, request: DepositInput & { units: bigint }): Hex {
  const { instant, names } = midasMode(vault);
  const { instantFor, instant: plain, requestFor, request: plainRequest } = midasDepositAbis();
  const [token, referrer] = [request.token.address, wordParam(vault, "referrer")];
  if (instant) {
    const args = [token, request.units, request.minShares, referrer] as const;
    return names
      ? encodeFunctionData({ abi: instantFor, args: [...args, request.receiver] })
      : encodeFunctionData({ abi: plain, args });
  }
  const args = [token, request.units, referrer] as const;
  return names
    ? encodeFunctionData({ abi: requestFor, args: [...args, request.receiver] })
    : encodeFunctionData({ abi: plainRequest, args });
}

function encode(vault: Vault, request: DepositInput): DepositCall {
  const { instant, names } = midasMode(vault);
  const unit = midasUnit(request.token.decimals);
  if (unit === null) throw new RangeError(`${request.token.symbol} has more than 18 decimals`);
  return {
    target: vault.entryPoint,
    spender: vault.spender,
    data: depositData(vault, { ...request, units: request.amount * unit }),
    amountOffset: AMOUNT_OFFSET,
    amountScale: unit,
    shareToken: vault.shareToken,
    sharesTo: names ? "receiver" : "caller",
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
 * Midas: a DepositVault takes payment tokens and mints the mToken, at once or when an administrator approves
 * the request. It counts every token by 18 decimals, its minimums and limits in mTokens, and the first
 * deposit of each caller by itself. Row: entry point and spender = DepositVault, share token = mToken, pricer =
 * the mToken's feed; `params.deposit` (instant, request), `params.recipient` (argument, caller),
 * `params.asset_rate` (`stable` where the asset has the fixed price; else `params.asset_feed` prices it, and without
 * one a position's worth is not known),
 * `params.redemption_vault`, `params.referrer`. Source: midas-apps/contracts.
 */
export const midas: VaultAdapter = {
  name: "midas",
  noMinimum: false,
  checkParams: checkMidasParams,
  lens: midasLens,
  worth: midasWorth,
  stillValued: midasStillValued,
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
    mapQuery(describeSnapshot(vault, request), (reading) => toTerms(request, reading)),
  encode,
  explain,
  flows: midasFlows,
  requests: (vault) => (midasMode(vault).instant ? null : midasRequests),
};
