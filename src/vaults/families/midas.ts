import { encodeFunctionData, type Hex, parseAbi } from "viem";
import { type Described, describe, describeAll, mapDescribed, read, valueOrNull } from "../../chains/read.ts";
import { mulDivDown } from "../../lib/amount.ts";
import { DAY_MS } from "../../lib/durations.ts";
import { once } from "../../lib/once.ts";
import type {
  DepositCall,
  DepositRequest,
  DepositTerms,
  TermsRequest,
  VaultAdapter,
  VaultFlags,
  VaultState,
} from "../adapter.ts";
import { ownErrors } from "../own-errors.ts";
import { wordParam } from "../params.ts";
import { sharePriceOf } from "../share-price.ts";
import type { Vault } from "../vault.ts";
import { midasFlows } from "./midas-flows.ts";
import { type MidasMarket, midasMarket, type Payment } from "./midas-market.ts";
import { leastFor, type MidasRates, midasMinted, mostFor, mostPayable } from "./midas-mint.ts";
import { checkMidasParams, midasDepositAbis, midasMode, unitOf } from "./midas-params.ts";
import { midasRequests } from "./midas-requests.ts";
import { midasLens, midasStillValued, midasWorth } from "./midas-worth.ts";

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
interface Room {
  supply: bigint | null;
  /** Left of today's limit on instant deposits; null for requests, which it does not bind. */
  today: bigint | null;
  /** Left under the cap on the supply; null: no cap, as before August 2025. */
  underCap: bigint | null;
  known: boolean;
}

const lessOrNone = (limit: bigint, used: bigint): bigint => (limit > used ? limit - used : 0n);

function describeRoom(vault: Vault, now: number): Described<Room> {
  const on = { to: vault.entryPoint, abi: limitsAbi() } as const;
  const day = BigInt(Math.floor(now / DAY_MS));
  return describe(
    {
      limit: read({ ...on, name: "instantDailyLimit" }),
      used: read({ ...on, name: "dailyLimits", args: [day] }),
      cap: read({ ...on, name: "maxSupplyCap" }),
      supply: read({ to: vault.shareToken, abi: limitsAbi(), name: "totalSupply" }),
    },
    ({ limit, used, cap, supply }): Room => {
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
function mostAllowed(market: MidasMarket, room: Room): bigint | null {
  const { rates, allowance } = market;
  if (rates === null || allowance === null || !room.known) return null;
  const bounds = [room.today, room.underCap].flatMap((mTokens) =>
    mTokens === null ? [] : [mostFor(rates, mTokens)],
  );
  return [mostPayable(rates), allowance / rates.unit, ...bounds].reduce((a, b) => (a < b ? a : b));
}

function minimumAmount({ rates, minMTokens }: MidasMarket): bigint | null {
  return rates === null || minMTokens === null ? null : leastFor(rates, minMTokens);
}

const isPaused = ({ paused, takes }: MidasMarket): boolean => paused || takes === false;

/** A payment of the asset by nobody in particular. */
const anybody = (vault: Vault): Payment => ({ token: vault.asset, caller: null });

/** Tokens, in smallest units, for mTokens. */
const priceSample = ({ mTokenRate, tokenRate, unit }: MidasRates) => ({
  assets: mTokenRate,
  shares: tokenRate * unit,
});

type Reading = { market: MidasMarket; room: Room };

function describeReading(vault: Vault, payment: Payment & { now: number }): Described<Reading> {
  return describeAll({ market: midasMarket(vault, payment), room: describeRoom(vault, payment.now) });
}

function toTerms(request: TermsRequest, { market, room }: Reading): DepositTerms {
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

function toState(vault: Vault, { market, room }: Reading): VaultState {
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

function depositData(vault: Vault, request: DepositRequest & { units: bigint }): Hex {
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

function encode(vault: Vault, request: DepositRequest): DepositCall {
  const { instant, names } = midasMode(vault);
  const unit = unitOf(request.token.decimals);
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

const explain = ownErrors({
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
    mapDescribed(describeReading(vault, { now, ...anybody(vault) }), (reading) => toState(vault, reading)),
  flags: (vault) =>
    mapDescribed(
      midasMarket(vault, anybody(vault)),
      (market): VaultFlags => ({ paused: isPaused(market), minDeposit: minimumAmount(market) }),
    ),
  terms: (vault, request) =>
    mapDescribed(describeReading(vault, request), (reading) => toTerms(request, reading)),
  encode,
  explain,
  flows: midasFlows,
  requests: (vault) => (midasMode(vault).instant ? null : midasRequests),
};
