import { BoundedMap } from "../lib/bounded-map.ts";

/** A cached value and the time at which its load began. */
export interface CacheEntry {
  value: unknown;
  /** Time at which the load of the value began, in milliseconds since the epoch. */
  storedAt: number;
}

/** Maximum number of cache entries per isolate. The least recently written entry is evicted first. */
const CAPACITY = 5_000;
/**
 * Maximum number of failed loads that an isolate remembers. It is limited because callers can request any number of
 * unknown tokens; an evicted failure costs only one more load.
 */
const FAILURES = 500;

/**
 * First-level cache of one isolate: loads in progress, and a limited number of values and of recent failures. Values do
 * not expire here: each reader's cache policy determines how old a value it accepts.
 */
export class MemoryCache {
  readonly #entries = new BoundedMap<CacheEntry>(CAPACITY);
  /** Loads in progress by cache key, with the time at which each began, in milliseconds since the epoch. */
  readonly inFlight = new Map<string, { entry: Promise<CacheEntry>; since: number }>();
  /** Recently failed loads by cache key, with the time until which they are not retried. */
  readonly #failures = new BoundedMap<{ error: unknown; until: number }>(FAILURES);

  /** Returns the entry of a cache key regardless of its age, or undefined if there is none. */
  get(key: string): CacheEntry | undefined {
    return this.#entries.get(key);
  }

  /**
   * Stores an entry unless the key has a newer one, because a load that began earlier may end later. Returns the entry
   * that the key then has.
   */
  put(key: string, entry: CacheEntry): CacheEntry {
    const held = this.#entries.get(key);
    if (held !== undefined && held.storedAt > entry.storedAt) return held;
    this.#entries.set(key, entry);
    return entry;
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  /** Records a failed load. `until` is the time at which it may be retried, in milliseconds since the epoch. */
  noteFailure(key: string, failure: { error: unknown; until: number }): void {
    this.#failures.set(key, failure);
  }

  /** Removes the record of a key's failed load. */
  forgetFailure(key: string): void {
    this.#failures.delete(key);
  }

  /**
   * Returns the record of a key's last failed load, or null if there is none or the load may be tried again. `now` is
   * in milliseconds since the epoch.
   */
  failureOf(key: string, now: number): { error: unknown } | null {
    const failure = this.#failures.get(key);
    return failure !== undefined && failure.until > now ? failure : null;
  }
}
