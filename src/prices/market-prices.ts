import * as z from "zod";
import { type BoundedResponse, boundedFetch, type Fetch, OutsideError } from "../lib/bounded-fetch.ts";
import { describeError, type Logger } from "../lib/logger.ts";
import type { Timing } from "../lib/outside-call-timing.ts";
import { parseRetryAfter } from "../lib/parse-retry-after.ts";
import { type ChainToken, priceKey, type TokenPrice, USD_SCALE } from "./price.ts";
import type { MarketBreaker } from "./price-book.ts";

/**
 * Timeout of one request to the price API, in milliseconds. A request is not repeated: prices are requested in parallel
 * with other work, which must not wait for a second attempt.
 */
const TIMEOUT_MS = 1_500;
/** Maximum size of a response, in bytes: over ten times that of a response for 50 tokens, at some 200 bytes each. */
const MAX_BYTES = 128 * 1024;
/** Maximum number of tokens in one request, because their ids are part of the URL. */
export const TOKENS_PER_REQUEST = 50;
/** Maximum age of a market price, in seconds: for display, and for checking offers. */
const MAX_AGE_S = 3_600;
const MAX_JUDGING_AGE_S = 900;
/** How far in the future the time of a price may be, in seconds. */
const MAX_SKEW_S = 300;
/** Minimum confidence of a market price against which offers may be checked. */
const MIN_JUDGING_CONFIDENCE = 0.9;
/** Error assumed for a market price, in basis points. */
const MARKET_ERROR_BPS = 50;
/** Maximum plausible price, in US dollars; a higher one is ignored. */
const MAX_USD = 10n ** 9n;

/** Names of chains in the API, by chain id; other chains are named by their id. Source: @defillama/sdk 5.0.235. */
const SLUGS: Readonly<Record<number, string>> = {
  1: "ethereum",
  10: "optimism",
  56: "bsc",
  100: "xdai",
  130: "unichain",
  137: "polygon",
  143: "monad",
  146: "sonic",
  999: "hyperliquid",
  8453: "base",
  9745: "plasma",
  42161: "arbitrum",
  43114: "avax",
  59144: "linea",
  747474: "katana",
};

const Coins = z.looseObject({ coins: z.record(z.string(), z.unknown()) });
const Coin = z.looseObject({
  price: z.number().positive(),
  timestamp: z.number().positive(),
  confidence: z.number().min(0).max(1).optional(),
});

/** Dependencies of requests to the price API. */
export interface MarketScope {
  /** Base URL of the API, or null if the deployment uses none. */
  apiUrl: string | null;
  breaker: MarketBreaker;
  fetch: Fetch;
  timing: Timing;
  now: () => number;
  log: Logger;
}

/**
 * Requests prices from the price API and returns the usable ones (see `toMarketPrice`) by `priceKey`; none if no API is
 * configured. The breaker counts all requests of a call as one: a failure if none succeeded or the API asked to wait.
 * Throws OutsideError if no request succeeded or the breaker refuses. Source: DefiLlama, `GET /prices/current/{coins}`.
 */
export async function fetchMarketPrices(
  scope: MarketScope,
  tokens: readonly ChainToken[],
): Promise<Map<string, TokenPrice>> {
  if (scope.apiUrl === null || tokens.length === 0) return new Map();
  if (!scope.breaker.admits(scope.now())) throw new OutsideError("network", "the price API is not asked now");
  const slices = Array.from({ length: Math.ceil(tokens.length / TOKENS_PER_REQUEST) }, (_, index) =>
    tokens.slice(index * TOKENS_PER_REQUEST, (index + 1) * TOKENS_PER_REQUEST),
  );
  const sentAt = scope.now();
  const answers = await Promise.allSettled(slices.map((slice) => askSlice(scope, slice)));
  const failures: unknown[] = answers.flatMap((answer) =>
    answer.status === "rejected" ? [answer.reason] : [],
  );
  const waits = failures.flatMap((error) => askedWait(error, scope.now()));
  const none = failures.length === answers.length;
  if (none || waits.length > 0)
    scope.breaker.noteFailure({
      now: scope.now(),
      sentAt,
      waitS: waits.length > 0 ? Math.max(...waits) : null,
    });
  else scope.breaker.noteAnswer({ sentAt });
  if (none) throw failures[0];
  return new Map(answers.flatMap((answer) => (answer.status === "fulfilled" ? [...answer.value] : [])));
}

