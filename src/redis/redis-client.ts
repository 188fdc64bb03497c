import { Redis } from "@upstash/redis/cloudflare";
import type { Breaker } from "../lib/circuit-breaker.ts";
import type { Timing } from "../lib/outside-call-timing.ts";
import { sendCommand } from "./redis-command.ts";

/**
 * Timeout of one Redis command, in milliseconds. Commands are not retried, because loading a value is faster than
 * waiting.
 */
const COMMAND_TIMEOUT_MS = 800;

/**
 * Redis commands of one request or job run, none of them retried. Keys get a prefix. Throws OutsideError `timeout`
 * while the circuit breaker refuses commands; errors of the driver, such as its TimeoutError, propagate.
 */
export interface RedisStore {
  /** Returns the value of a key, or null if there is none. */
  get(key: string): Promise<string | null>;
  /** Sets a value that expires after `ttlMs` milliseconds, or never if `ttlMs` is null. */
  set(key: string, value: string, ttlMs: number | null): Promise<void>;
  /**
   * Sets a value that expires after `ttlMs` milliseconds if the key does not exist. Returns true if it was set, false
   * if the key exists.
   */
  setIfAbsent(key: string, value: string, ttlMs: number): Promise<boolean>;
  /**
   * Sets a key to expire `ttlMs` milliseconds from now if its value is still `value`, and sets it again if it has
   * expired; returns true. Returns false if the key has another value.
   */
  extendIfEqual(key: string, value: string, ttlMs: number): Promise<boolean>;
  /** Deletes a key if its value is still `value`; otherwise does nothing. */
  deleteIfEqual(key: string, value: string): Promise<void>;
  /** Deletes a key; does nothing if it does not exist. */
  delete(key: string): Promise<void>;
  /** Checks that Redis responds. */
  ping(): Promise<void>;
}

/** Lua script that deletes a key only if it holds the given value, so that only the holder of a lock releases it. */
const DELETE_IF_EQUAL =
  "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end";

/** Lua script that renews a lock for its holder. An expired lock is set again, unless another holder has taken it. */
const EXTEND_IF_EQUAL = `local value = redis.call('get', KEYS[1])
if value and value ~= ARGV[1] then return 0 end
redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`;

/**
 * Creates the Upstash client, which may live as long as the isolate. A command times out after `timeoutMs` (default
 * 800) milliseconds and is not retried. Stored values are returned as strings.
 */
export function createRedis(settings: { url: string; token: string; timeoutMs?: number }): Redis {
  return new Redis({
    url: settings.url,
    token: settings.token,
    automaticDeserialization: false,
    // Without pipelining, no request's promise depends on another request.
    enableAutoPipelining: false,
    enableTelemetry: false,
    readYourWrites: false,
    retry: { retries: 0 },
    signal: () => AbortSignal.timeout(settings.timeoutMs ?? COMMAND_TIMEOUT_MS),
  });
}

/**
 * Creates the Redis commands for one request. Keys get the form `<prefix>:<key>`; the time spent counts as `redis` in
 * `timing`.
 */
export function createRedisStore(
  redis: Redis,
  scope: { prefix: string; timing: Timing; breaker?: Breaker },
): RedisStore {
  const named = (key: string): string => `${scope.prefix}:${key}`;
  const send = <T>(call: () => Promise<T>): Promise<T> => sendCommand(scope, call);
  return {
    get: (key) => send(() => redis.get<string>(named(key))),
    set: async (key, value, ttlMs) => {
      await send(() =>
        ttlMs === null ? redis.set(named(key), value) : redis.set(named(key), value, { px: ttlMs }),
      );
    },
    setIfAbsent: async (key, value, ttlMs) =>
      (await send(() => redis.set(named(key), value, { nx: true, px: ttlMs }))) === "OK",
    extendIfEqual: async (key, value, ttlMs) =>
      (await send(() => redis.eval(EXTEND_IF_EQUAL, [named(key)], [value, ttlMs]))) === 1,
    deleteIfEqual: async (key, value) => {
      await send(() => redis.eval(DELETE_IF_EQUAL, [named(key)], [value]));
    },
    delete: async (key) => {
      await send(() => redis.del(named(key)));
    },
    ping: async () => {
      await send(() => redis.ping());
    },
  };
}
