import type { Context as HonoContext } from "hono";
import { readCredentials } from "./admit-request.ts";
import { isCanonicalUrl } from "./canonical-url.ts";
import { type CacheRule, Reply, type ServedRoute } from "./define-route.ts";
import type { AppEnv } from "./hono-env.ts";
import { rateLimitPolicy } from "./http-rate-limit.ts";
import { MemoByUrl } from "./memo-by-url.ts";
import { PUBLIC_HEADERS } from "./public-headers.ts";

/** A serialized response body and its entity tag. The tag is null if the route does not allow caching. */
interface RenderedBody {
  body: string;
  etag: string | null;
}

/**
 * Serialized response bodies by route and by the object that the handler returned, which is the same until its content
 * changes. Kept per route, because the schemas of two routes may show different fields of one object.
 */
const renderedBodies = new WeakMap<ServedRoute, WeakMap<object, RenderedBody>>();

/** Headers of a 304 response, which has no body: a shared cache must never store it in place of the body. */
const NOT_SHARED = {
  "cache-control": "private, max-age=0",
  "cloudflare-cdn-cache-control": "private, no-store",
};

/**
 * Returns the HTTP response for a handler's result, as the route's schema outputs it. On routes that allow caching it
 * has an ETag, and is a 304 if `If-None-Match` matches. Throws a ZodError if the result does not match the schema.
 */
export async function respond(
  c: HonoContext<AppEnv>,
  route: ServedRoute,
  answer: unknown,
): Promise<Response> {
  const value = answer instanceof Reply ? answer.value : answer;
  const { body, etag } = await render(route, value);
  if (etag !== null && matchesEtag(c.req.header("if-none-match"), etag)) {
    const unchanged = { ...fieldsOf(c, { route, answer, etag }), ...NOT_SHARED };
    return new Response(null, { status: 304, headers: unchanged });
  }
  const status = statusOf(route, answer);
  const headers = storedHeaders(c, { route, answer, etag });
  if (headers === null) return new Response(body, { status, headers: fieldsOf(c, { route, answer, etag }) });
  c.set("hasPublicHeaders", true);
  return new Response(body, { status, headers });
}

/** A handler's result with what its headers depend on besides the request's URL. */
interface Headed {
  route: ServedRoute;
  answer: unknown;
  etag: string | null;
}

/** Returns the headers that a handler's result, its route and the URL decide. */
function fieldsOf(c: HonoContext<AppEnv>, { route, answer, etag }: Headed): Record<string, string> {
  return {
    "content-type": "application/json",
    ...cacheHeaders(c, route),
    ...(answer instanceof Reply ? answer.headers : {}),
    ...(etag === null ? {} : { etag }),
  };
}

/**
 * Returns all headers of a cacheable response that are the same for everyone, or null for any other response. Made once
 * per URL, entity tag and rate limit policy: the runtime copies a `Headers` object in one step, which costs far less
 * than each field.
 */
function storedHeaders(c: HonoContext<AppEnv>, headed: Headed): Headers | null {
  const { route, answer, etag } = headed;
  if (etag === null || answer instanceof Reply || route.access !== "public") return null;
  const counted = c.get("counted") ?? [];
  if (hasCredentials(c) || counted.some(({ exact }) => exact)) return null;
  const fields = cacheHeaders(c, route);
  const policy = rateLimitPolicy(counted);
  const known = headersByFields.get(fields);
  if (known?.etag === etag && known.policy === policy) return known.headers;
  if (fields["cache-control"]?.startsWith(PUBLIC) !== true) return null;
  const limits = policy === "" ? {} : { "ratelimit-policy": policy };
  const headers = new Headers({ ...fieldsOf(c, headed), ...limits, ...PUBLIC_HEADERS });
  headersByFields.set(fields, { etag, policy, headers });
  return headers;
}

/** All headers of a cacheable response, and the entity tag and rate limit policy among them. */
interface StoredHeaders {
  etag: string;
  policy: string;
  headers: Headers;
}

/** The headers of the last response with these caching headers, which are kept per URL. */
const headersByFields = new WeakMap<Readonly<Record<string, string>>, StoredHeaders>();

