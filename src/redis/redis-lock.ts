import { describeError, type Logger } from "../lib/logger.ts";
import type { RedisStore } from "./redis-client.ts";

/** The store that holds a lock, and the token of its holder. */
export interface LockScope {
  redis: RedisStore;
  log: Logger;
  /** A token that no other holder uses. */
  token: string;
}

/** Work that at most one holder of `key` does at a time; the lock expires after `ttlMs` milliseconds. */
export interface LockedWork<T> {
  key: string;
  ttlMs: number;
  work: () => Promise<T>;
}

/**
 * Does work under a lock; null when another holder has it. The lock expires after `ttlMs`, and when Redis is down the
 * work is done without it, so doing it twice must be harmless. Throws what the work throws.
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
