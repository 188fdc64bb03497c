import type { LimitCount, Limiter, LimitWindow } from "../../../src/redis/redis-limiter.ts";
import type { NonceStore } from "../../../src/redis/redis-nonces.ts";

/** Nonce store in memory. Each nonce can be taken once. */
export class MemoryNonces implements NonceStore {
  readonly #now: () => number;
  readonly held = new Map<string, { value: string; expiresAt: number }>();

  constructor(now: () => number) {
    this.#now = now;
  }

  async put(key: string, value: string, ttlMs: number): Promise<void> {
    this.held.set(key, { value, expiresAt: this.#now() + ttlMs });
  }

  async take(key: string): Promise<string | null> {
    const held = this.held.get(key);
    this.held.delete(key);
    return held === undefined || held.expiresAt <= this.#now() ? null : held.value;
  }
}

/** Rate limiter that allows everything and records the windows that were counted. */
export class OpenLimiter implements Limiter {
  readonly windows: LimitWindow[] = [];

  async countExactly(window: LimitWindow): Promise<LimitCount | null> {
    this.windows.push(window);
    return { admitted: true, remaining: window.limit - 1, resetMs: 60_000 };
  }

  async countNearby(window: LimitWindow): Promise<LimitCount> {
    this.windows.push(window);
    return { admitted: true, remaining: null, resetMs: null };
  }
}
