import type { MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import type { AppEnv } from "./hono-env.ts";

const ANY = "*";
const EXPOSED = [
  "ETag",
  "Link",
  "RateLimit",
  "RateLimit-Policy",
  "Retry-After",
  "Server-Timing",
  "X-Request-Id",
];

const answerPreflight = cors({
  origin: ANY,
  allowMethods: ["GET", "POST", "PUT", "PATCH", "DELETE"],
  allowHeaders: ["Content-Type", "X-API-Key", "X-Request-Id", "Idempotency-Key", "If-None-Match"],
  exposeHeaders: EXPOSED,
  maxAge: 86_400,
});

/**
 * Returns a middleware that allows web pages of any origin to call a route. The header of the API secret is not
 * allowed, because secrets must not reach browsers. Hono's own CORS middleware only responds to preflight requests
 * here, because it would copy every other `Response`.
 */
export function publicCors(): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    if (c.req.method === "OPTIONS") return answerPreflight(c, next);
    await next();
    c.res.headers.set("access-control-allow-origin", ANY);
    c.res.headers.set("access-control-expose-headers", EXPOSED.join(","));
  };
}
