import { keccak256, stringToHex } from "viem";
import * as z from "zod";
import { runQuery } from "../chains/aggregator/aggregate-reads.ts";
import { createQuery, type Query, queryAll } from "../chains/chain-reads.ts";
import { atBlockTime } from "../chains/chain-time.ts";
import type { Context } from "../context.ts";
import { failure } from "../errors.ts";
import { sameAddress } from "../lib/address.ts";
import type { BlockTime } from "../lib/block-ranges.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../lib/durations.ts";
import { describeError } from "../lib/logger.ts";
import { withDeadline } from "../lib/timers.ts";
import { combinePrices } from "./combine-prices.ts";
import { type FeedReadings, feedPrices, feedQuery } from "./feeds/chainlink-feed-reads.ts";
import { feedTables } from "./feeds/chainlink-feeds-by-chain.ts";
import type { ChainFeeds } from "./feeds/price-feed.ts";
import { readListedMarket } from "./listed-market-prices.ts";
import { agedMarketPrice, fetchMarketPrices, type MarketScope } from "./market-prices.ts";
import { type ChainToken, type Prices, priceKey, type TokenPrice } from "./price.ts";

const NO_FEEDS: ChainFeeds = { sequencer: null, tokens: [] };

/** Returns the price feeds of a chain: those defined in code, otherwise those of the configuration, otherwise none. */
export function feedsOf(ctx: Context, chainId: number): ChainFeeds {
  return feedTables[chainId] ?? ctx.config.prices.feeds.get(chainId) ?? NO_FEEDS;
}

/** Returns true if a token has price feeds in the table of its chain, whether or not they can be read now. */
export function hasFeed(ctx: Context, { chainId, token }: ChainToken): boolean {
  return feedsOf(ctx, chainId).tokens.some((row) => sameAddress(row.token, token));
}

/**
 * Returns true if feeds may still change a token's price in this request: the token has some, the request has not read
 * them, and the isolate has no feed price of it from the last 30 seconds.
 */
export function hasUnreadFeed(ctx: Context, of: ChainToken): boolean {
  const key = priceKey(of);
  const { book, memory } = ctx.prices;
  return hasFeed(ctx, of) && !book.read.has(key) && memory.recentPrice(key, ctx.now()) === null;
}

/**
 * Returns the query that reads the feeds of some tokens of a chain, as part of a batch with other reads. Pass its
 * result to `recordFeedPrices`.
 */
export function priceFeedQuery(
  ctx: Context,
  { chainId, tokens }: { chainId: number; tokens: readonly ChainToken["token"][] },
): Query<FeedReadings> {
  const isConfirmed = (feed: Parameters<typeof ctx.prices.memory.isConfirmed>[0]["feed"]) =>
    ctx.prices.memory.isConfirmed({ chainId, feed, now: ctx.now() });
  return feedQuery({ chainId, feeds: feedsOf(ctx, chainId), tokens, isConfirmed });
}

/**
 * Returns the prices from a batch of feed reads and stores them instead of the tokens' earlier ones: for this request
 * and, for 30 seconds, for the isolate. `headTime` is the timestamp of the batch's block, in seconds.
 */
export function recordFeedPrices(ctx: Context, read: { readings: FeedReadings; headTime: number }): Prices {
  const { readings, headTime } = read;
  const { memory, book } = ctx.prices;
  const { chainId } = readings;
  const { prices, unused } = feedPrices(readings, headTime);
  const now = ctx.now();
  memory.noteConfirmed({ chainId, feeds: readings.confirmed, now });
  const keys = readings.tokens.map(({ token }) => priceKey({ chainId, token }));
  memory.forgetPrices(keys);
  for (const key of keys) {
    book.feeds.delete(key);
    book.read.add(key);
  }
  memory.notePrices(prices, now);
  for (const [key, price] of prices) book.feeds.set(key, price);
  for (const { feed, problem } of unused) {
    if (memory.mayLog(`${chainId}:${feed}:${problem}`, now))
      ctx.log.warn("price_feed_unused", { chain_id: chainId, feed, problem });
  }
  return prices;
}

/**
 * Runs a query uncached; the same batch also reads the price feeds of `tokens`, whose prices `recordFeedPrices` stores.
 * If `query` is a function, it takes the block's time in milliseconds, as for `atBlockTime`. Throws
 * `chain_unsupported`; errors of `runQuery` propagate.
 */
export async function readWithFeeds<S>(
  ctx: Context,
  input: {
    chainId: number;
    tokens: readonly ChainToken["token"][];
    query: Query<S> | ((now: number) => Query<S>);
  },
): Promise<{ value: S; block: BlockTime }> {
  const client = ctx.chains.client(input.chainId);
  if (client === null) throw failure("chain_unsupported", `chain ${input.chainId} is not served`);
  const feeds = priceFeedQuery(ctx, input);
  const { query: own } = input;
  const timed = typeof own === "function" ? atBlockTime(ctx.now(), own) : own;
  const { value, block } = await runQuery(client, queryAll({ own: timed, feeds }));
  recordFeedPrices(ctx, { readings: value.feeds, headTime: block.timestamp });
  return { value: value.own, block };
}

