import type { Context as HonoContext, MiddlewareHandler } from "hono";
import type { Context } from "../context.ts";
import { AppError, failure } from "../errors.ts";
import type { Actor } from "../partners/actor.ts";
import { authenticate, type OfferedCredentials } from "../partners/authenticate.ts";
import { countRequest } from "../partners/count-request.ts";
import type { AppEnv } from "./app-env.ts";
import type { AnyRoute } from "./define-route.ts";
import { assertWithinLimit, rateLimitOf } from "./rate-limit.ts";

/**
 * Lets a request in: recognises who makes it and counts it. Gives the context in which it acts.
 * Throws what authentication throws, and `rate_limited`.
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
  // Asking for a stored answer again costs what a read costs; the verb counts what it does beyond that.
  const replayCount = await countRequest(callerCtx, { name: "reads", client: callerCtx.clientAddress });
  if (replayCount.count?.admitted === false) c.set("counted", replayCount);
  assertWithinLimit(replayCount);
  return { ...callerCtx, charge };
}

/** Whether the request may be one that was answered before, which then does not count. */
function mayBeReplay(c: HonoContext, route: AnyRoute): boolean {
  const repeats = route.headers !== undefined && "idempotency-key" in route.headers.shape;
  return repeats && c.req.header("idempotency-key") !== undefined;
}

/** The holder of the key that was given, if one was; whoever tries wrong ones is counted as anonymous. */
async function identifyCaller(c: HonoContext<AppEnv>, route: AnyRoute): Promise<Actor> {
  const ctx = c.get("ctx");
  if (rateLimitOf(route) === null) return { kind: "anonymous" };
  try {
    return await authenticate(ctx, { access: "public", offered: credentialsOf(c) });
  } catch (error) {
    const storeIsDown = error instanceof AppError && error.code === "store_unavailable";
    // Where a key does no more than raise a limit, the answer does not depend on it.
    if (storeIsDown && route.method === "get") return { kind: "anonymous" };
    await countAgainstLimit(c, { ctx, route });
    throw error;
  }
}

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

/** Where no administrator is configured, their routes are not there, whatever the method. */
export function adminGate(): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    if (c.get("ctx").config.adminToken === null)
      throw failure("route_not_found", "no endpoint has this path");
    await next();
  };
}
