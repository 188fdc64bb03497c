import type { Redis } from "@upstash/redis/cloudflare";
import type { PlatformLimiter } from "../config.ts";
import { describeError, type Logger } from "../lib/logger.ts";
import { BoundedMap } from "../lib/lru.ts";
import type { Timing } from "../lib/timing.ts";

/** Windows an isolate keeps; the one that began first goes first. */
const CAPACITY = 20_000;

/** The isolate's own windows, for limits that the platform has no limiter for. */
export class LimiterMemory {
  readonly #windows = new BoundedMap<{ count: number; endsAt: number }>(CAPACITY);

  /** Adds one to the window; gives its count and the milliseconds until it ends. */
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

/** How long a window lasts from its first request, in milliseconds. */
const WINDOW_MS = 60_000;

/** Whose requests of which kind are counted together, and how many of them a window admits. */
export interface LimitWindow {
  name: string;
  subject: string;
  limit: number;
}

export interface LimitCount {
  admitted: boolean;
  /** Requests that the window still admits; null where the counter does not tell. */
  remaining: number | null;
  /** Milliseconds until the window ends; null where the counter does not tell. */
  resetMs: number | null;
}

export interface Limiter {
  /**
   * Counts a request exactly: of any number at once, over all isolates, the window admits `limit`.
   * Null when the store did not answer: a limit that cannot be counted does not hold anybody up.
   */
  countExactly(window: LimitWindow): Promise<LimitCount | null>;
  /** Counts a request without any I/O of ours: by the platform's limiter of this limit, else in this isolate. */
  countNearby(window: LimitWindow): Promise<LimitCount>;
}

/** Adds one to the window, which begins with its first request; gives the count and what is left of its time. */
const COUNT = `local count = redis.call('incr', KEYS[1])
local left = redis.call('pttl', KEYS[1])
if left < 0 then
  redis.call('pexpire', KEYS[1], ARGV[1])
  left = tonumber(ARGV[1])
end
return {count, left}`;

/** Binds the limiter to one request. Never throws. */
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

/** The driver's own messages repeat the command, which names whom was counted. */
function failureOf(error: unknown): string {
  return error instanceof Error && /upstash/i.test(error.name) ? error.name : describeError(error);
}
