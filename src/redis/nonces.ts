import type { Redis } from "@upstash/redis/cloudflare";
import { failureFrom } from "../errors.ts";
import type { Timing } from "../lib/timing.ts";

/** Values that can be taken out once. */
export interface NonceStore {
  /** Keeps a value for `ttlMs` milliseconds. Throws `store_unavailable`. */
  put(key: string, value: string, ttlMs: number): Promise<void>;
  /**
   * Takes a value out; of any number of callers at once exactly one gets it, the others get null.
   * Throws `store_unavailable`. Source: Redis `GETDEL`.
   */
  take(key: string): Promise<string | null>;
}

/**
 * Binds the nonces to one request. An unanswered command is never sent again: the store may have obeyed it.
 * What a failure's message holds (the driver repeats the command in it) goes nowhere.
 */
export function createNonceStore(redis: Redis, scope: { prefix: string; timing: Timing }): NonceStore {
  const named = (key: string): string => `${scope.prefix}:nonce:${key}`;
  const send = async <T>(call: () => Promise<T>): Promise<T> => {
    try {
      return await scope.timing.track("redis", call);
    } catch (error) {
      const kind = error instanceof Error ? error.name : typeof error;
      throw failureFrom("store_unavailable", "the store of sign-in nonces did not answer", new Error(kind));
    }
  };
  return {
    put: async (key, value, ttlMs) => {
      await send(() => redis.set(named(key), value, { px: ttlMs }));
    },
    take: async (key) => (await send(() => redis.getdel<string>(named(key)))) ?? null,
  };
}
