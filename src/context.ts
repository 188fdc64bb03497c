import type { Redis } from "@upstash/redis/cloudflare";
import { type ChainClient, createChainClient, NodeHealth } from "./chains/chain-client.ts";
import type { ChainDefinition } from "./chains/chain-definitions.ts";
import { resolveChains } from "./chains/chain-definitions.ts";
import { type EdgeCacheControl, purgeEdge } from "./config/cloudflare-bindings.ts";
import { type Config, parseConfig } from "./config/config.ts";
import {
  createDatabase,
  type Database,
  databasePolicy,
  lazyDrizzle,
  type OpenDatabase,
} from "./db/database-client.ts";
import type { Fetch } from "./lib/bounded-fetch.ts";
import { Breakers } from "./lib/circuit-breaker.ts";
import { createLogger, describeError, type Logger } from "./lib/logger.ts";
import { onceImported } from "./lib/once.ts";
import { Timing } from "./lib/outside-call-timing.ts";
import { WorkSlots } from "./lib/work-slots.ts";
import type { Actor } from "./partners/partner-actor.ts";
import { PriceBook, PriceMemory } from "./prices/price-book.ts";
import type { Provider, ProviderScope } from "./providers/provider.ts";
import { createRedis, createRedisStore, type RedisStore } from "./redis/redis-client.ts";
import { redisPolicy } from "./redis/redis-command.ts";
import { createLimiter, type Limiter, LimiterMemory } from "./redis/redis-limiter.ts";
import { type LockedWork, withLock } from "./redis/redis-lock.ts";
import { MemoryCache } from "./redis/redis-memory-cache.ts";
import { createNonceStore, type NonceStore } from "./redis/redis-nonces.ts";
import { type Cache, createCache } from "./redis/two-level-cache.ts";

/** The chains that the deployment serves, and the RPC clients with which one request reads them. */
export interface Chains {
  readonly definitions: ReadonlyMap<number, ChainDefinition>;
  /** Returns the client of a chain, or null if the deployment does not serve the chain. */
  client(chainId: number): ChainClient | null;
}

/** The deployment's swap and bridge providers, and the dependencies that they use during one request. */
export interface Providers {
  /**
   * Loads the providers on the first call in the isolate. Throws `internal` if a setting is refused, for example one
   * that would replace contracts that ship in code.
   */
  readonly all: () => Promise<readonly Provider[]>;
  readonly scope: ProviderScope;
}

/**
 * Everything that the API's operations and the jobs may use, bound to one request or job run: settings, stores, chains,
 * providers, the caller, the clock and the log.
 */
export interface Context {
  readonly config: Config;
  /** The Postgres database. `Database.run` describes the errors of statements. */
  readonly db: Database;
  /** Redis commands, for data that may be lost. */
  readonly redis: RedisStore;
  /** The two-level cache: the isolate's memory, then Redis. */
  readonly cache: Cache;
  readonly limiter: Limiter;
  /** The store of sign-in nonces, which can be used once. */
  readonly nonces: NonceStore;
  readonly chains: Chains;
  /** The swap and bridge providers of the deployment. */
  readonly providers: Providers;
  /** Price data of this isolate (`memory`) and of this request (`book`), for `src/prices/read-prices.ts`. */
  readonly prices: { readonly memory: PriceMemory; readonly book: PriceBook };
  /** The caller of the request, for example an authenticated partner. */
  readonly actor: Actor;
  /** Returns the id of the request, or of the invocation whose jobs or messages share it; `log` writes it. */
  requestId(): string;
  /** The client's IP address as the platform reports it, or `unknown`. */
  readonly clientAddress: string;
  /**
   * Counts a request with an idempotency key, which may be a replay, against its rate limits, at every call; to be
   * called when there is new work to do. Does nothing for other requests, which are counted on admission. Throws
   * `rate_limited`.
   */
  charge(): Promise<void>;
  /** Logger whose lines contain the request id. */
  readonly log: Logger;
  /** The circuit breakers of this isolate. */
  readonly breakers: Breakers;
  /** Slots of this isolate for requests that quote, build or change orders. */
  readonly orderSlots: WorkSlots;
  /** Time spent waiting for outside systems in this request. */
  readonly timing: Timing;
  /** Returns the current time in milliseconds since the epoch. */
  now(): number;
  /**
   * Runs work under a lock and returns its result, or returns null without running it if another holder has the lock.
   * Runs the work without a lock if Redis fails. Errors of the work propagate.
   */
  withLock<T>(lock: LockedWork<T>): Promise<T | null>;
  /** Returns a random UUID as 32 hex digits, without hyphens. */
  randomId(): string;
  /** Removes responses with these tags from the platform's cache, in the background and without any guarantee. */
  purgeEdge(tags: readonly string[]): void;
  /** Lets work continue after the response has been sent. The promise must handle its own errors. */
  waitUntil(promise: Promise<unknown>): void;
}

