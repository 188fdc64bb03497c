export interface CacheEntry {
  value: unknown;
  /** Milliseconds since the epoch at which the value was loaded. */
  storedAt: number;
}

/** Entries an isolate keeps; the oldest written goes first. */
const CAPACITY = 5_000;

/** The first cache level: what this isolate loaded, what it is loading, and what it could not load. */
export class MemoryCache {
  readonly #entries = new Map<string, CacheEntry>();
  readonly inFlight = new Map<string, Promise<CacheEntry>>();
  /** Loads that failed a moment ago, and until when (milliseconds) nobody tries again. */
  readonly failures = new Map<string, { error: unknown; until: number }>();

  get(key: string): CacheEntry | undefined {
    return this.#entries.get(key);
  }

  put(key: string, entry: CacheEntry): void {
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    if (this.#entries.size <= CAPACITY) return;
    const oldest = this.#entries.keys().next();
    if (!oldest.done) this.#entries.delete(oldest.value);
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }
}
