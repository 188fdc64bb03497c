import { BoundedMap } from "../lib/bounded-map.ts";
import type { BreakerReport } from "../lib/circuit-breaker.ts";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "../lib/durations.ts";
import type { FeedDefinition } from "./feeds/price-feed.ts";
import type { Prices, TokenPrice } from "./price.ts";

/** Maximum number of feeds, of token prices and of logged problems that an isolate remembers. */
const CAPACITY = 2_000;
/** Time for which a feed counts as confirmed on chain, in milliseconds: its owner can replace the aggregator. */
const CONFIRMED_MS = DAY_MS;
/** Age up to which a feed price that another request read is reused, in milliseconds. */
const RECENT_MS = 30 * SECOND_MS;
/** Minimum time between two log entries about the same problem of a feed, in milliseconds. */
const LOG_AGAIN_MS = 10 * MINUTE_MS;

/** Pause of requests to the API after a failure, in milliseconds. It doubles per failure in a row, up to a minute. */
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 60_000;
/** Time reserved for a trial request after a pause, in milliseconds; other requests are refused during it. */
const TRIAL_MS = 3_000;
/**
 * Circuit breaker of the price API, per isolate: after a failure it refuses requests for five seconds to a minute, by
 * the number of failures in a row and the API's `Retry-After`.
 */
export class MarketBreaker {
  #failures = 0;
  #failedAt = Number.NEGATIVE_INFINITY;
  #pausedUntil = 0;

  /**
   * Returns true while no request may be sent to the API, because it failed before or a trial is in progress. `now` is
   * in milliseconds since the epoch.
   */
  isOpen(now: number): boolean {
    return now < this.#pausedUntil;
  }

