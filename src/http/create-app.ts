import type { Context } from "hono";
import { Hono } from "hono/tiny";
import type { Context as RequestContext } from "../context.ts";
import { failure, noSuchEndpoint } from "../errors.ts";
import { withDeadline } from "../lib/timers.ts";
import { adminGate, admit, admitForUser, mayBeReplay } from "./admit-request.ts";
import { publicCors } from "./cors.ts";
import type { ServedRoute } from "./define-route.ts";
import type { AppEnv } from "./hono-env.ts";
import { nearestOperation } from "./http-path-hints.ts";
import { rateLimitHeaders, takesOrderSlot } from "./http-rate-limit.ts";
import { problemResponse, publicError } from "./problem-response.ts";
import { readRequestBody } from "./read-request-body.ts";
import { baseHeaders, type ContextFactory, hideServerTiming, requestScope } from "./request-scope.ts";
import { NO_STORE, respond } from "./respond.ts";
import { ValidationFailure, validate } from "./validate-request.ts";

/**
 * Creates a hono app that serves the given routes, with request ids, response headers, CORS, rate limits, validation,
 * deadlines and problem documents (RFC 9457). A trailing slash in a path is ignored.
 */
export function createApp(routes: readonly ServedRoute[], makeContext: ContextFactory): Hono<AppEnv> {
  // Not strict: a trailing slash is the same path.
  const app = new Hono<AppEnv>({ strict: false });
  app.use(baseHeaders());
  app.use(requestScope(makeContext));
  app.use(rateLimitHeaders());
  app.use(publicCors());
  app.onError((error, c) => {
    const requestId = c.get("requestId")();
    if (error instanceof ValidationFailure) {
      return Response.json({ detail: error.issues }, { status: 422, headers: { "cache-control": NO_STORE } });
    }
    return problemResponse(publicError(error), requestId);
  });
  app.notFound((c) => {
    const hint = hintFor(c);
    const error =
      hint === "" ? noSuchEndpoint() : failure("route_not_found", `no endpoint has this path${hint}`);
    return problemResponse(error, c.get("requestId")());
  });
  for (const path of new Set(routes.map((route) => route.path))) {
    const mounted = routes.filter((route) => route.path === path);
    for (const route of mounted) mountRoute(app, route);
    // Mounted before later paths, because a later path with a parameter may also match this path and would
    // handle a method that this path does not allow.
    refuseOtherMethods(app, {
      path: honoPath(path),
      allowed: mounted.map(({ method }) => method.toUpperCase()),
    });
  }
  return app;
}

/** Returns the end of an error's detail, which names the operation that the request probably means. */
function hintFor(c: Context<AppEnv>): string {
  const meant = nearestOperation({ method: c.req.method, path: c.req.path });
  return meant === null ? "" : `; did you mean ${meant}?`;
}

/** Mounts a route with its middlewares on the app. */
function mountRoute(app: Hono<AppEnv>, route: ServedRoute): void {
  const path = honoPath(route.path);
  if (route.access === "admin") app.use(path, adminGate());
  // After the admin gate, whose 404 must be identical to that of an unknown path, and before everything else
  // that responds.
  if (route.access !== "public") app.use(path, hideServerTiming());
  if (route.method !== "get") app.use(path, readRequestBody(route.maxBodyBytes));
  app.on(route.method.toUpperCase(), path, async (c) => {
    return respond(c, route, await handleWithinDeadline(c, route));
  });
}

/**
 * Handles a request within the route's deadline. When it passes, the request fails with `store_unavailable` if it is
 * waiting for the database, otherwise with `upstream_timeout`; its work goes on in the background.
 */
async function handleWithinDeadline(c: Context<AppEnv>, route: ServedRoute): Promise<unknown> {
  const work = handle(c, route);
  if (route.deadlineMs === undefined) return work;
  const ctx = c.get("ctx");
  const onTimeout = () => {
    ctx.waitUntil(work.catch(() => undefined));
    if (ctx.timing.isWaitingFor("db")) return failure("store_unavailable", "the database did not answer");
    return failure("upstream_timeout", "the request exceeded its deadline");
  };
  return withDeadline(work, { ms: route.deadlineMs, late: onTimeout });
}

/**
 * Authenticates, validates and handles a request. Returns the handler's result. Throws `overloaded` if the request
 * needs a slot for orders and none is free: before anything else or, if the request may be a replay, in `charge`, so
 * that a request that only waits for another one's response holds no slot.
 */
async function handle(c: Context<AppEnv>, route: ServedRoute): Promise<unknown> {
  let free: (() => void) | undefined;
  const take = (): void => {
    if (takesOrderSlot(route)) free ??= takeOrderSlot(c.get("ctx"));
  };
  const isLate = mayBeReplay(c, route);
  if (!isLate) take();
  try {
    const admitted = await admit(c, route);
    const input = validate(c, route);
    const ctx = await admitForUser(c, { ctx: admitted, route, input });
    const charge = async (): Promise<void> => {
      take();
      await ctx.charge();
    };
    return await route.handler(isLate ? { ...ctx, charge } : ctx, input);
  } finally {
    free?.();
  }
}

/** Takes a slot for orders of the isolate and returns the function that frees it. Throws `overloaded`. */
function takeOrderSlot({ orderSlots }: RequestContext): () => void {
  const free = orderSlots.take();
  if (free !== null) return free;
  const detail = `this server already works on ${orderSlots.limit} orders, and has not begun this one: send the request again after the seconds in Retry-After`;
  throw failure("overloaded", detail);
}

/**
 * Mounts a handler that responds to OPTIONS with the allowed methods of a path (in hono's syntax), and otherwise with
 * 405. `allowed` lists the mounted methods in uppercase. Call it after they are mounted.
 */
export function refuseOtherMethods(
  app: Hono<AppEnv>,
  { path, allowed }: { path: string; allowed: readonly string[] },
): void {
  const allow = [...allowed, ...(allowed.includes("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");
  app.all(path, (c) => {
    // A browser's preflight request gets the response of the CORS middleware instead.
    if (c.req.method === "OPTIONS")
      return new Response(null, { status: 204, headers: { allow, "cache-control": NO_STORE } });
    const response = problemResponse(
      failure("method_not_allowed", `this path allows ${allow}${hintFor(c)}`),
      c.get("requestId")(),
    );
    response.headers.set("allow", allow);
    return response;
  });
}

/** Converts an OpenAPI path (`/{name}`) to hono's syntax (`/:name`). */
function honoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ":$1");
}
