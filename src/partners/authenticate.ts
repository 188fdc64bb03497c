import type { Context } from "../context.ts";
import { failure } from "../errors.ts";
import type { Actor } from "./actor.ts";
import { authenticateAdmin } from "./authenticate-admin.ts";
import { authenticateKey, type OfferedPair } from "./authenticate-key.ts";
import { authenticateSession } from "./authenticate-session.ts";

/**
 * Who may call an operation. `public` takes a key if one is given, `sign_in` takes nothing, `session` a session,
 * `session_or_pair` a session or a key with its secret, `admin` the administrator's token.
 */
export type Access = "public" | "sign_in" | "session" | "session_or_pair" | "admin";

/** The credentials of a request as its headers have them; null: no such header. */
export interface OfferedCredentials extends OfferedPair {
  authorization: string | null;
}

/**
 * Says on whose behalf a request is made. What is offered counts: wrong credentials are refused, never ignored.
 * Throws `credentials_required`, `credentials_invalid`, `session_expired`, `store_unavailable`,
 * `route_not_found` for an admin route where no administrator is configured.
 */
export async function authenticate(
  ctx: Context,
  request: { access: Access; offered: OfferedCredentials },
): Promise<Actor> {
  const { access, offered } = request;
  switch (access) {
    case "sign_in":
      return { kind: "anonymous" };
    case "public":
      return hasPair(offered) ? authenticateKey(ctx, offered) : { kind: "anonymous" };
    case "session":
      return authenticateSession(ctx, bearer(offered, "a session"));
    case "session_or_pair":
      return authenticateEither(ctx, offered);
    case "admin":
      if (ctx.config.adminToken === null) throw failure("route_not_found", "no route has this path");
      return authenticateAdmin(ctx, bearer(offered, "the administrator's token"));
  }
}

/** All that is offered must be right, and of one partner. */
async function authenticateEither(ctx: Context, offered: OfferedCredentials): Promise<Actor> {
  if (!hasPair(offered))
    return authenticateSession(ctx, bearer(offered, "a session, or a key with its secret"));
  const byPair = await authenticateKey(ctx, { key: offered.key, secret: offered.secret ?? "" });
  if (offered.authorization === null) return byPair;
  const bySession = await authenticateSession(ctx, bearer(offered, "a session"));
  if (bySession.partner.address === byPair.partner.address) return bySession;
  throw failure("credentials_invalid", "the session and the key are of different partners");
}

function hasPair(offered: OfferedPair): boolean {
  return offered.key !== null || offered.secret !== null;
}

function bearer({ authorization }: OfferedCredentials, what: string): string {
  if (authorization === null) throw failure("credentials_required", `this needs ${what}`);
  const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  if (token === undefined)
    throw failure("credentials_invalid", "the Authorization header is not a Bearer token");
  return token;
}
