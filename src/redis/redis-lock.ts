import { describeError, type Logger } from "../lib/logger.ts";
import type { RedisStore } from "./redis-client.ts";

/** The Redis client and logger that a lock uses, and the token of its holder. */
export interface LockScope {
  redis: RedisStore;
  log: Logger;
  /** Token that no other holder uses. */
  token: string;
}

/** Work that at most one holder of the lock `key` does at a time. The lock expires after `ttlMs` milliseconds. */
export interface LockedWork<T> {
  key: string;
  ttlMs: number;
  work: () => Promise<T>;
}

/**
 * Runs work under a lock and returns its result, or null if another holder has the lock. The work must be safe to run
 * twice, because the lock expires after `ttlMs` milliseconds and the work runs without a lock if Redis fails. Errors of
 * the work propagate.
 */
export async function withLock<T>(scope: LockScope, lock: LockedWork<T>): Promise<T | null> {
  const { redis, log, token } = scope;
  const key = `lock:${lock.key}`;
  const warn = (error: unknown): true => {
    log.warn("lock_unavailable", { key, error: describeError(error) });
    return true;
  };
  if (!(await redis.setIfAbsent(key, token, lock.ttlMs).catch(warn))) return null;
  try {
    return await lock.work();
  } finally {
    await redis.deleteIfEqual(key, token).catch(warn);
  }
}
