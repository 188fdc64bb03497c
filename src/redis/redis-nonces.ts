import type { Redis } from "@upstash/redis/cloudflare";
import { failureFrom } from "../errors.ts";
import type { Timing } from "../lib/request-timing.ts";

/** A store of single-use values. */
export interface NonceStore {
  /** Stores a value for `ttlMs` milliseconds. Throws `store_unavailable`. */
  put(key: string, value: string, ttlMs: number): Promise<void>;
  /**
   * Returns a value and removes it: of concurrent callers exactly one gets it, the others null. Throws
   * `store_unavailable`. Source: Redis `GETDEL`.
   */
  take(key: string): Promise<string | null>;
}

/**
 * Creates the nonce store of one request. A command without an answer is never retried, since it may have been
 * executed. Error messages are dropped: the driver repeats the command in them.
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
