import { BoundedMap } from "../lib/bounded-map.ts";

/** A cached value of any type. */
export interface CacheEntry {
  value: unknown;
  /** Milliseconds since the epoch at which the value was loaded. */
  storedAt: number;
}

/** Entries of an isolate; the one written longest ago is removed first. */
const CAPACITY = 5_000;
/**
 * Failures of an isolate: callers can ask for any number of unknown tokens, and a forgotten failure costs one load.
 */
const FAILURES = 500;

/** The first cache level: this isolate's values, running loads and recent failures. */
export class MemoryCache {
  readonly #entries = new BoundedMap<CacheEntry>(CAPACITY);
  readonly inFlight = new Map<string, Promise<CacheEntry>>();
  /** Loads that failed less than a few seconds ago. */
  readonly #failures = new BoundedMap<{ error: unknown; until: number }>(FAILURES);

  get(key: string): CacheEntry | undefined {
    return this.#entries.get(key);
  }

  put(key: string, entry: CacheEntry): void {
    this.#entries.set(key, entry);
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  /** Records a failed load; `until` is when it may be retried, milliseconds since the epoch. */
  noteFailure(key: string, failure: { error: unknown; until: number }): void {
    this.#failures.set(key, failure);
  }

  forgetFailure(key: string): void {
    this.#failures.delete(key);
  }

  /** Returns why a key's load failed; null when it may be tried again. */
  failureOf(key: string, now: number): { error: unknown } | null {
    const failure = this.#failures.get(key);
    return failure !== undefined && failure.until > now ? failure : null;
  }
}
