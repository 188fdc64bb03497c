import type { MiddlewareHandler } from "hono";
import type { LimitName } from "../config/config.ts";
import { failure } from "../errors.ts";
import type { CountedRequest } from "../partners/count-rate-limit.ts";
import type { ServedRoute } from "./define-route.ts";
import type { AppEnv } from "./hono-env.ts";

/** Length of a rate limit window, in seconds. */
const WINDOW_S = 60;

/** Returns the name of the rate limit that requests to a route count against, or null if the route has no limit. */
export function rateLimitOf(route: Pick<ServedRoute, "limit">): LimitName | null {
  return route.limit === undefined ? "reads" : route.limit;
}

/**
 * Returns true for a route with the rate limit `quote` or `build`: its requests hold much more memory than others, so
 * an isolate has a limited number of slots for them.
 */
export function takesOrderSlot(route: Pick<ServedRoute, "limit">): boolean {
  const limit = rateLimitOf(route);
  return limit === "quote" || limit === "build";
}

/**
 * Throws `rate_limited`, with the seconds until the window ends (60 if unknown) as `retry_after`, if a counted request
 * exceeds its rate limit. A request that could not be counted is admitted.
 */
export function assertWithinLimit({ name, limit, count }: CountedRequest): void {
  if (count === null || count.admitted) return;
  const detail = `the limit of ${limit} requests per minute (${name}) is exceeded`;
  throw failure("rate_limited", detail, { retry_after: secondsLeft(count) });
}

/**
 * Returns a middleware that sets `RateLimit-Policy` on responses to counted requests, and `RateLimit` if the exact
 * count is known or the limit is exceeded. Source: draft-ietf-httpapi-ratelimit-headers.
 */
export function rateLimitHeaders(): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    await next();
    const counted = c.get("counted");
    if (counted === undefined || c.get("hasPublicHeaders") === true) return;
    c.res.headers.set("ratelimit-policy", rateLimitPolicy(counted));
    const known = counted.flatMap(({ name, exact, count }) =>
      count === null || (!exact && count.admitted)
        ? []
        : [`"${name}";r=${count.remaining ?? 0};t=${secondsLeft(count)}`],
    );
    if (known.length > 0) c.res.headers.set("ratelimit", known.join(", "));
  };
}

/** Returns the value of `RateLimit-Policy` for a request that was counted against these limits. */
export function rateLimitPolicy(counted: readonly CountedRequest[]): string {
  return counted.map(({ name, limit }) => `"${name}";q=${limit};w=${WINDOW_S}`).join(", ");
}

/** Returns the seconds until the rate limit window ends, at least 1, or the whole window if the end is unknown. */
function secondsLeft({ resetMs }: { resetMs: number | null }): number {
  return resetMs === null ? WINDOW_S : Math.max(1, Math.ceil(resetMs / 1000));
}
