import { Redis } from "@upstash/redis/cloudflare";
import type { Timing } from "../lib/timing.ts";

/** One Redis command may take this long, in milliseconds; there is no retry: a cache that waits is no cache. */
const COMMAND_TIMEOUT_MS = 800;

/** The few commands this program uses, counted towards the request's time. */
export interface RedisStore {
  get(key: string): Promise<string | null>;
  /** Sets a value; `ttlMs` null keeps it for good. */
  set(key: string, value: string, ttlMs: number | null): Promise<void>;
  /** Sets a value only where there is none; false when there was one. */
  setIfAbsent(key: string, value: string, ttlMs: number): Promise<boolean>;
  /** Deletes the key if it still holds `value`. */
  deleteIfEqual(key: string, value: string): Promise<void>;
  delete(key: string): Promise<void>;
  ping(): Promise<void>;
}

/** Deletes a key only while it holds the given value: a lock is released by who took it. */
const DELETE_IF_EQUAL =
  "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end";

/**
 * Makes the Upstash client. It may live as long as the isolate: without auto-pipelining no request's
 * promise is tied to another's. Values stay the strings they are.
 */
export function createRedis(settings: { url: string; token: string; timeoutMs?: number }): Redis {
  return new Redis({
    url: settings.url,
    token: settings.token,
    automaticDeserialization: false,
    enableAutoPipelining: false,
    enableTelemetry: false,
    readYourWrites: false,
    retry: { retries: 0 },
    signal: () => AbortSignal.timeout(settings.timeoutMs ?? COMMAND_TIMEOUT_MS),
  });
}

/** Binds the client to one request's account of time and to the deployment's key prefix. */
export function createRedisStore(redis: Redis, scope: { prefix: string; timing: Timing }): RedisStore {
  const named = (key: string): string => `${scope.prefix}:${key}`;
  const send = <T>(call: () => Promise<T>): Promise<T> => scope.timing.track("redis", call);
  return {
    get: (key) => send(() => redis.get<string>(named(key))),
    set: async (key, value, ttlMs) => {
      await send(() =>
        ttlMs === null ? redis.set(named(key), value) : redis.set(named(key), value, { px: ttlMs }),
      );
    },
    setIfAbsent: async (key, value, ttlMs) =>
      (await send(() => redis.set(named(key), value, { nx: true, px: ttlMs }))) === "OK",
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
