import { BoundedMap } from "../lib/bounded-map.ts";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "../lib/durations.ts";
import type { FeedDefinition } from "./feed-definitions.ts";
import type { Prices, TokenPrice } from "./price.ts";

/** Number of feeds and tokens that an isolate remembers. */
const CAPACITY = 2_000;
/** How long a feed counts as confirmed on chain; a feed's owner can replace what is behind its proxy. */
const CONFIRMED_MS = DAY_MS;
/** Age up to which a feed price that another request read may be used, in milliseconds. */
const RECENT_MS = 30 * SECOND_MS;
/** How often the same problem of a feed is logged. */
const LOG_AGAIN_MS = 10 * MINUTE_MS;

/** How long the API is not asked after a failure, in milliseconds: doubled with each failure in a row, up to a minute. */
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 60_000;
/**
 * What an isolate remembers of the price API: how often it failed in a row, and until when it is not asked. A dead or
 * hanging API thus costs one timeout per pause, not one per request.
 */
export class MarketBreaker {
  #failures = 0;
  #pausedUntil = 0;

  /** Returns true while the API is not asked. `now` is in milliseconds since the epoch. */
  isOpen(now: number): boolean {
    return now < this.#pausedUntil;
  }

  /** Records an answer: the API is asked again at once. */
  noteAnswer(): void {
    this.#failures = 0;
    this.#pausedUntil = 0;
  }

  /** Records a failure. `waitS` is the waiting time that the API asks for, in seconds, or null. */
  noteFailure(failed: { now: number; waitS: number | null }): void {
    const pause = FIRST_PAUSE_MS * 2 ** Math.min(this.#failures, 10);
    this.#failures += 1;
    const asked = failed.waitS === null ? pause : Math.max(pause, failed.waitS * 1000);
    this.#pausedUntil = failed.now + Math.min(asked, LONGEST_PAUSE_MS);
  }
}

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