/** Returns the HTTP status of a handler's result. */
function statusOf(route: ServedRoute, answer: unknown): number {
  if (answer instanceof Reply && answer.unavailable) return 503;
  if (answer instanceof Reply && answer.existing) return 200;
  return route.response.status ?? 200;
}

/**
 * Returns the serialized body of a handler's result. Reuses the stored body if the handler returned the same object.
 */
async function render(route: ServedRoute, value: unknown): Promise<RenderedBody> {
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

/** Returns the strong entity tag of a body: the first 12 bytes of its SHA-256 digest, in hex. */
async function entityTag(body: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(body));
  const hex = [...new Uint8Array(digest).subarray(0, 12)].map((byte) => byte.toString(16).padStart(2, "0"));
  return `"${hex.join("")}"`;
}

/**
 * Returns true if an `If-None-Match` header contains an entity tag or `*`. The comparison is weak, because proxies that
 * compress responses turn strong tags into weak ones (RFC 9110, section 13.1.2).
 */
function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const tags = ifNoneMatch.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes("*") || tags.includes(etag);
}

/**
 * Returns the headers that control caching of a response. Every response has them, because the platform's cache stores
 * those without and ignores credentials. Source: developers.cloudflare.com/workers/cache.
 */
function cacheHeaders(c: HonoContext<AppEnv>, route: ServedRoute): Readonly<Record<string, string>> {
  const rule = route.cache;
  if (rule === "no-store" || hasCredentials(c)) return { "cache-control": NO_STORE };
  return headersByUrl.get(route, c.req.url, () => headersOfUrl(c, { route, rule }));
}

/** Returns true if a request has credentials, valid or not. */
const hasCredentials = (c: HonoContext<AppEnv>): boolean =>
  c.get("hasCredentials") ?? readCredentials(c).hasCredentials;

/** Caching headers of requests without credentials, which only the URL decides. */
const headersByUrl = new MemoByUrl<Readonly<Record<string, string>>>();

function headersOfUrl(
  c: HonoContext<AppEnv>,
  { route, rule }: { route: ServedRoute; rule: Exclude<CacheRule, "no-store"> },
): Readonly<Record<string, string>> {
  const { query } = route;
  const { tags = [] } = rule;
  const known: Record<string, string | undefined> = { ...c.req.query(), ...c.req.param() };
  const named = tags.map((tag) =>
    tag.replaceAll(/\{(\w+)\}/g, (_, name) => known[name]?.toLowerCase() ?? "all"),
  );
  return sharedHeaders(c, { ...rule, tags: named, parameters: Object.keys(query?.shape ?? {}) });
}

/**
 * Returns the caching headers of a response that shared caches may serve, but `no-store` if the request has credentials
 * or a URL that is not canonical. Source: developers.cloudflare.com/workers/cache/configuration.
 */
export function sharedHeaders(
  c: HonoContext<AppEnv>,
  rule: Exclude<CacheRule, "no-store"> & { parameters: readonly string[] },
): Record<string, string> {
  if (hasCredentials(c) || !isCanonicalUrl(c.req.url, rule.parameters)) return { "cache-control": NO_STORE };
  const { sMaxAge, staleWhileRevalidate: stale, tags = [] } = rule;
  return {
    "cache-control": `${PUBLIC}, max-age=0, s-maxage=${sMaxAge}, stale-while-revalidate=${stale}`,
    // With `s-maxage`, Cloudflare serves nothing stale. Without `stale-if-error`, it serves stale responses forever.
    "cloudflare-cdn-cache-control": `${PUBLIC}, max-age=${sMaxAge}, stale-while-revalidate=${stale}, stale-if-error=${stale}`,
    ...(tags.length === 0 ? {} : { "cache-tag": tags.join(",") }),
  };
}

/** `Cache-Control` of a response that must not be cached. */
export const NO_STORE = "private, no-store";
/** First directive in the `Cache-Control` of a response that shared caches may store. */
const PUBLIC = "public";

/** Returns true if shared caches may store a response, which must then contain nothing specific to one request. */
export function isCacheable({ headers }: Response): boolean {
  return headers.get("cache-control")?.startsWith(PUBLIC) === true;
}
