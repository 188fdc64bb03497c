import type { Context as HonoContext, MiddlewareHandler } from "hono";
import type { Context } from "../context.ts";
import { AppError, failure } from "../errors.ts";
import { authenticate, type OfferedCredentials } from "../partners/authenticate-request.ts";
import { countRequest } from "../partners/count-rate-limit.ts";
import type { Actor } from "../partners/request-actor.ts";
import type { AnyRoute } from "./define-route.ts";
import type { AppEnv } from "./hono-env.ts";
import { assertWithinLimit, rateLimitOf } from "./http-rate-limit.ts";

/**
 * Authenticates the caller of a request and counts it against the rate limit. Returns the context of the caller.
 * Throws the errors of `authenticate`, and `rate_limited`.
 */
export async function admit(c: HonoContext<AppEnv>, route: AnyRoute): Promise<Context> {
  const ctx = c.get("ctx");
  if (route.access !== "public") {
    await countAgainstLimit(c, { ctx, route });
    return { ...ctx, actor: await authenticate(ctx, { access: route.access, offered: credentialsOf(c) }) };
  }
  const callerCtx = { ...ctx, actor: await identifyCaller(c, route) };
  const charge = (): Promise<void> => countAgainstLimit(c, { ctx: callerCtx, route });
  if (!mayBeReplay(c, route)) {
    await charge();
    return callerCtx;
  }
  // A replay of a stored answer costs one read; the verb calls `charge` when it does new work.
  const replayCount = await countRequest(callerCtx, { name: "reads", client: callerCtx.clientAddress });
  if (replayCount.count?.admitted === false) c.set("counted", replayCount);
  assertWithinLimit(replayCount);
  return { ...callerCtx, charge };
}

/** Returns true when the request has an idempotency key, so that its answer may be stored already. */
function mayBeReplay(c: HonoContext, route: AnyRoute): boolean {
  const repeats = route.headers !== undefined && "idempotency-key" in route.headers.shape;
  return repeats && c.req.header("idempotency-key") !== undefined;
}

/** Authenticates an optional API key. A request with an invalid key counts against the limit of its client address. */
async function identifyCaller(c: HonoContext<AppEnv>, route: AnyRoute): Promise<Actor> {
  const ctx = c.get("ctx");
  if (rateLimitOf(route) === null) return { kind: "anonymous" };
  try {
    return await authenticate(ctx, { access: "public", offered: credentialsOf(c) });
  } catch (error) {
    const storeIsDown = error instanceof AppError && error.code === "store_unavailable";
    // The key of a GET request only raises the rate limit: without the database it is served as anonymous.
    if (storeIsDown && route.method === "get") return { kind: "anonymous" };
    await countAgainstLimit(c, { ctx, route });
    throw error;
  }
}

/** Counts a request against the limit of its route. Throws `rate_limited`. */
async function countAgainstLimit(
  c: HonoContext<AppEnv>,
  request: { ctx: Context; route: AnyRoute },
): Promise<void> {
  const name = rateLimitOf(request.route);
  if (name === null) return;
  const counted = await countRequest(request.ctx, { name, client: request.ctx.clientAddress });
  c.set("counted", counted);
  assertWithinLimit(counted);
}

function credentialsOf(c: HonoContext): OfferedCredentials {
  return {
    key: c.req.header("x-api-key") ?? null,
    secret: c.req.header("x-api-secret") ?? null,
    authorization: c.req.header("authorization") ?? null,
  };
}

/** Makes a middleware that answers 404 on administrators' paths when no administrator is configured. */
export function adminGate(): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    if (c.get("ctx").config.adminToken === null)
      throw failure("route_not_found", "no endpoint has this path");
    await next();
  };
}