const TokenPriceSchema: z.ZodType<TokenPrice> = z.object({
  usd: z.bigint(),
  source: z.enum(["feed", "market"]),
  at: z.number(),
  confidence: z.number().nullable(),
  low: z.bigint(),
  high: z.bigint(),
  disputed: z.boolean(),
  errorBps: z.number(),
  judges: z.boolean(),
  unit: z.string().nullable(),
});
const CachedPrices = z.array(z.tuple([z.string(), TokenPriceSchema]));

/** Age up to which cached market prices are fresh, in milliseconds; the API updates them every five minutes. */
const MARKET_FRESH_MS = MINUTE_MS;
const MARKET_STALE_MS = 5 * MINUTE_MS;
const MARKET_KEEP_MS = HOUR_MS;

/**
 * Starts requesting the market prices of tokens, at most once per token and HTTP request, and returns immediately.
 * `pricesOfRequest` uses the prices that arrive in time. Never throws.
 */
export function requestMarketPrices(ctx: Context, tokens: readonly ChainToken[]): void {
  const { market } = ctx.prices.book;
  const open = tokens.filter((token) => !market.has(priceKey(token)));
  if (open.length === 0) return;
  const asked = readMarket(ctx, open);
  for (const token of open) market.set(priceKey(token), asked);
}

function marketScope(ctx: Context): MarketScope {
  const { apiUrl } = ctx.config.prices;
  const { fetch } = ctx.providers.scope;
  const { timing, log, now } = ctx;
  return { apiUrl, breaker: ctx.prices.memory.breaker, fetch, timing, now, log };
}

/**
 * Returns the market prices of some tokens, cached for minutes and up to an hour if the API fails; none if no API is
 * configured, or if it fails and no cached ones are left. Never throws.
 */
async function readMarket(ctx: Context, tokens: readonly ChainToken[]): Promise<Prices> {
  const scope = marketScope(ctx);
  if (scope.apiUrl === null || tokens.length === 0) return new Map();
  const sorted = [...new Map(tokens.map((token) => [priceKey(token), token]))].sort(([a], [b]) =>
    a < b ? -1 : 1,
  );
  try {
    const { value } = await ctx.cache.cached({
      key: `market:${keccak256(stringToHex(sorted.map(([key]) => key).join()))}`,
      schema: CachedPrices,
      freshMs: MARKET_FRESH_MS,
      staleMs: MARKET_STALE_MS,
      keepMs: MARKET_KEEP_MS,
      load: async () => [
        ...(await fetchMarketPrices(
          scope,
          sorted.map(([, token]) => token),
        )),
      ],
    });
    return new Map(value.map(([key, price]) => [key, agedMarketPrice(price, ctx.now())]));
  } catch (error) {
    ctx.log.info("market_prices_missing", { error: describeError(error) });
    return new Map();
  }
}

/**
 * Maximum time to wait for a token's market price, in milliseconds: short if offers may be checked against its feed
 * price, otherwise the API's own timeout plus the round trips of its cache.
 */
const SHORT_WAIT_MS = 50;
const LONG_WAIT_MS = 2_000;

/**
 * Returns the prices of some tokens without sending requests: feed prices that this request or, in the last 30 seconds,
 * the isolate has read, and those of `requestMarketPrices`, for which it waits up to two seconds. Tokens without a
 * price are absent. Never throws.
 */
export async function pricesOfRequest(ctx: Context, tokens: readonly ChainToken[]): Promise<Prices> {
  const { market: requested } = ctx.prices.book;
  const before = feedPricesNow(ctx, tokens);
  const asked = tokens.flatMap((token) => {
    const promise = requested.get(priceKey(token));
    const judged = before.get(priceKey(token))?.judges === true;
    return promise === undefined ? [] : [within(promise, judged ? SHORT_WAIT_MS : LONG_WAIT_MS)];
  });
  const answers = await Promise.all(asked);
  const wanted = new Set(tokens.map(priceKey));
  const market = new Map(answers.flatMap((prices) => [...prices].filter(([key]) => wanted.has(key))));
  // Not `before`: another request may have read a feed meanwhile, which must be judged together with the market.
  return combinePrices(feedPricesNow(ctx, tokens), market);
}

/** Returns the feed prices that this request, or in the last 30 seconds the isolate, has read. */
function feedPricesNow(ctx: Context, tokens: readonly ChainToken[]): Map<string, TokenPrice> {
  const { book, memory } = ctx.prices;
  const feeds = new Map<string, TokenPrice>();
  for (const key of tokens.map(priceKey)) {
    const price = book.feeds.get(key) ?? memory.recentPrice(key, ctx.now());
    if (price !== null) feeds.set(key, price);
  }
  return feeds;
}

