import { describeError, type Logger } from "../lib/logger.ts";

/**
 * Cloudflare's rate limiter, bound by a `[[ratelimits]]` entry of wrangler.toml. `success` is false if the key has used
 * up its limit.
 */
export interface PlatformLimiter {
  limit(options: { key: string }): Promise<{ success: boolean }>;
}

/**
 * A Cloudflare queue, bound by a `[[queues.producers]]` entry of wrangler.toml. `sendBatch` accepts at most 100
 * messages.
 */
export interface MessageQueue {
  sendBatch(messages: readonly { body: unknown; delaySeconds?: number }[]): Promise<unknown>;
}

/**
 * The platform's cache in front of the Worker, as in `ctx.cache` of a handler. `purge` removes the responses that carry
 * any of the tags.
 */
export interface EdgeCacheControl {
  purge(what: { tags: string[] }): Promise<{ success: boolean; errors: readonly { message: string }[] }>;
}

/** The Worker's static files, bound by `[assets]` in wrangler.toml. */
export interface AssetFiles {
  fetch(url: string): Promise<Response>;
}

/** Returns the rate limiters among the bindings, by the limit per minute in their names (`LIMIT_<number>`). */
export function platformLimitersOf(env: unknown): ReadonlyMap<number, PlatformLimiter> {
  const limiters = new Map<number, PlatformLimiter>();
  for (const [name, binding] of Object.entries(typeof env === "object" && env !== null ? env : {})) {
    const perMinute = /^LIMIT_([1-9][0-9]{0,8})$/.exec(name)?.[1];
    if (perMinute !== undefined && isLimiter(binding)) limiters.set(Number(perMinute), binding);
  }
  return limiters;
}

/** Returns the queue bound under a name, or null if none is bound. */
export function queueOf(env: unknown, name: "FLOWS" | "FOLLOWING"): MessageQueue | null {
  const binding: unknown = typeof env === "object" && env !== null ? Reflect.get(env, name) : null;
  return isQueue(binding) ? binding : null;
}

/** Returns the static files, or null if none are bound. */
export function assetsOf(env: unknown): AssetFiles | null {
  const binding = typeof env === "object" && env !== null && "ASSETS" in env ? env.ASSETS : null;
  return isAssets(binding) ? binding : null;
}

/** Returns the cache in front of the Worker from a handler's execution context, or null if there is none. */
export function edgeCacheOf(executionContext: unknown): EdgeCacheControl | null {
  const isObject = typeof executionContext === "object" && executionContext !== null;
  const cache: unknown = isObject ? Reflect.get(executionContext, "cache") : null;
  return isEdgeCache(cache) ? cache : null;
}

/** Maximum number of tags in one purge, so that a large change is one cheap request. More are left to expire. */
const MAX_TAGS = 100;

/**
 * Purges the responses with any of the tags, at most the first 100 distinct ones, from Cloudflare's cache in front of
 * the Worker. Never throws; a failed purge is logged. Source: developers.cloudflare.com/workers/cache/purge.
 */
export async function purgeEdge(
  { cache, log }: { cache: EdgeCacheControl | null; log: Logger },
  tags: readonly string[],
): Promise<void> {
  if (cache === null || tags.length === 0) return;
  const distinct = [...new Set(tags)].slice(0, MAX_TAGS);
  try {
    const { success, errors } = await cache.purge({ tags: distinct });
    if (!success) log.warn("edge_not_purged", { tags: distinct.length, error: errors[0]?.message ?? "" });
  } catch (error) {
    log.warn("edge_not_purged", { tags: distinct.length, error: describeError(error) });
  }
}

function isEdgeCache(cache: unknown): cache is EdgeCacheControl {
  return typeof cache === "object" && cache !== null && "purge" in cache && typeof cache.purge === "function";
}

function isAssets(binding: unknown): binding is AssetFiles {
  return typeof binding === "object" && binding !== null && "fetch" in binding;
}

function isQueue(binding: unknown): binding is MessageQueue {
  return typeof binding === "object" && binding !== null && "sendBatch" in binding;
}

function isLimiter(binding: unknown): binding is PlatformLimiter {
  return (
    typeof binding === "object" &&
    binding !== null &&
    "limit" in binding &&
    typeof binding.limit === "function"
  );
}
