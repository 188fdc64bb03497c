import type * as z from "zod";
import { parseWithBigints, stringifyWithBigints } from "../lib/bigint-json.ts";
import { describeError, type Logger } from "../lib/logger.ts";
import { once } from "../lib/once.ts";
import type { RedisStore } from "./redis-client.ts";
import type { CacheEntry } from "./redis-memory-cache.ts";

/**
 * Second-level cache, which all isolates share through Redis. Its functions never throw; errors of `read` and `write`
 * are logged.
 */
export interface SharedCache {
  /**
   * Returns the stored entry, dated no later than now; null if there is none, if it is malformed, does not match the
   * schema or is dated more than five seconds in the future, or if Redis fails.
   */
  read(policy: SharedPolicy): Promise<CacheEntry | null>;
  /** If Redis responds, stores an entry, which expires after the policy's `keepMs`, or never if that is null. */
  write(policy: SharedPolicy, entry: CacheEntry): Promise<void>;
  /**
   * Takes the lock of a cache key for five seconds. Returns false if it is held already, and true if Redis fails, so
   * that the value is then loaded without the lock.
   */
  tryLock(key: string): Promise<boolean>;
  /** Releases the lock of a cache key if this request holds it. */
  unlock(key: string): Promise<void>;
  /** Removes the entry of a cache key, if Redis responds. */
  drop(key: string): Promise<void>;
}

/**
 * The part of a cache policy that the second-level cache needs. `keepMs` is the time until a value expires, in
 * milliseconds, or null if it never expires.
 */
export interface SharedPolicy {
  key: string;
  schema: z.ZodType;
  keepMs: number | null;
}

const LOCK_MS = 5_000;
/**
 * Tolerated clock difference between isolates, in milliseconds. A value that was stored further in the future is
 * ignored, because it would stay fresh too long.
 */
const SKEW_MS = 5_000;

/**
 * Creates the second-level cache for one request. `makeToken` returns the token that identifies the request as the
 * holder of a lock; it is called at most once.
 */
export function createSharedCache(scope: {
  redis: RedisStore;
  now: () => number;
  log: Logger;
  makeToken: () => string;
}): SharedCache {
  const { redis, log } = scope;
  const token = once(scope.makeToken);
  return {
    async read({ key, schema }) {
      try {
        const text = await redis.get(`cache:${key}`);
        if (text === null) return null;
        const record = parseWithBigints(text) as { v?: unknown; t?: unknown } | null;
        const value = schema.safeParse(record?.v);
        const at = record?.t;
        const now = scope.now();
        if (!value.success || typeof at !== "number" || at > now + SKEW_MS) return null;
        // What this isolate loads from now on is newer.
        return { value: value.data, storedAt: Math.min(at, now) };
      } catch (error) {
        log.warn("cache_read_failed", { key, error: describeError(error) });
        return null;
      }
    },
    async write({ key, keepMs }, entry) {
      try {
        const text = stringifyWithBigints({ v: entry.value, t: entry.storedAt });
        await redis.set(`cache:${key}`, text, keepMs);
      } catch (error) {
        log.warn("cache_write_failed", { key, error: describeError(error) });
      }
    },
    tryLock: (key) => redis.setIfAbsent(`lock:${key}`, token(), LOCK_MS).catch(() => true),
    unlock: (key) => redis.deleteIfEqual(`lock:${key}`, token()).catch(() => undefined),
    drop: (key) => redis.delete(`cache:${key}`).catch(() => undefined),
  };
}