  /**
   * Returns true if a request may be sent now. After a pause, it is true for one trial, and false for other requests
   * during the next three seconds, unless the trial succeeds. `now` is in milliseconds since the epoch.
   */
  admits(now: number): boolean {
    if (this.isOpen(now)) return false;
    if (this.#failures > 0) this.#pausedUntil = now + TRIAL_MS;
    return true;
  }

  /**
   * Returns the breaker's state for operators; `hangs` is the number of failures in a row, as `noteFailure` counts
   * them. `now` is in milliseconds since the epoch.
   */
  report(now: number): BreakerReport {
    const until = this.isOpen(now) ? this.#pausedUntil : null;
    const paused = until === null ? "half_open" : "open";
    return { name: "prices", state: this.#failures > 0 ? paused : "closed", hangs: this.#failures, until };
  }

  /**
   * Records a response to what was sent at `sentAt`, in milliseconds since the epoch. It closes the breaker, unless
   * a failure has been recorded since then: what was sent before a failure must not end the pause after it.
   */
  noteAnswer({ sentAt }: { sentAt: number }): void {
    if (sentAt < this.#failedAt) return;
    this.#failures = 0;
    this.#failedAt = Number.NEGATIVE_INFINITY;
    this.#pausedUntil = 0;
  }

  /**
   * Records a failure at `now` of what was sent at `sentAt` (both in milliseconds since the epoch). What was sent
   * before the last recorded failure belongs to the same outage: it does not double the pause. `waitS` is the API's
   * `Retry-After` in seconds, or null if it sent none; it can lengthen the pause, up to a minute.
   */
  noteFailure({ now, sentAt, waitS }: { now: number; sentAt: number; waitS: number | null }): void {
    if (sentAt >= this.#failedAt) this.#failures += 1;
    this.#failedAt = now;
    const pause = FIRST_PAUSE_MS * 2 ** Math.min(this.#failures - 1, 10);
    const asked = waitS === null ? pause : Math.max(pause, waitS * 1000);
    this.#pausedUntil = Math.max(this.#pausedUntil, now + Math.min(asked, LONGEST_PAUSE_MS));
  }
}

/** Requests to the price API that an isolate sends for lists per minute, because clients choose their tokens. */
const LISTED_REQUESTS = 60;

/**
 * Market prices of an isolate for lists whose tokens clients choose, with a breaker and a budget of their own: such
 * lists must not take memory or the price API from builds.
 */
export class ListedMarket {
  readonly breaker = new MarketBreaker();
  /** The last answer for a token, by `priceKey`: its price, or null if the API had none; times in milliseconds. */
  readonly held = new BoundedMap<{ price: TokenPrice | null; askedAt: number }>(CAPACITY);
  /** The last request for a token, by `priceKey`. The promises never reject. */
  readonly asked = new BoundedMap<{ at: number; answer: Promise<void> }>(CAPACITY);
  #minute = 0;
  #requests = 0;

  /** Counts a request at `now`, in milliseconds since the epoch; false if the minute's requests are spent. */
  takeRequest(now: number): boolean {
    const minute = Math.floor(now / MINUTE_MS);
    if (minute !== this.#minute) this.#requests = 0;
    this.#minute = minute;
    this.#requests += 1;
    return this.#requests <= LISTED_REQUESTS;
  }
}

/** Price data of an isolate: confirmed feeds, recent feed prices, and the circuit breaker of the price API. */
export class PriceMemory {
  readonly breaker = new MarketBreaker();
  readonly listed = new ListedMarket();
  readonly #confirmed = new BoundedMap<number>(CAPACITY);
  readonly #recent = new BoundedMap<{ price: TokenPrice; readAt: number }>(CAPACITY);
  readonly #logged = new BoundedMap<number>(CAPACITY);

  /** Returns true if the feed was confirmed on chain within the last day. `now` is in milliseconds since the epoch. */
  isConfirmed(of: { chainId: number; feed: FeedDefinition; now: number }): boolean {
    const at = this.#confirmed.get(`${of.chainId}:${of.feed.proxy.toLowerCase()}`);
    return at !== undefined && of.now - at < CONFIRMED_MS;
  }

  /** Records feeds (addresses in lowercase) that were confirmed on chain. `now` is in milliseconds since the epoch. */
  noteConfirmed(of: { chainId: number; feeds: readonly string[]; now: number }): void {
    for (const feed of of.feeds) this.#confirmed.set(`${of.chainId}:${feed}`, of.now);
  }

  /** Records feed prices that were read at `now`, in milliseconds since the epoch. */
  notePrices(prices: Prices, now: number): void {
    for (const [key, price] of prices) this.#recent.set(key, { price, readAt: now });
  }

  /**
   * Returns a token's feed price that was read within the last 30 seconds, or null. `key` is its `priceKey`, `now` in
   * milliseconds since the epoch.
   */
  recentPrice(key: string, now: number): TokenPrice | null {
    const recent = this.#recent.get(key);
    return recent !== undefined && now - recent.readAt < RECENT_MS ? recent.price : null;
  }

  /** Removes the feed prices of tokens (`priceKey`). */
  forgetPrices(keys: readonly string[]): void {
    for (const key of keys) this.#recent.delete(key);
  }

  /**
   * Returns true if a problem has not been logged in the last ten minutes, and records that it is logged now. `now` is
   * in milliseconds since the epoch.
   */
  mayLog(problem: string, now: number): boolean {
    const last = this.#logged.get(problem);
    if (last !== undefined && now - last < LOG_AGAIN_MS) return false;
    this.#logged.set(problem, now);
    return true;
  }
}

/** Prices that one request has read from feeds, by `priceKey`, and its requests to the price API. */
export class PriceBook {
  readonly feeds = new Map<string, TokenPrice>();
  /** Tokens, by `priceKey`, whose feeds this request has read, whether or not they gave a usable price. */
  readonly read = new Set<string>();
  /** Requested market prices, by `priceKey`; several tokens share one promise. The promises never reject. */
  readonly market = new Map<string, Promise<Prices>>();
}
