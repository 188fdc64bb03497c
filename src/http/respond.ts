import type { Context as HonoContext } from "hono";
import { type AnyRoute, type CacheRule, Reply } from "./define-route.ts";

/** A serialized response body and its entity tag; null when it is not cached. */
interface RenderedBody {
  body: string;
  etag: string | null;
}

/**
 * Serialized bodies by route and value: cached reads return the same object until it changes. Separate for each route,
 * because their schemas may show different fields of one object.
 */
const renderedBodies = new WeakMap<AnyRoute, WeakMap<object, RenderedBody>>();

/**
 * Makes the response for a value. The route's schema removes undeclared fields. Cacheable responses get an ETag, and
 * become 304 when `If-None-Match` contains it.
 */
export async function respond(c: HonoContext, route: AnyRoute, answer: unknown): Promise<Response> {
  const value = answer instanceof Reply ? answer.value : answer;
  const { body, etag } = await render(route, value);
  const headers: Record<string, string> = {
    "content-type": "application/json",
    "cache-control": cacheControl(route.cache),
    ...(answer instanceof Reply ? answer.headers : {}),
  };
  if (etag !== null) {
    headers["etag"] = etag;
    if (matchesEtag(c.req.header("if-none-match"), etag)) return new Response(null, { status: 304, headers });
  }
  const existing = answer instanceof Reply && answer.existing;
  return new Response(body, { status: existing ? 200 : (route.response.status ?? 200), headers });
}

async function render(route: AnyRoute, value: unknown): Promise<RenderedBody> {
  const key = typeof value === "object" && value !== null ? value : null;
  const own = renderedBodies.get(route) ?? new WeakMap<object, RenderedBody>();
  renderedBodies.set(route, own);
  const known = key === null ? undefined : own.get(key);
  if (known !== undefined) return known;
  const body = JSON.stringify(route.response.schema.parse(value));
  const made = { body, etag: route.cache === "no-store" ? null : await entityTag(body) };
  if (key !== null) own.set(key, made);
  return made;
}

async function entityTag(body: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(body));
  const hex = [...new Uint8Array(digest).subarray(0, 12)].map((byte) => byte.toString(16).padStart(2, "0"));
  return `"${hex.join("")}"`;
}

/** Compares a list of entity tags weakly: proxies that compress make strong tags weak (RFC 9110, section 13.1.2). */
function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const tags = ifNoneMatch.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes("*") || tags.includes(etag);
}

function cacheControl(rule: CacheRule): string {
  if (rule === "no-store") return "no-store";
  return `public, max-age=0, s-maxage=${rule.sMaxAge}, stale-while-revalidate=${rule.staleWhileRevalidate}`;
}
