import type { MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import type { AppEnv } from "./hono-env.ts";
import { CORS_HEADERS, setHeaders } from "./public-headers.ts";

// Responds to preflight requests only, because it would copy every other `Response`.
const answerPreflight = cors({
  origin: CORS_HEADERS["access-control-allow-origin"],
  allowMethods: ["GET", "POST", "PUT", "PATCH", "DELETE"],
  allowHeaders: [
    "Content-Type",
    "Authorization",
    "X-API-Key",
    "Idempotency-Key",
    "X-Request-Id",
    "Last-Event-ID",
  ],
  exposeHeaders: CORS_HEADERS["access-control-expose-headers"].split(","),
  maxAge: 86_400,
});

/**
 * Returns a middleware that lets web pages of any origin call the routes and read their responses, except where
 * `sameOriginOnly` is set. The header of the API secret is not allowed: secrets must not reach browsers.
 */
export function publicCors(): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    await next();
    if (c.get("sameOriginOnly") === true || c.get("hasPublicHeaders") === true) return;
    if (isPreflight(c.req.raw)) {
      const answer = await answerPreflight(c, next);
      if (answer !== undefined) c.res = answer;
      return;
    }
    setHeaders(c.res, CORS_HEADERS);
  };
}

/** Returns true for a CORS preflight request. Source: Fetch standard. */
function isPreflight({ method, headers }: Request): boolean {
  return method === "OPTIONS" && headers.has("access-control-request-method");
}
