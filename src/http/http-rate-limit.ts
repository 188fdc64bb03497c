import type { MiddlewareHandler } from "hono";
import type { LimitName } from "../config.ts";
import { failure } from "../errors.ts";
import type { CountedRequest } from "../partners/count-rate-limit.ts";
import type { AnyRoute } from "./define-route.ts";
import type { AppEnv } from "./hono-env.ts";

/** Length of a rate limit window, seconds. */
const WINDOW_S = 60;

/** Returns the rate limit that a call of a route counts against; null when the route is not limited. */
export function rateLimitOf(route: Pick<AnyRoute, "limit">): LimitName | null {
  return route.limit === undefined ? "reads" : route.limit;
}

/** Throws `rate_limited` when the request exceeded its limit. */
export function assertWithinLimit({ name, limit, count }: CountedRequest): void {
  if (count === null || count.admitted) return;
  const detail = `the limit of ${limit} requests per minute (${name}) is exceeded`;
  throw failure("rate_limited", detail, { retry_after: secondsLeft(count) });
}

/**
 * Makes a middleware for the rate limit headers: `RateLimit-Policy` on every counted response, `RateLimit` with the rest of
 * the limit when it is counted exactly or exceeded. Source: draft-ietf-httpapi-ratelimit-headers.
 */
export function rateLimitHeaders(): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    await next();
    const counted = c.get("counted");
    if (counted === undefined) return;
    const { name, limit, exact, count } = counted;
    c.res.headers.set("ratelimit-policy", `"${name}";q=${limit};w=${WINDOW_S}`);
    if (count === null || (!exact && count.admitted)) return;
    c.res.headers.set("ratelimit", `"${name}";r=${count.remaining ?? 0};t=${secondsLeft(count)}`);
  };
}

function secondsLeft({ resetMs }: { resetMs: number | null }): number {
  return resetMs === null ? WINDOW_S : Math.max(1, Math.ceil(resetMs / 1000));
}
