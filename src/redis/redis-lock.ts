import { describeError, type Logger } from "../lib/logger.ts";
import { type HeldLease, workUnderLease } from "../lib/renewed-lease.ts";
import type { RedisStore } from "./redis-client.ts";

/** The Redis client and logger that a lock uses, and the token that identifies its holder. */
export interface LockScope {
  redis: RedisStore;
  log: Logger;
  /** Token of the holder, which no other holder uses. */
  token: string;
}

/** Work to run under the lock `key`. */
export interface LockedWork<T> {
  key: string;
  /**
   * Runs the work. `lease` shows whether the lock is still held; the work continues if another holder has taken it.
   */
  work: (lease: HeldLease) => Promise<T>;
}

/** Time after which the lock of a killed holder expires, in milliseconds. */
const LOCK_TTL_MS = 20_000;
/** Interval at which a lock's holder renews it, in milliseconds. Two renewals in a row may fail. */
const RENEW_MS = 5_000;

/**
 * Runs work under a lock and returns its result; null, without running it, if another holder has the lock. If Redis
 * fails, the work runs without a lock, so it must be safe to run twice. Errors of the work propagate.
 */
export async function withLock<T>(scope: LockScope, lock: LockedWork<T>): Promise<T | null> {
  const { redis, log, token } = scope;
  const key = `lock:${lock.key}`;
  const warn = (error: unknown): true => {
    log.warn("lock_unavailable", { key, error: describeError(error) });
    return true;
  };
  if (!(await redis.setIfAbsent(key, token, LOCK_TTL_MS).catch(warn))) return null;
  const renew = (): Promise<boolean> => redis.extendIfEqual(key, token, LOCK_TTL_MS).catch(warn);
  try {
    return await workUnderLease({ everyMs: RENEW_MS, renew }, lock.work);
  } finally {
    await redis.deleteIfEqual(key, token).catch(warn);
  }
}
