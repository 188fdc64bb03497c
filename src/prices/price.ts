import type { Address } from "viem";
import { mulDivDown } from "../lib/amount.ts";

/** A token on one chain. The zero address is the chain's native currency. */
export interface ChainToken {
  chainId: number;
  token: Address;
}

/** Price of a token in US dollars, with its source. */
export interface Price {
  /** US dollars per whole token, times 10^18, rounded down. */
  usd: bigint;
  /** `feed`: price feeds on chain; `market`: the public price API. A provider's own figure is never a price. */
  source: "feed" | "market";
  /** Time of the observation by its source, of several feeds the oldest, in seconds since the epoch. */
  at: number;
  /** Confidence that the source states, from 0 to 1, or null if it states none. */
  confidence: number | null;
}

/** A token's price with the bounds, error and reliability that checks of offers use. */
export interface TokenPrice extends Price {
  /** Bounds of the price: both equal `usd` or, if `disputed`, the lower and the higher of feed and market price. */
  low: bigint;
  high: bigint;
  /** True if offers may be checked against both sources and these differ by more than `combinePrices` allows. */
  disputed: boolean;
  /** Error bound of the price, in basis points: the sum of its feeds' deviations, or what is assumed of the market. */
  errorBps: number;
  /**
   * True if this price may be used to accept or reject an offer. False for nominal feed prices (see `TokenFeed`), which
   * cannot show a depeg, and for market prices of unknown or low confidence or over 15 minutes old.
   */
  judges: boolean;
  /**
   * Unit that the token is pegged to or tracks closely, such as `USD` for dollar stablecoins and `ETH` for wrapped and
   * staked ether. Null if there is none or it is unknown.
   */
  unit: string | null;
}

/** Prices by `priceKey`; a token without an entry has no known price. */
export type Prices = ReadonlyMap<string, TokenPrice>;

/** Scale of prices and of values in US dollars: one dollar is 10^18. */
export const USD_SCALE = 10n ** 18n;

/** Returns the key of a token in `Prices`: `<chain id>:<lowercase address>`. */
export function priceKey({ chainId, token }: ChainToken): string {
  return `${chainId}:${token.toLowerCase()}`;
}

/** Returns a token's price, or null if it is unknown. */
export function priceOf(prices: Prices, token: ChainToken): TokenPrice | null {
  return prices.get(priceKey(token)) ?? null;
}

/** Returns an amount's value in US dollars, times 10^18, rounded down. `amount` is in the token's smallest unit. */
export function valueInUsd(amount: bigint, token: { decimals: number; usd: bigint }): bigint {
  return mulDivDown(amount, token.usd, 10n ** BigInt(token.decimals));
}

/** Decimals of a value in US dollars in the API's responses. */
const VALUE_DECIMALS = 6;
const PRICE_DECIMALS = 18;

/** Formats a value in US dollars (times 10^18) with two to six decimals, rounded down. Returns null for null. */
export function formatUsdValue(value: bigint | null): string | null {
  return value === null ? null : formatUsd(value, VALUE_DECIMALS);
}

/** Formats a price (US dollars per whole token, times 10^18) as an exact decimal string with at least two decimals. */
export function formatUsdPrice(usd: bigint): string {
  return formatUsd(usd, PRICE_DECIMALS);
}

/** Formats the time of a price (seconds since the epoch) as the API shows it, in RFC 3339. */
export function formatTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

/**
 * Returns the value of an amount (in the token's smallest unit) as the API shows it: a decimal string in US dollars
 * with two to six decimals, rounded down, or null if amount or price is unknown.
 */
export function showUsdValue(
  amount: bigint | null,
  of: { decimals: number; price: Pick<Price, "usd"> | null },
): string | null {
  if (amount === null || of.price === null) return null;
  return formatUsdValue(valueInUsd(amount, { decimals: of.decimals, usd: of.price.usd }));
}

function formatUsd(value: bigint, decimals: number): string {
  const cut = value / 10n ** BigInt(PRICE_DECIMALS - decimals);
  const digits = cut.toString().padStart(decimals + 1, "0");
  const fraction = digits.slice(-decimals).replace(/0+$/, "").padEnd(2, "0");
  return `${digits.slice(0, -decimals)}.${fraction}`;
}