const NO_PRICES: Prices = new Map();

/** Returns market prices if they arrive within `ms` milliseconds, otherwise no prices. `prices` never rejects. */
function within(prices: Promise<Prices>, ms: number): Promise<Prices> {
  return withDeadline(prices, { ms, late: () => new Error("late") }).catch(() => NO_PRICES);
}

function keyed(prices: Prices, key: string): [string, TokenPrice][] {
  const price = prices.get(key);
  return price === undefined ? [] : [[key, price]];
}

const FEEDS_FRESH_MS = 30 * SECOND_MS;
const FEEDS_STALE_MS = 5 * MINUTE_MS;

/**
 * Returns the prices of tokens that the service chose, from feeds and the price API, cached for up to five minutes;
 * those of the API up to an hour if it fails. Late market prices and tokens without a price are absent. Never throws.
 */
export function readPrices(ctx: Context, tokens: readonly ChainToken[]): Promise<Prices> {
  return readWithMarket(ctx, { tokens, market: readMarket(ctx, tokens) });
}

/** As `readPrices`, for tokens that a client chose (see `readListedMarket`). */
export function readListedPrices(ctx: Context, tokens: readonly ChainToken[]): Promise<Prices> {
  return readWithMarket(ctx, { tokens, market: readListedMarket(ctx, { scope: marketScope(ctx), tokens }) });
}

async function readWithMarket(
  ctx: Context,
  { tokens, market }: { tokens: readonly ChainToken[]; market: Promise<Prices> },
): Promise<Prices> {
  const chainIds = [...new Set(tokens.map(({ chainId }) => chainId))];
  const keys = [...new Set(tokens.map(priceKey))];
  const feeds = await Promise.all(chainIds.map((chainId) => readChainFeeds(ctx, chainId)));
  const known = new Map(feeds.flatMap((prices) => [...prices]));
  const wanted = new Map(keys.flatMap((key) => keyed(known, key)));
  const isJudged = keys.every((key) => wanted.get(key)?.judges === true);
  return combinePrices(wanted, await within(market, isJudged ? SHORT_WAIT_MS : LONG_WAIT_MS));
}

/**
 * Runs a query uncached and returns its result and block, with prices of some tokens of the chain: from feeds uncached
 * too, from the price API as in `readPrices`. Tokens without a price are absent. Throws `chain_unsupported`; errors of
 * `runQuery` propagate.
 */
export async function readPricesWith<S>(
  ctx: Context,
  input: { chainId: number; tokens: readonly ChainToken["token"][]; query: Query<S> },
): Promise<{ value: S; block: BlockTime; prices: Prices }> {
  const asked = input.tokens.map((token) => ({ chainId: input.chainId, token }));
  const market = readMarket(ctx, asked);
  const { value, block } = await readWithFeeds(ctx, input);
  const feeds = new Map(asked.map(priceKey).flatMap((key) => keyed(ctx.prices.book.feeds, key)));
  const isJudged = asked.every((token) => feeds.get(priceKey(token))?.judges === true);
  const late = isJudged ? SHORT_WAIT_MS : LONG_WAIT_MS;
  return { value, block, prices: combinePrices(feeds, await within(market, late)) };
}

/**
 * Reads the feeds of some tokens of a chain, so that `pricesOfRequest` knows their prices. Changes nothing if the chain
 * is not served or cannot be read. Never throws.
 */
export async function learnFeedPrices(
  ctx: Context,
  input: { chainId: number; tokens: readonly ChainToken["token"][] },
): Promise<void> {
  try {
    await readWithFeeds(ctx, { ...input, query: createQuery({}, () => null) });
  } catch (error) {
    ctx.log.warn("price_feeds_unreadable", { chain_id: input.chainId, error: describeError(error) });
  }
}

/**
 * Returns the feed prices of a chain's tokens; none if the chain has no feeds or cannot be read. Cached prices are
 * fresh for 30 seconds and served for up to five minutes while they are reloaded.
 */
async function readChainFeeds(ctx: Context, chainId: number): Promise<Prices> {
  const client = ctx.chains.client(chainId);
  const tokens = feedsOf(ctx, chainId).tokens.map(({ token }) => token);
  if (client === null || tokens.length === 0) return NO_PRICES;
  try {
    const { value } = await ctx.cache.cached({
      key: `feeds:${chainId}`,
      schema: CachedPrices,
      freshMs: FEEDS_FRESH_MS,
      staleMs: FEEDS_STALE_MS,
      keepMs: FEEDS_STALE_MS,
      load: async () => {
        const { value: readings, block } = await runQuery(client, priceFeedQuery(ctx, { chainId, tokens }));
        return [...recordFeedPrices(ctx, { readings, headTime: block.timestamp })];
      },
    });
    return new Map(value);
  } catch (error) {
    ctx.log.warn("price_feeds_unreadable", { chain_id: chainId, error: describeError(error) });
    return NO_PRICES;
  }
}
