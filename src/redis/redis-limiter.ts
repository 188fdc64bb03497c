import type { Redis } from "@upstash/redis/cloudflare";
import type { PlatformLimiter } from "../config/cloudflare-bindings.ts";
import { BoundedMap } from "../lib/bounded-map.ts";
import type { Breaker } from "../lib/circuit-breaker.ts";
import { describeError, type Logger } from "../lib/logger.ts";
import type { Timing } from "../lib/outside-call-timing.ts";
import { sendCommand } from "./redis-command.ts";

/** Maximum number of rate-limit windows that an isolate keeps; the oldest window is evicted first. */
const CAPACITY = 20_000;

/**
 * In-memory request counters of one isolate. Keeps at most 20,000 rate-limit windows; the one that began first is
 * evicted first.
 */
export class LimiterMemory {
  readonly #windows = new BoundedMap<{ count: number; endsAt: number }>(CAPACITY);

  /**
   * Counts one request in a rate-limit window, which starts with its first request and lasts 60 seconds. Returns the
   * count and the milliseconds until the window ends. `now` is in milliseconds since the epoch.
   */
  count(window: LimitWindow, now: number): { count: number; resetMs: number } {
    const key = `${window.name}:${window.subject}`;
    const running = this.#windows.get(key);
    if (running !== undefined && running.endsAt > now) {
      running.count += 1;
      return { count: running.count, resetMs: running.endsAt - now };
    }
    this.#windows.set(key, { count: 1, endsAt: now + WINDOW_MS });
    return { count: 1, resetMs: WINDOW_MS };
  }
}

/** Length of a rate-limit window from its first request, in milliseconds. */
const WINDOW_MS = 60_000;

/** A rate limit: at most `limit` requests per 60 seconds of one kind (`name`) from one caller (`subject`). */
export interface LimitWindow {
  name: string;
  subject: string;
  limit: number;
}

/** The result of counting a request against its rate limit. `admitted` is false if the request exceeds the limit. */
export interface LimitCount {
  admitted: boolean;
  /**
   * Remaining requests in the window: 0 if the request was refused; null if Cloudflare's rate limiter admitted the
   * request or failed.
   */
  remaining: number | null;
  /** Milliseconds until the window ends, or null if Cloudflare's rate limiter counts the request or failed. */
  resetMs: number | null;
}

/** Counts requests against rate limits. Its functions never throw; failures are logged. */
export interface Limiter {
  /** Counts a request exactly across all isolates. Returns null if Redis fails; the caller then admits the request. */
  countExactly(window: LimitWindow): Promise<LimitCount | null>;
  /**
   * Counts a request approximately, without a call to Redis: by Cloudflare's rate limiter for this limit if there is
   * one, otherwise in this isolate's memory. The request is admitted if Cloudflare's rate limiter fails.
   */
  countNearby(window: LimitWindow): Promise<LimitCount>;
}

/**
 * Lua script that counts a request in a window, which starts with its first request. Returns the count and the
 * remaining milliseconds.
 */
const COUNT = `local count = redis.call('incr', KEYS[1])
local left = redis.call('pttl', KEYS[1])
if left < 0 then
  redis.call('pexpire', KEYS[1], ARGV[1])
  left = tonumber(ARGV[1])
end
return {count, left}`;

/**
 * Creates the rate limiter of one request. All requests of an isolate must share `memory`. `platform` maps a limit, in
 * requests per minute, to the Cloudflare rate limiter that enforces it.
 */
export function createLimiter(
  redis: Redis,
  scope: {
    prefix: string;
    timing: Timing;
    breaker?: Breaker;
    log: Logger;
    now: () => number;
    memory: LimiterMemory;
    platform: ReadonlyMap<number, PlatformLimiter>;
  },
): Limiter {
  const { prefix, log, now, memory, platform } = scope;
  return {
    async countExactly(window) {
      const key = `${prefix}:limit:${window.name}:${window.subject}`;
      try {
        const answer = await sendCommand(scope, () => redis.eval(COUNT, [key], [WINDOW_MS]));
        const [count, left] = Array.isArray(answer) ? answer.map(Number) : [];
        if (count === undefined || left === undefined || !Number.isInteger(count) || !Number.isInteger(left))
          throw new TypeError("the counter's answer is not two integers");
        return countOf(window, { count, resetMs: left });
      } catch (error) {
        log.warn("limit_not_counted", { limit: window.name, error: failureOf(error) });
        return null;
      }
    },
    async countNearby(window) {
      const limiter = platform.get(window.limit);
      if (limiter === undefined) return countOf(window, memory.count(window, now()));
      try {
        const { success } = await limiter.limit({ key: `${window.name}:${window.subject}` });
        return { admitted: success, remaining: success ? null : 0, resetMs: null };
      } catch (error) {
        log.warn("limit_not_counted", { limit: window.name, error: describeError(error) });
        return { admitted: true, remaining: null, resetMs: null };
      }
    },
  };
}

function countOf(window: LimitWindow, counted: { count: number; resetMs: number }): LimitCount {
  return {
    admitted: counted.count <= window.limit,
    remaining: Math.max(0, window.limit - counted.count),
    resetMs: counted.resetMs,
  };
}

/**
 * Returns only the name of a Redis driver's error, because its message repeats the command, which contains the caller's
 * identity. Returns the messages of any other error.
 */
function failureOf(error: unknown): string {
  return error instanceof Error && /upstash/i.test(error.name) ? error.name : describeError(error);
}
