import { parseRetryAfter, parseSeconds } from "../../../lib/retry-after.ts";

/** A group of endpoints that share one of LI.FI's rate limits. */
export type EndpointFamily = "quote" | "routes" | "other";

/** The longest wait that is believed: LI.FI's own window, two hours. */
const MAX_WAIT_SECONDS = 7_200;
/** The wait when an upstream says "too many" and not for how long. */
const DEFAULT_WAIT_SECONDS = 60;

/** Remembers until when each endpoint family must not be called, for the lifetime of the isolate. */
export class RateLimitMemory {
  readonly #until = new Map<EndpointFamily, number>();

  /** Returns the seconds until a family may be called again; null when it may be called now. */
  waitSeconds(family: EndpointFamily, now: number): number | null {
    const until = this.#until.get(family) ?? 0;
    return until > now ? Math.ceil((until - now) / 1000) : null;
  }

  /** Records a response's rate limit headers: after a 429 or with no requests remaining, the family waits. */
  record(family: EndpointFamily, answer: { status: number; headers: Headers; now: number }): void {
    const { status, headers, now } = answer;
    if (status !== 429 && headers.get("ratelimit-remaining") !== "0") return;
    this.#until.set(family, now + retryAfterSeconds(headers, now) * 1000);
  }
}

/**
 * How many seconds an answer asks to wait, between 1 and 7,200: `Retry-After` in seconds or as a date, or
 * `ratelimit-reset` in seconds. `now` in milliseconds.
 */
export function retryAfterSeconds(headers: Headers, now: number): number {
  const seconds =
    parseRetryAfter(headers.get("retry-after"), now) ?? parseSeconds(headers.get("ratelimit-reset"));
  return Math.min(Math.max(seconds ?? DEFAULT_WAIT_SECONDS, 1), MAX_WAIT_SECONDS);
}
