/** Cloudflare's rate limiter, bound by a `[[ratelimits]]` entry of wrangler.toml. */
export interface PlatformLimiter {
  limit(options: { key: string }): Promise<{ success: boolean }>;
}

/** A Cloudflare queue, bound by a `[[queues.producers]]` entry of wrangler.toml. */
export interface MessageQueue {
  sendBatch(messages: readonly { body: unknown; delaySeconds?: number }[]): Promise<unknown>;
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

/** Returns the queue of a binding, or null if none is bound. */
export function queueOf(env: unknown, name: "FLOWS" | "FOLLOWING"): MessageQueue | null {
  const binding: unknown = typeof env === "object" && env !== null ? Reflect.get(env, name) : null;
  return isQueue(binding) ? binding : null;
}

/** Returns the static files, or null if none are bound. */
export function assetsOf(env: unknown): AssetFiles | null {
  const binding = typeof env === "object" && env !== null && "ASSETS" in env ? env.ASSETS : null;
  return isAssets(binding) ? binding : null;
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
