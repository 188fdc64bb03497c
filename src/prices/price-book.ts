import { BoundedMap } from "../lib/bounded-map.ts";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "../lib/durations.ts";
import type { FeedDefinition } from "./feed-definitions.ts";
import { MarketBreaker } from "./market-prices.ts";
import type { Prices, TokenPrice } from "./price.ts";

/** Number of feeds and tokens that an isolate remembers. */
const CAPACITY = 2_000;
/** How long a feed counts as confirmed on chain; a feed's owner can replace what is behind its proxy. */
const CONFIRMED_MS = DAY_MS;
/** Age up to which a feed price that another request read may be used, in milliseconds. */
const RECENT_MS = 30 * SECOND_MS;
/** How often the same problem of a feed is logged. */
const LOG_AGAIN_MS = 10 * MINUTE_MS;

/**
 * What an isolate remembers about prices: which feeds were confirmed on chain, the feed prices of the last seconds, and
 * the state of the price API.
 */
export class PriceMemory {
  readonly breaker = new MarketBreaker();
  readonly #confirmed = new BoundedMap<number>(CAPACITY);
  readonly #recent = new BoundedMap<{ price: TokenPrice; readAt: number }>(CAPACITY);
  readonly #logged = new BoundedMap<number>(CAPACITY);

  /** Returns true if a feed said on chain, within a day, what the table expects. `now` is in milliseconds. */
  isConfirmed(of: { chainId: number; feed: FeedDefinition; now: number }): boolean {
    const at = this.#confirmed.get(`${of.chainId}:${of.feed.proxy.toLowerCase()}`);
    return at !== undefined && of.now - at < CONFIRMED_MS;
  }

  /** Records that feeds (addresses in lowercase) said what the table expects. `now` is in milliseconds. */
  noteConfirmed(of: { chainId: number; feeds: readonly string[]; now: number }): void {
    for (const feed of of.feeds) this.#confirmed.set(`${of.chainId}:${feed}`, of.now);
  }

  /** Records feed prices that were read now, in milliseconds since the epoch. */
  notePrices(prices: Prices, now: number): void {
    for (const [key, price] of prices) this.#recent.set(key, { price, readAt: now });
  }

  /** Returns a token's feed price that was read within the last 30 seconds, or null. */
  recentPrice(key: string, now: number): TokenPrice | null {
    const recent = this.#recent.get(key);
    return recent !== undefined && now - recent.readAt < RECENT_MS ? recent.price : null;
  }

  /** Removes the feed prices of tokens whose feeds have just been found unusable. */
  forgetPrices(keys: readonly string[]): void {
    for (const key of keys) this.#recent.delete(key);
  }

  /** Returns true if a problem has not been logged in the last ten minutes, and counts it as logged now. */
  mayLog(problem: string, now: number): boolean {
    const last = this.#logged.get(problem);
    if (last !== undefined && now - last < LOG_AGAIN_MS) return false;
    this.#logged.set(problem, now);
    return true;
  }
}

/** The prices that one request has gathered: feeds from the batches that it made, and what it asked the price API. */
export class PriceBook {
  readonly feeds = new Map<string, TokenPrice>();
  /** Market prices that were asked, by token key; several tokens share one promise. It never rejects. */
  readonly market = new Map<string, Promise<Prices>>();
}