/** Everything that a Worker isolate keeps between requests: settings, clients, and caches that may be lost. */
export interface Runtime {
  readonly config: Config;
  /** Opens the database client on first use. */
  readonly database: OpenDatabase;
  readonly redis: Redis;
  /** The same Redis database as `redis` with a longer timeout, for sign-in, where waiting is better than failing. */
  readonly patientRedis: Redis;
  /** First-level cache, which the requests of the isolate share. */
  readonly memory: MemoryCache;
  /** Request counters of this isolate. */
  readonly limits: LimiterMemory;
  /** What the isolate remembers about the RPC nodes of its chains. */
  readonly health: NodeHealth;
  readonly breakers: Breakers;
  readonly orderSlots: WorkSlots;
  /** The served chains by chain id. */
  readonly definitions: ReadonlyMap<number, ChainDefinition>;
  readonly providers: Providers["all"];
  readonly prices: PriceMemory;
  readonly fetch: Fetch;
}

/** Timeout of one Redis command during sign-in, in milliseconds. */
const PATIENCE_MS = 6_000;
/** Breaker policy of the sign-in store: a command without a response counts as a hang after five seconds. */
const signInPolicy = { ...redisPolicy, hangMs: 5_000 };

/**
 * Creates what a Worker isolate keeps between requests, without I/O. Throws `internal` if the configuration is invalid,
 * and logs the error, because no request's context exists yet.
 */
export function createRuntime(env: unknown): Runtime {
  try {
    return composeRuntime(parseConfig(env));
  } catch (error) {
    createLogger(writeLine, {}).error("not_started", { error: describeError(error) });
    throw error;
  }
}

const writeLine = (line: string): void => console.log(line);

function composeRuntime(config: Config): Runtime {
  const fetch: Fetch = (input, init) => globalThis.fetch(input, init);
  const breakers = new Breakers(() => Date.now());
  const breaker = breakers.of("database", databasePolicy);
  const store = { url: config.redisUrl, token: config.redisToken };
  return {
    config,
    fetch,
    database: lazyDrizzle({
      databaseUrl: config.databaseUrl,
      httpUrl: config.databaseHttpUrl,
      fetch,
      breaker,
    }),
    redis: createRedis(store),
    patientRedis: createRedis({ ...store, timeoutMs: PATIENCE_MS }),
    memory: new MemoryCache(),
    limits: new LimiterMemory(),
    health: new NodeHealth(breakers),
    breakers,
    orderSlots: new WorkSlots(config.maxOrders, () => Date.now()),
    definitions: resolveChains(config.chains),
    prices: new PriceMemory(),
    // The providers are loaded lazily, because most isolates never need them.
    providers: onceImported(
      () => import("./providers/create-providers.ts"),
      ({ createProviders }) => createProviders(config.providers),
    ),
  };
}

const randomId = (): string => crypto.randomUUID().replaceAll("-", "");

/** Facts about one request or job run, from the platform and the request's headers. */
export interface RequestFacts {
  /** Called only where the id is used: the id of a request that the caller does not see is never made. */
  requestId: () => string;
  /** The client's IP address as the platform reports it, or `unknown`. */
  clientAddress: string;
  /** Returns the cache in front of the Worker, or null if there is none. */
  edgeCache?: () => EdgeCacheControl | null;
  waitUntil: (promise: Promise<unknown>) => void;
}

/**
 * Creates the context of one request or job run, without I/O. Its caller is anonymous and its `charge` does nothing.
 */
export function createContext(runtime: Runtime, request: RequestFacts): Context {
  const now = (): number => Date.now();
  const timing = new Timing(now);
  const log = createLogger(writeLine, () => ({ request_id: request.requestId() }));
  const { config, memory, breakers } = runtime;
  const named = { prefix: config.redisKeyPrefix, timing };
  const store = { ...named, breaker: breakers.of("redis", redisPolicy) };
  const redis = createRedisStore(runtime.redis, store);
  const platform = config.platformLimiters;
  const waitUntil = request.waitUntil;
  const chain = chainClients(runtime, { timing, now });
  return {
    config,
    redis,
    timing,
    breakers,
    orderSlots: runtime.orderSlots,
    log,
    now,
    randomId,
    withLock: (lock) => withLock({ redis, log, token: randomId() }, lock),
    waitUntil,
    purgeEdge: (tags) => waitUntil(purgeEdge({ cache: request.edgeCache?.() ?? null, log }, tags)),
    actor: { kind: "anonymous" },
    requestId: request.requestId,
    clientAddress: request.clientAddress,
    charge: async () => undefined,
    nonces: createNonceStore(runtime.patientRedis, {
      ...named,
      breaker: breakers.of("sign_in_store", signInPolicy),
    }),
    limiter: createLimiter(runtime.redis, { ...store, log, now, memory: runtime.limits, platform }),
    db: createDatabase(runtime.database, timing),
    cache: createCache({ memory, redis, now, waitUntil, log, makeToken: randomId }),
    chains: { definitions: runtime.definitions, client: chain },
    providers: { all: runtime.providers, scope: { fetch: runtime.fetch, breakers, timing, now, chain } },
    prices: { memory: runtime.prices, book: new PriceBook() },
  };
}

/**
 * Returns a function that returns the client of a chain, created on first use, or null for a chain that is not served.
 */
function chainClients(
  { definitions, health, fetch }: Runtime,
  request: { timing: Timing; now: () => number },
): (chainId: number) => ChainClient | null {
  const clients = new Map<number, ChainClient>();
  return (chainId) => {
    const definition = definitions.get(chainId);
    if (definition === undefined) return null;
    const client = clients.get(chainId) ?? createChainClient({ definition, health, fetch, ...request });
    clients.set(chainId, client);
    return client;
  };
}
