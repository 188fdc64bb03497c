import type { MiddlewareHandler } from "hono";
import type { LimitName } from "../config.ts";
import { failure } from "../errors.ts";
import type { CountedRequest } from "../partners/count-request.ts";
import type { AppEnv } from "./app-env.ts";
import type { AnyRoute } from "./define-route.ts";

/** What operations count as; those that are not here are reads, null is not counted. */
const LIMIT_BY_OPERATION: Readonly<Record<string, LimitName | null>> = {
  "health.live": null,
  "quotes.get": "quote",
  "quotes.build": "build",
  "positions.get": "positions",
  "status.get": "status",
  "partners.nonce": "nonce",
  "applications.nonce": "nonce",
  "partners.register": "register",
  "applications.wallet": "register",
  "partners.login": "login",
};

/** Length of a window in seconds. */
const WINDOW_S = 60;

/** What a route counts as. */
export function rateLimitOf(route: AnyRoute): LimitName | null {
  const name = LIMIT_BY_OPERATION[route.operationId];
  return name === undefined ? "reads" : name;
}

/** Throws `rate_limited` when the request was one too many. */
export function assertWithinLimit({ name, limit, count }: CountedRequest): void {
  if (count === null || count.admitted) return;
  const detail = `${limit} requests a minute are admitted here (${name})`;
  throw failure("rate_limited", detail, { retry_after: secondsLeft(count) });
}

/**
 * Tells callers their limit: the policy on every counted answer, what is left of it where it is counted exactly
 * or was exceeded. Source: draft-ietf-httpapi-ratelimit-headers.
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
