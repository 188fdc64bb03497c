import type { Context as HonoContext, MiddlewareHandler } from "hono";
import { edgeCacheOf } from "../config/cloudflare-bindings.ts";
import type { Context, RequestFacts } from "../context.ts";
import { describeError } from "../lib/logger.ts";
import { once } from "../lib/once.ts";
import type { AppEnv } from "./hono-env.ts";
import { SECURITY_HEADERS, setHeaders } from "./public-headers.ts";
import { isCacheable } from "./respond.ts";

/** Format of request ids that are accepted from clients. */
const WELL_FORMED_ID = /^[\w-]{1,64}$/;

/** Creates the context of a request from the Worker's bindings. May throw `internal` for an invalid configuration. */
export type ContextFactory = (bindings: Record<string, unknown>, request: RequestFacts) => Context;

/**
 * Returns a middleware that gives each request an id and a context, and logs those that fail (status 500 or above) or
 * take two seconds or longer. The id is that of the header `X-Request-Id` if it has 1 to 64 letters, digits, `_` and
 * `-`, otherwise a random UUID. Errors of `makeContext` propagate.
 */
export function requestScope(makeContext: ContextFactory): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const requestId = once(() => {
      const offered = c.req.header("x-request-id") ?? "";
      return WELL_FORMED_ID.test(offered) ? offered : crypto.randomUUID();
    });
    c.set("requestId", requestId);
    const waitUntil = (promise: Promise<unknown>): void => c.executionCtx.waitUntil(promise);
    // Cloudflare sets this header, whereas the client controls forwarding headers.
    const clientAddress = c.req.header("cf-connecting-ip") ?? "unknown";
    const edgeCache = () => edgeCacheOf(c.executionCtx);
    const ctx = makeContext(c.env, { requestId, clientAddress, edgeCache, waitUntil });
    c.set("ctx", ctx);
    await next();
    const cacheable = c.get("hasPublicHeaders") ?? isCacheable(c.res);
    c.set("isCacheable", cacheable);
    if (ctx.config.serverTiming && c.get("timingHidden") === undefined && !cacheable)
      c.res.headers.set("server-timing", ctx.timing.header());
    if (c.res.status >= 500) ctx.log.error("request", logFields(c));
    else if (ctx.timing.elapsedMs() >= SLOW_MS) ctx.log.warn("slow_request", logFields(c));
  };
}

function logFields(c: HonoContext<AppEnv>) {
  const { timing } = c.get("ctx");
  return {
    method: c.req.method,
    path: c.req.routePath,
    status: c.res.status,
    ms: timing.elapsedMs(),
    rpc: timing.requests("rpc"),
    db: timing.requests("db"),
    redis: timing.requests("redis"),
    error: c.error === undefined ? undefined : describeError(c.error),
  };
}

/** Returns a middleware that omits `Server-Timing` from the response to each request that reaches it. */
export function hideServerTiming(): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    c.set("timingHidden", true);
    await next();
  };
}

/** Minimum duration of a request that is logged as slow, in milliseconds. */
const SLOW_MS = 2_000;

/**
 * Returns a middleware that sets the headers of every response, including errors: the request id, except on cacheable
 * responses, and the security headers.
 */
export function baseHeaders(): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    await next();
    if (c.get("hasPublicHeaders") === true) return;
    if (!(c.get("isCacheable") ?? isCacheable(c.res)))
      c.res.headers.set("x-request-id", c.get("requestId")());
    setHeaders(c.res, SECURITY_HEADERS);
  };
}
