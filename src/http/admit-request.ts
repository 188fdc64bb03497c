import type { Context as HonoContext, MiddlewareHandler } from "hono";
import * as z from "zod";
import type { Context } from "../context.ts";
import { AppError, noSuchEndpoint } from "../errors.ts";
import { authenticate, type OfferedCredentials } from "../partners/authenticate-partner.ts";
import { countRequest } from "../partners/count-rate-limit.ts";
import type { Actor } from "../partners/partner-actor.ts";
import type { ServedRoute } from "./define-route.ts";
import type { AppEnv } from "./hono-env.ts";
import { assertWithinLimit, rateLimitOf } from "./http-rate-limit.ts";

/**
 * Authenticates the caller of a request, counts the request against the route's rate limit, and returns the context
 * with the caller: anonymous on a public route without a limit and, for a public GET request, if the database fails.
 * A possible replay on a public route counts as a read now, and against the route's limit when the handler calls
 * `charge`. Throws `rate_limited` and the errors of `authenticate`.
 */
export async function admit(c: HonoContext<AppEnv>, route: ServedRoute): Promise<Context> {
  const ctx = c.get("ctx");
  if (route.access !== "public") {
    await countAgainstLimit(c, { ctx, route });
    return { ...ctx, actor: await authenticate(ctx, { access: route.access, offered: readCredentials(c) }) };
  }
  const actor = await identifyCaller(c, route);
  const callerCtx = actor.kind === "anonymous" ? ctx : { ...ctx, actor };
  const charge = (): Promise<void> => countAgainstLimit(c, { ctx: callerCtx, route });
  if (!mayBeReplay(c, route)) {
    await charge();
    return callerCtx;
  }
  // A replay of a stored response costs one read. The handler calls `charge` before it does new work.
  const replayCount = await countRequest(callerCtx, { name: "reads", client: callerCtx.clientAddress });
  if (replayCount.count?.admitted === false) c.set("counted", [replayCount]);
  assertWithinLimit(replayCount);
  return { ...callerCtx, charge };
}

const NamesUser = z.object({ body: z.object({ user_address: z.string() }) });

/**
 * Counts a request against the route's `userLimit` per caller and user address, unless a partner proved more than its
 * API key, and returns the handler's context. A possible replay is counted by the handler's `charge`. Throws
 * `rate_limited`.
 */
export async function admitForUser(
  c: HonoContext<AppEnv>,
  { ctx, route, input }: { ctx: Context; route: ServedRoute; input: unknown },
): Promise<Context> {
  const { actor, clientAddress: client } = ctx;
  const { userLimit: name } = route;
  const proven = actor.kind === "partner" && actor.proof !== "key";
  if (name === undefined || proven) return ctx;
  // Only here: zod makes an error for an input without a user, which costs a quarter of a cached read.
  const user = NamesUser.safeParse(input).data?.body.user_address;
  if (user === undefined) return ctx;
  const count = async (): Promise<void> => {
    const counted = await countRequest(ctx, { name, client, user });
    const refused = counted.count?.admitted === false;
    c.set("counted", [...(refused ? [] : (c.get("counted") ?? [])), counted]);
    assertWithinLimit(counted);
  };
  if (!mayBeReplay(c, route)) {
    await count();
    return ctx;
  }
  return { ...ctx, charge: () => ctx.charge().then(count) };
}

/**
 * Returns true if the route accepts an idempotency key and the request has one, so that its response may already be
 * stored.
 */
export function mayBeReplay(c: HonoContext, route: ServedRoute): boolean {
  const repeats = route.headers !== undefined && "idempotency-key" in route.headers.shape;
  return repeats && c.req.header("idempotency-key") !== undefined;
}

/**
 * Returns the caller of a public route: the partner of the API key, or anonymous, also on a route without a rate limit
 * and, for a GET request, if the database fails. A request whose API key cannot be verified counts against its client
 * address. Throws `rate_limited` and the errors of `authenticate`.
 */
async function identifyCaller(c: HonoContext<AppEnv>, route: ServedRoute): Promise<Actor> {
  const ctx = c.get("ctx");
  if (rateLimitOf(route) === null) return { kind: "anonymous" };
  try {
    return await authenticate(ctx, { access: "public", offered: readCredentials(c) });
  } catch (error) {
    const storeIsDown = error instanceof AppError && error.code === "store_unavailable";
    // On a GET request an API key only raises the rate limit, so without the database the caller is anonymous.
    if (storeIsDown && route.method === "get") return { kind: "anonymous" };
    await countAgainstLimit(c, { ctx, route });
    throw error;
  }
}

/** Counts a request against its route's rate limit, if the route has one. Throws `rate_limited` if it is exceeded. */
async function countAgainstLimit(
  c: HonoContext<AppEnv>,
  request: { ctx: Context; route: ServedRoute },
): Promise<void> {
  const name = rateLimitOf(request.route);
  if (name === null) return;
  const counted = await countRequest(request.ctx, { name, client: request.ctx.clientAddress });
  c.set("counted", [counted]);
  assertWithinLimit(counted);
}

/**
 * Returns the credentials in a request's headers; a field is null if its header is absent. Also records on the request
 * whether there are any.
 */
export function readCredentials(c: HonoContext<AppEnv>): OfferedCredentials & { hasCredentials: boolean } {
  const key = c.req.header("x-api-key") ?? null;
  const secret = c.req.header("x-api-secret") ?? null;
  const authorization = c.req.header("authorization") ?? null;
  const hasCredentials = key !== null || secret !== null || authorization !== null;
  c.set("hasCredentials", hasCredentials);
  return { key, secret, authorization, hasCredentials };
}

/**
 * Returns a middleware for administrators' paths that throws `route_not_found` if no administrator is configured, and
 * otherwise makes `publicCors` leave out its headers.
 */
export function adminGate(): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    if (c.get("ctx").config.adminToken === null) throw noSuchEndpoint();
    c.set("sameOriginOnly", true);
    await next();
  };
}
