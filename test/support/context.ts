import type { ChainClient } from "../../src/chains/chain-client.ts";
import type { EdgeCacheControl } from "../../src/config/cloudflare-bindings.ts";
import type { Config } from "../../src/config/config.ts";
import { type Context, createContext, createRuntime } from "../../src/context.ts";
import { createLogger } from "../../src/lib/logger.ts";
import { Timing } from "../../src/lib/outside-call-timing.ts";
import { withLock } from "../../src/redis/redis-lock.ts";
import { MemoryCache } from "../../src/redis/redis-memory-cache.ts";
import { createCache } from "../../src/redis/two-level-cache.ts";
import { MemoryNonces, OpenLimiter } from "./partners/stores.ts";
import { MemoryStore } from "./redis/memory-store.ts";

/** Minimal valid bindings of the Worker. Nothing listens at their addresses. */
export const bindings = {
  DATABASE_URL: "postgres://user:pa55word@127.0.0.1:9/causeway",
  UPSTASH_REDIS_REST_URL: "http://127.0.0.1:9",
  UPSTASH_REDIS_REST_TOKEN: "redis-t0ken",
  PUBLIC_URL: "https://causeway.example",
  PRICES: JSON.stringify({ api_url: null }),
} as const;

/** A context whose log lines and Redis store a test can inspect. */
export interface TestContext extends Context {
  /** Log lines, parsed. */
  readonly logged: Record<string, unknown>[];
  readonly redis: MemoryStore;
}

/**
 * Creates a context as the service does, with a memory store, a fixed clock and the given chain clients. Every other
 * dependency is unreachable.
 */
export function testContext(
  parts: Partial<Pick<Context, "db" | "cache">> & {
    requestId?: string;
    config?: Partial<Config>;
    edgeCache?: EdgeCacheControl;
    clients?: readonly ChainClient[];
    nowMs?: number;
  } = {},
): TestContext {
  const requestId = parts.requestId ?? "request-1";
  const waitUntil = (promise: Promise<unknown>): void => void promise.catch(() => undefined);
  const composed = createContext(createRuntime(bindings), {
    requestId: () => requestId,
    clientAddress: "192.0.2.1",
    edgeCache: () => parts.edgeCache ?? null,
    waitUntil,
  });
  const now = () => parts.nowMs ?? 1_700_000_000_000;
  const logged: Record<string, unknown>[] = [];
  const log = createLogger((line) => logged.push(JSON.parse(line)), { request_id: requestId });
  const redis = new MemoryStore(now);
  const clients = new Map(parts.clients?.map((client) => [client.definition.chainId, client]));
  const cache = createCache({
    memory: new MemoryCache(),
    redis,
    now,
    waitUntil,
    log,
    makeToken: () => requestId,
  });
  return {
    ...composed,
    config: { ...composed.config, ...parts.config },
    db: parts.db ?? composed.db,
    cache: parts.cache ?? cache,
    timing: new Timing(now),
    randomId: () => "0123456789abcdef0123456789abcdef",
    chains: {
      definitions: new Map([...clients].map(([chainId, client]) => [chainId, client.definition])),
      client: (chainId) => clients.get(chainId) ?? null,
    },
    actor: { kind: "anonymous" },
    limiter: new OpenLimiter(),
    nonces: new MemoryNonces(now),
    withLock: (lock) => withLock({ redis, log, token: requestId }, lock),
    redis,
    log,
    logged,
    now,
  };
}
