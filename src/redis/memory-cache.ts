import { BoundedMap } from "../lib/lru.ts";

export interface CacheEntry {
  value: unknown;
  /** Milliseconds since the epoch at which the value was loaded. */
  storedAt: number;
}

/** Entries an isolate keeps; the oldest written goes first. */
const CAPACITY = 5_000;
/** Failures an isolate keeps: anybody can name a thousand tokens that are none, and one forgotten costs a load. */
const FAILURES = 500;

/** The first cache level: what this isolate loaded, what it is loading, and what it could not load. */
export class MemoryCache {
  readonly #entries = new BoundedMap<CacheEntry>(CAPACITY);
  readonly inFlight = new Map<string, Promise<CacheEntry>>();
  /** Loads that failed a moment ago. */
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

  /** Remembers until when (milliseconds) nobody tries again to load a key, and why. */
  noteFailure(key: string, failure: { error: unknown; until: number }): void {
    this.#failures.set(key, failure);
  }

  forgetFailure(key: string): void {
    this.#failures.delete(key);
  }

  /** Why a key's load failed, while nobody is to try again; null: somebody may. */
  failureOf(key: string, now: number): { error: unknown } | null {
    const failure = this.#failures.get(key);
    return failure !== undefined && failure.until > now ? failure : null;
  }
}