async function askSlice(scope: MarketScope, tokens: readonly ChainToken[]): Promise<Map<string, TokenPrice>> {
  const byId = new Map(tokens.map((token) => [coinId(token), priceKey(token)]));
  const url = `${scope.apiUrl?.replace(/\/+$/, "")}/prices/current/${[...byId.keys()].join(",")}?searchWidth=1h`;
  try {
    const bounds = { timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES };
    const init = { headers: { accept: "application/json" } };
    const response = await scope.timing.track("provider", () =>
      boundedFetch(scope.fetch, { url, init, bounds }),
    );
    return readCoins(parseCoins(response), { byId, now: scope.now() });
  } catch (error) {
    scope.log.warn("market_prices_unreadable", { error: describeError(error) });
    throw error;
  }
}

/** Returns the API's id of a token. The API also uses the zero address for native currencies. */
const coinId = ({ chainId, token }: ChainToken): string =>
  `${SLUGS[chainId] ?? chainId}:${token.toLowerCase()}`;

/** A response with another status than 200, and its `Retry-After`. */
class RefusedError extends OutsideError {
  readonly retryAfter: string | null;
  constructor({ status, headers }: BoundedResponse) {
    super("status", `the price API answered ${status}`, { status });
    this.retryAfter = headers.get("retry-after");
  }
}

/** Returns the seconds for which a failed response asks to wait, as a list of one; empty if it does not ask. */
function askedWait(error: unknown, now: number): number[] {
  const waitS = error instanceof RefusedError ? parseRetryAfter(error.retryAfter, now) : null;
  return waitS === null ? [] : [waitS];
}

/**
 * Parses a response of the price API into coins by id. Throws OutsideError if its status is not 200 or it is malformed.
 */
function parseCoins(response: BoundedResponse): Record<string, unknown> {
  if (response.status !== 200) throw new RefusedError(response);
  try {
    return Coins.parse(JSON.parse(response.text)).coins;
  } catch (error) {
    throw new OutsideError("malformed", "the price API's answer is malformed", { cause: error });
  }
}

/** Returns the usable prices of a response, by `priceKey`. An unusable price does not affect the others. */
function readCoins(
  coins: Record<string, unknown>,
  of: { byId: ReadonlyMap<string, string>; now: number },
): Map<string, TokenPrice> {
  const prices = new Map<string, TokenPrice>();
  for (const [id, coin] of Object.entries(coins)) {
    const key = of.byId.get(id.toLowerCase());
    const price = toMarketPrice(coin, of.now);
    if (key !== undefined && price !== null) prices.set(key, price);
  }
  return prices;
}

/**
 * Converts a number of a JSON response to its exact decimal value times 10^18, rounded down. Returns null if it is not
 * a positive finite number.
 */
function decimalToScale(value: number): bigint | null {
  if (!Number.isFinite(value) || value <= 0) return null;
  const [digits = "0", exponent = "0"] = value.toExponential().split("e");
  const [whole = "0", fraction = ""] = digits.split(".");
  const power = Number(exponent) - fraction.length + 18;
  const scaled = BigInt(whole + fraction);
  return power >= 0 ? scaled * 10n ** BigInt(power) : scaled / 10n ** BigInt(-power);
}

/**
 * Converts one coin of a response of the price API (DefiLlama) to a price. Null if it is malformed, implausible, more
 * than an hour old or more than five minutes in the future. `now` is in milliseconds since the epoch.
 */
export function toMarketPrice(coin: unknown, now: number): TokenPrice | null {
  const parsed = Coin.safeParse(coin);
  if (!parsed.success) return null;
  const { price, timestamp, confidence = null } = parsed.data;
  const usd = decimalToScale(price);
  const ageS = now / 1000 - timestamp;
  if (usd === null || usd === 0n || usd > MAX_USD * USD_SCALE) return null;
  if (ageS > MAX_AGE_S || ageS < -MAX_SKEW_S) return null;
  const judges = confidence !== null && confidence >= MIN_JUDGING_CONFIDENCE;
  const shown = { usd, source: "market", at: Math.floor(timestamp), confidence } as const;
  const judged = { low: usd, high: usd, disputed: false, judges, unit: null };
  return agedMarketPrice({ ...shown, ...judged, errorBps: MARKET_ERROR_BPS }, now);
}

/**
 * Returns a market price, with `judges` set to false if the price is more than 15 minutes old. `now` is in milliseconds
 * since the epoch.
 */
export function agedMarketPrice(price: TokenPrice, now: number): TokenPrice {
  const isRecent = now / 1000 - price.at <= MAX_JUDGING_AGE_S;
  return price.judges && !isRecent ? { ...price, judges: false } : price;
}
