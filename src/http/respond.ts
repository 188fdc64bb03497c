import type { Context as HonoContext } from "hono";
import { type AnyRoute, type CacheRule, Reply } from "./define-route.ts";

interface RenderedBody {
  body: string;
  etag: string | null;
}

/**
 * Bodies of values that each route answered before: cached reads hand out the same object until it changes.
 * By route, for what one may show another may have to leave out.
 */
const renderedBodies = new WeakMap<AnyRoute, WeakMap<object, RenderedBody>>();

/**
 * Answers with a value, parsed by the route's schema first so that nothing undeclared leaves. Cacheable
 * answers carry an ETag and become 304 when the caller has them already.
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

/** Weak comparison with a list of tags; proxies that compress make strong tags weak (RFC 9110, 13.1.2). */
function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const tags = ifNoneMatch.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes("*") || tags.includes(etag);
}

function cacheControl(rule: CacheRule): string {
  if (rule === "no-store") return "no-store";
  return `public, max-age=0, s-maxage=${rule.sMaxAge}, stale-while-revalidate=${rule.staleWhileRevalidate}`;
}
