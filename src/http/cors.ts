import type { MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import type { AppEnv } from "./hono-env.ts";

const ANY = "*";
const EXPOSED = [
  "ETag",
  "Idempotent-Replayed",
  "Link",
  "RateLimit",
  "RateLimit-Policy",
  "Retry-After",
  "X-Request-Id",
];

// Responds to preflight requests only, because it would copy every other `Response`.
const answerPreflight = cors({
  origin: ANY,
  allowMethods: ["GET", "POST", "PUT", "PATCH", "DELETE"],
  allowHeaders: [
    "Content-Type",
    "Authorization",
    "X-API-Key",
    "Idempotency-Key",
    "X-Request-Id",
    "Last-Event-ID",
  ],
  exposeHeaders: EXPOSED,
  maxAge: 86_400,
});

/**
 * Returns a middleware that lets web pages of any origin call the routes and read their responses, except where
 * `sameOriginOnly` is set. The header of the API secret is not allowed: secrets must not reach browsers.
 */
export function publicCors(): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    await next();
    if (c.get("sameOriginOnly") === true) return;
    if (isPreflight(c.req.raw)) {
      const answer = await answerPreflight(c, next);
      if (answer !== undefined) c.res = answer;
      return;
    }
    c.res.headers.set("access-control-allow-origin", ANY);
    c.res.headers.set("access-control-expose-headers", EXPOSED.join(","));
  };
}

/** Returns true for a CORS preflight request. Source: Fetch standard. */
function isPreflight({ method, headers }: Request): boolean {
  return method === "OPTIONS" && headers.has("access-control-request-method");
}
