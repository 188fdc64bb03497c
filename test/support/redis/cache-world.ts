import { afterEach, beforeEach, vi } from "vitest";
import * as z from "zod";
import { createLogger } from "../../../src/lib/logger.ts";
import { MemoryCache } from "../../../src/redis/memory-cache.ts";
import { type Cache, type CachePolicy, createCache } from "../../../src/redis/two-level-cache.ts";
import { MemoryStore } from "./memory-store.ts";

export const FRESH = 1_000;
export const STALE = 10_000;
export const KEEP = 100_000;
export const LOCK_MS = 5_000;

const Value = z.object({ n: z.int(), amount: z.bigint() });
export type Value = z.infer<typeof Value>;
export const value = (n: number): Value => ({ n, amount: 2n ** 200n + BigInt(n) });

/** Makes timers and the clock the test's own, for every test of the file. */
export function ownTheClock(): void {
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

/** What is loaded: each load counts, takes `ms`, and gives the next number unless told to fail. */
export class Source {
  loads = 0;
  ms = 0;
  failure: Error | null = null;
  /** Never settles, as when workerd cancels the request that waited for it. */
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
  /** Each call binds another request of one isolate to its cache. */
  isolate(): () => Cache;
  logged: string[];
}

/** One Redis, and as many isolates as the test wants. */
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

/** So many callers at the same moment, each a request of its own. */
export function crowd(isolate: () => Cache, policy: CachePolicy<Value>, callers = 100) {
  return Promise.all(Array.from({ length: callers }, () => isolate().cached(policy)));
}
