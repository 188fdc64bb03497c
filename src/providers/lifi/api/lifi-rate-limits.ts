import { parseRetryAfter, parseSeconds } from "../../../lib/parse-retry-after.ts";

/**
 * A group of LI.FI endpoints that share one rate limit: `quote` are those that return a transaction (`/quote` and
 * `/quote/contractCalls`), `routes` is that of quotes without one (`/advanced/routes`), `other` are lists and statuses.
 */
export type EndpointFamily = "quote" | "routes" | "other";

/**
 * Maximum number of seconds to wait after a rate limit response, whatever it states. LI.FI's window is two hours, but
 * one header must not disable the provider for that long.
 */
const MAX_WAIT_SECONDS = 60;
/** Seconds to wait after a rate limit response that does not state a time. */
const DEFAULT_WAIT_SECONDS = 60;

/** Remembers, in the memory of one isolate, the time until which each group of LI.FI endpoints must not be called. */
export class RateLimitMemory {
  readonly #until = new Map<EndpointFamily, number>();

  /**
   * Returns the number of seconds until a group of endpoints may be called again, or null if it may be called
   * now. `now` is in milliseconds since the epoch.
   */
  waitSeconds(family: EndpointFamily, now: number): number | null {
    const until = this.#until.get(family) ?? 0;
    return until > now ? Math.ceil((until - now) / 1000) : null;
  }

  /**
   * Records the rate limit that a response reports, by status 429 or a `ratelimit-remaining` of 0, unless an earlier
   * one ends later; other responses change nothing. `now` is in milliseconds since the epoch.
   */
  record(family: EndpointFamily, answer: { status: number; headers: Headers; now: number }): void {
    const { status, headers, now } = answer;
    if (status !== 429 && headers.get("ratelimit-remaining") !== "0") return;
    const until = now + retryAfterSeconds(headers, now) * 1000;
    this.#until.set(family, Math.max(until, this.#until.get(family) ?? 0));
  }
}

/**
 * Returns the waiting time that a LI.FI response requests (`Retry-After` or `ratelimit-reset`), in seconds, clamped to
 * 1–60; 60 if it states none. `now` is in milliseconds since the epoch.
 */
export function retryAfterSeconds(headers: Headers, now: number): number {
  const seconds =
    parseRetryAfter(headers.get("retry-after"), now) ?? parseSeconds(headers.get("ratelimit-reset"));
  return Math.min(Math.max(seconds ?? DEFAULT_WAIT_SECONDS, 1), MAX_WAIT_SECONDS);
}
