import { afterEach, beforeEach, vi } from "vitest";
import * as z from "zod";
import { createLogger } from "../../../src/lib/logger.ts";
import { MemoryCache } from "../../../src/redis/redis-memory-cache.ts";
import { type Cache, type CachePolicy, createCache } from "../../../src/redis/two-level-cache.ts";
import { MemoryStore } from "./memory-store.ts";

export const FRESH = 1_000;
export const STALE = 10_000;
export const KEEP = 100_000;
export const LOCK_MS = 5_000;

const Value = z.object({ n: z.int(), amount: z.bigint() });
export type Value = z.infer<typeof Value>;
export const value = (n: number): Value => ({ n, amount: 2n ** 200n + BigInt(n) });

/** Replaces timers and the clock by fake ones in every test of the file. */
export function installFakeClock(): void {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"], now: 1_700_000_000_000 });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
}

export const pass = async (ms: number): Promise<void> => {
  await vi.advanceTimersByTimeAsync(ms);
};

/** Source of cached values. Each load is counted, takes `ms` milliseconds, and returns the next number, or fails. */
export class Source {
  loads = 0;
  ms = 0;
  failure: Error | null = null;
  /** True to make loads never settle, as when workerd cancels the request that waits for one. */
  hanging = false;

  load = async (): Promise<Value> => {
    this.loads += 1;
    const { loads, failure } = this;
    if (this.hanging) return new Promise(() => undefined);
    if (this.ms > 0) await new Promise((resolve) => setTimeout(resolve, this.ms));
    if (failure !== null) throw failure;
    return value(loads);
  };

  policy(change: Partial<CachePolicy<Value>> = {}): CachePolicy<Value> {
    return {
      key: "k",
      schema: Value,
      freshMs: FRESH,
      staleMs: STALE,
      keepMs: KEEP,
      load: this.load,
      ...change,
    };
  }
}

export interface World {
  redis: MemoryStore;
  source: Source;
  /** Creates an isolate. Each call of the result returns the isolate's cache for a new request. */
  isolate(): () => Cache;
  logged: string[];
}

/** Creates one Redis store, for any number of isolates. */
export function world(): World {
  const now = () => Date.now();
  const redis = new MemoryStore(now);
  const logged: string[] = [];
  const log = createLogger((line) => logged.push((JSON.parse(line) as { event: string }).event), {});
  const waitUntil = (promise: Promise<unknown>): void => void promise.catch(() => undefined);
  let tokens = 0;
  const makeToken = (): string => {
    tokens += 1;
    return `token-${tokens}`;
  };
  const isolate = () => {
    const memory = new MemoryCache();
    return () => createCache({ memory, redis, now, waitUntil, log, makeToken });
  };
  return { redis, source: new Source(), isolate, logged };
}

/** Reads the cache from many requests at the same time. */
export function readConcurrently(isolate: () => Cache, policy: CachePolicy<Value>, callers = 100) {
  return Promise.all(Array.from({ length: callers }, () => isolate().cached(policy)));
}
