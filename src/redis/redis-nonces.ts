import type { Redis } from "@upstash/redis/cloudflare";
import { failureFrom } from "../errors.ts";
import type { Breaker } from "../lib/circuit-breaker.ts";
import type { Timing } from "../lib/outside-call-timing.ts";
import { sendCommand } from "./redis-command.ts";

/** Storage of nonces, with a value for each that can be read only once. */
export interface NonceStore {
  /** Stores a value for `ttlMs` milliseconds. Throws `store_unavailable`. */
  put(key: string, value: string, ttlMs: number): Promise<void>;
  /**
   * Returns and removes a value, or returns null if there is none. Of several concurrent callers at most one gets the
   * value. Throws `store_unavailable`. Source: Redis `GETDEL`.
   */
  take(key: string): Promise<string | null>;
}

/**
 * Creates the nonce storage of one request, with keys of the form `<prefix>:nonce:<key>`. Commands are not retried.
 * Errors do not contain the driver's message, which repeats the nonce.
 */
export function createNonceStore(
  redis: Redis,
  scope: { prefix: string; timing: Timing; breaker?: Breaker },
): NonceStore {
  const named = (key: string): string => `${scope.prefix}:nonce:${key}`;
  const send = async <T>(call: () => Promise<T>): Promise<T> => {
    try {
      return await sendCommand(scope, call);
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
