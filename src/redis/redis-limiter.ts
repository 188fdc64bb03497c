import type { Redis } from "@upstash/redis/cloudflare";
import type { PlatformLimiter } from "../config.ts";
import { BoundedMap } from "../lib/bounded-map.ts";
import { describeError, type Logger } from "../lib/logger.ts";
import type { Timing } from "../lib/request-timing.ts";

/** Windows that an isolate keeps; the oldest is removed first. */
const CAPACITY = 20_000;

/** Counts requests in this isolate, for limits without a platform limiter. */
export class LimiterMemory {
  readonly #windows = new BoundedMap<{ count: number; endsAt: number }>(CAPACITY);

  /** Adds one request to a window. Returns the count and the milliseconds until the window ends. */
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

/** Length of a window from its first request, milliseconds. */
const WINDOW_MS = 60_000;

/** A limit per window: requests of one kind (`name`) from one caller (`subject`). */
export interface LimitWindow {
  name: string;
  subject: string;
  limit: number;
}

/** The result of counting a request. */
export interface LimitCount {
  admitted: boolean;
  /** Requests left in the window; null when the platform's limiter counts. */
  remaining: number | null;
  /** Milliseconds until the window ends; null when the platform's limiter counts. */
  resetMs: number | null;
}

/** Counts requests against rate limits. */
export interface Limiter {
  /** Counts a request exactly over all isolates. Null when Redis did not answer: then the request is admitted. */
  countExactly(window: LimitWindow): Promise<LimitCount | null>;
  /** Counts a request without I/O of ours: by the platform's limiter for this limit, else in this isolate. */
  countNearby(window: LimitWindow): Promise<LimitCount>;
}

/** Lua: adds one to a window that starts with its first request; returns the count and the time left. */
const COUNT = `local count = redis.call('incr', KEYS[1])
local left = redis.call('pttl', KEYS[1])
if left < 0 then
  redis.call('pexpire', KEYS[1], ARGV[1])
  left = tonumber(ARGV[1])
end
return {count, left}`;

/** Creates the limiter of one request. Its functions never throw. */
export function createLimiter(
  redis: Redis,
  scope: {
    prefix: string;
    timing: Timing;
    log: Logger;
    now: () => number;
    memory: LimiterMemory;
    platform: ReadonlyMap<number, PlatformLimiter>;
  },
): Limiter {
  const { prefix, timing, log, now, memory, platform } = scope;
  return {
    async countExactly(window) {
      const key = `${prefix}:limit:${window.name}:${window.subject}`;
      try {
        const answer = await timing.track("redis", () => redis.eval(COUNT, [key], [WINDOW_MS]));
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

/** The error's name only: the driver's messages repeat the command, which contains the caller's identity. */
function failureOf(error: unknown): string {
  return error instanceof Error && /upstash/i.test(error.name) ? error.name : describeError(error);
}
