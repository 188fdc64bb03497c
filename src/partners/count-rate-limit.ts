import type { LimitName } from "../config/config.ts";
import type { Context } from "../context.ts";
import type { LimitCount, LimitWindow } from "../redis/redis-limiter.ts";
import type { Actor } from "./partner-actor.ts";

/**
 * Names of the rate limits that are counted exactly, across all isolates. The other limits are counted by the platform
 * in each location, or by each isolate if the platform has no limiter for them.
 */
const EXACT: ReadonlySet<LimitName> = new Set(["quote", "build", "user_build", "nonce", "register", "login"]);

/**
 * Result of counting a request against a rate limit. `limit` is the number of requests allowed per minute; `exact` is
 * true if they are counted across all isolates.
 */
export interface CountedRequest {
  name: LimitName;
  limit: number;
  exact: boolean;
  /** Null if an exact counter failed; the request is then admitted. */
  count: LimitCount | null;
}

/**
 * Counts a request against a rate limit, per caller or, if `user` is given, per user address of that caller. A partner
 * with only an API key, which may be copied, counts separately for each client address. Never throws.
 */
export async function countRequest(
  ctx: Context,
  request: { name: LimitName; client: string; user?: string },
): Promise<CountedRequest> {
  const { name, client, user } = request;
  const exact = EXACT.has(name);
  const limit = limitFor(ctx, name);
  const caller = subjectOf(ctx.actor, client);
  const subject = user === undefined ? caller : `${caller}:${user.toLowerCase()}`;
  const window: LimitWindow = { name, limit, subject };
  const count = await (exact ? ctx.limiter.countExactly(window) : ctx.limiter.countNearby(window));
  return { name, limit, exact, count };
}

/**
 * Returns the number of requests per minute that a rate limit allows the caller. Partners have a multiple of the
 * default, or a limit of their own.
 */
function limitFor(ctx: Context, name: LimitName): number {
  const { limits, keyFactor, partnerLimits } = ctx.config;
  if (ctx.actor.kind !== "partner") return limits[name];
  const own = partnerLimits.get(ctx.actor.partner.address.toLowerCase());
  return own?.[name] ?? limits[name] * keyFactor;
}

/** Returns the identifier of the caller under which its requests are counted. */
function subjectOf(actor: Actor, client: string): string {
  if (actor.kind !== "partner") return `client:${clientSubject(client)}`;
  const partner = actor.partner.address.toLowerCase();
  return actor.proof === "key" ? `key:${partner}:${clientSubject(client)}` : `partner:${partner}`;
}

/**
 * Returns the identifier, lowercase and at most 45 characters, under which requests from a client address are counted:
 * an IPv4 address, the /64 prefix of an IPv6 address (usually one customer), or any other text without a colon.
 */
export function clientSubject(address: string): string {
  const text = address.trim().toLowerCase();
  if (!text.includes(":")) return text.slice(0, 45);
  const mapped = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/.exec(text)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = "", tail = ""] = text.split("::", 2);
  const groups = (part: string): string[] => (part === "" ? [] : part.split(":"));
  const [front, back] = [groups(head), groups(tail)];
  const zeros = text.includes("::")
    ? Array<string>(Math.max(0, 8 - front.length - back.length)).fill("0")
    : [];
  const network = [...front, ...zeros, ...back].slice(0, 4).map((group) => group.replace(/^0+(?=.)/, ""));
  return `${network.join(":").slice(0, 40)}::/64`;
}
