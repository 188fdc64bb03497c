import type * as z from "zod";
import { describeError, type Logger } from "../lib/logger.ts";
import { sleep } from "../lib/timers.ts";
import { createSharedCache, type SharedCache } from "./redis-cache.ts";
import type { RedisStore } from "./redis-client.ts";
import type { CacheEntry, MemoryCache } from "./redis-memory-cache.ts";

/** How a cached value is loaded, and how long it is served, in milliseconds. */
export interface CachePolicy<T> {
  /** Cache key, without the deployment's prefix. */
  key: string;
  /** Schema of the value; a stored value that does not match is ignored. */
  schema: z.ZodType<T>;
  /** Age up to which the value is served without a reload. */
  freshMs: number;
  /**
   * Age up to which a value in memory is served while it is reloaded in the background, and a value in Redis while
   * another isolate reloads it.
   */
  staleMs: number;
  /** Age up to which the value is served if loading fails; null means without limit. */
  keepMs: number | null;
  /**
   * How isolates share the value. `locked` (the default): through Redis, with a lock against loading it at the same
   * time. `unlocked`: through Redis without a lock. `isolate`: the value stays in memory.
   */
  sharing?: "locked" | "unlocked" | "isolate";
  /** A value that the caller already has. It is used if memory holds none or no newer one. */
  known?: CacheEntry & { value: T };
  /** Loads the value. */
  load: () => Promise<T>;
}

/** A cached value with the time at which its load began, in milliseconds since the epoch. */
export interface Cached<T> {
  value: T;
  storedAt: number;
  /** True if the value is `staleMs` old or older. */
  stale: boolean;
}

/** Two-level cache of one request: the isolate's memory, then Redis. */
export interface Cache {
  /**
   * Returns a value from memory, Redis or `load`, as the ages of the policy allow. If loading fails, returns a value
   * that `keepMs` allows, or throws the error of `load`.
   */
  cached<T>(policy: CachePolicy<T>): Promise<Cached<T>>;
  /**
   * Loads a value now and stores it, unless memory has a newer one, in this isolate's memory and, if the isolates share
   * it and Redis responds, in Redis, but not in other isolates' memory. If loading fails, the last known value stays.
   * Never throws; failures are logged.
   */
  renew<T>(policy: CachePolicy<T>): Promise<void>;
  /**
   * Removes a value from this isolate's memory and, if Redis responds, from Redis, but not from the memory of other
   * isolates. Never throws.
   */
  drop(key: string): Promise<void>;
}

/**
 * Dependencies of a cache: the isolate's memory, Redis, and the clock (milliseconds since the epoch), logger and
 * `waitUntil` of one request.
 */
export interface CacheScope {
  memory: MemoryCache;
  redis: RedisStore;
  now: () => number;
  waitUntil: (promise: Promise<unknown>) => void;
  log: Logger;
  /** Creates a token that no other request uses; it identifies this request as the holder of locks. */
  makeToken: () => string;
}

/**
 * How long this isolate does not retry a failed load, in milliseconds. In the meantime callers get the last known value
 * or the same error.
 */
const FAILURE_MS = 2_000;
/**
 * Interval in milliseconds at which a caller without a value checks whether another isolate has loaded it; `WAIT_STEPS`
 * is the number of checks.
 */
const WAIT_STEP_MS = 60;
const WAIT_STEPS = 10;
/**
 * Age from which a load counts as lost, in milliseconds: the platform may cancel the request that it belongs to. Callers
 * that wait for it then start one other load, and each its own if that is lost too.
 */
const JOIN_MS = 3_000;
const JOINS = 2;

/** Reloads cached values: from Redis if its value is fresh, otherwise with the policy's `load`. */
interface Reloader {
  reload<T>(policy: CachePolicy<T>, held: CacheEntry | undefined): Promise<CacheEntry>;
}

function createReloader(scope: CacheScope, shared: SharedCache): Reloader {
  const { memory, log } = scope;
  const age = (entry: CacheEntry): number => scope.now() - entry.storedAt;

  async function load<T>(policy: CachePolicy<T>): Promise<CacheEntry> {
    const storedAt = scope.now();
    try {
      const entry = memory.put(policy.key, { value: await policy.load(), storedAt });
      memory.forgetFailure(policy.key);
      if (policy.sharing !== "isolate")
        scope.waitUntil(shared.write(policy, entry).then(() => unlock(policy)));
      return entry;
    } catch (error) {
      memory.noteFailure(policy.key, { error, until: scope.now() + FAILURE_MS });
      scope.waitUntil(unlock(policy));
      throw error;
    }
  }

  const isLocked = ({ sharing = "locked" }: { sharing?: string | undefined }): boolean =>
    sharing === "locked";

  const unlock = async <T>(policy: CachePolicy<T>): Promise<void> => {
    if (isLocked(policy)) await shared.unlock(policy.key);
  };

  /** Waits for the isolate that holds the lock, and loads the value itself if none has arrived by then. */
  async function awaitShared<T>(policy: CachePolicy<T>): Promise<CacheEntry> {
    for (let step = 0; step < WAIT_STEPS; step += 1) {
      await sleep(WAIT_STEP_MS);
      const entry = await shared.read(policy);
      if (entry !== null && age(entry) < policy.freshMs) return entry;
    }
    return load(policy);
  }

  /**
   * Returns a fresh value from Redis, or one that the holder of the lock loads. The newest older value serves while
   * another isolate loads, if `staleMs` allows it, and after a failure, if `keepMs` does.
   */
  async function reload<T>(policy: CachePolicy<T>, held: CacheEntry | undefined): Promise<CacheEntry> {
    const entry = policy.sharing === "isolate" ? null : await shared.read(policy);
    if (entry !== null && age(entry) < policy.freshMs) return memory.put(policy.key, entry);
    const fallback = newer(entry, held);
    const failed = memory.failureOf(policy.key, scope.now());
    if (failed !== null) return keepLast(policy, { fallback, error: failed.error });
    if (!isLocked(policy) || (await shared.tryLock(policy.key)))
      return load(policy).catch((error) => keepLast(policy, { fallback, error }));
    if (fallback !== null && age(fallback) < policy.staleMs) return fallback;
    return awaitShared(policy).catch((error) => keepLast(policy, { fallback, error }));
  }

  function keepLast<T>(
    policy: CachePolicy<T>,
    failed: { fallback: CacheEntry | null; error: unknown },
  ): CacheEntry {
    const { fallback, error } = failed;
    if (fallback === null || (policy.keepMs !== null && age(fallback) >= policy.keepMs)) throw error;
    log.warn("cache_load_failed", { key: policy.key, error: describeError(error) });
    return memory.put(policy.key, fallback);
  }

  return { reload };
}

/** Creates the two-level cache of one request. */
export function createCache(scope: CacheScope): Cache {
  const { memory } = scope;
  const shared = createSharedCache(scope);
  const { reload } = createReloader(scope, shared);
  const age = (entry: CacheEntry): number => scope.now() - entry.storedAt;

  /** Returns the reload of a key that runs in this isolate and does not count as lost. */
  function runningOf(key: string): { entry: Promise<CacheEntry>; since: number } | undefined {
    const running = memory.inFlight.get(key);
    return running !== undefined && scope.now() - running.since < JOIN_MS ? running : undefined;
  }

  /**
   * Shares one reload among the isolate's requests. A request starts its own if another's takes too long or fails.
   */
  async function join<T>(
    policy: CachePolicy<T>,
    held: CacheEntry | undefined,
    joins = 0,
  ): Promise<CacheEntry> {
    const running = runningOf(policy.key);
    if (running === undefined || joins >= JOINS) return start(policy, held);
    const lost = sleep(running.since + JOIN_MS - scope.now()).then(() => "lost" as const);
    const joined = await Promise.race([running.entry.catch(() => null), lost]);
    if (joined !== "lost") return joined ?? reload(policy, held);
    if (memory.inFlight.get(policy.key) === running) memory.inFlight.delete(policy.key);
    return join(policy, held, joins + 1);
  }

  function start<T>(policy: CachePolicy<T>, held: CacheEntry | undefined): Promise<CacheEntry> {
    const entry = reload(policy, held).finally(() => {
      if (memory.inFlight.get(policy.key)?.entry === entry) memory.inFlight.delete(policy.key);
    });
    memory.inFlight.set(policy.key, { entry, since: scope.now() });
    scope.waitUntil(entry.catch(() => undefined));
    return entry;
  }

  return {
    async cached<T>(policy: CachePolicy<T>): Promise<Cached<T>> {
      const held = newer(policy.known ?? null, memory.get(policy.key)) ?? undefined;
      if (held !== undefined && age(held) < policy.staleMs) {
        if (age(held) >= policy.freshMs && runningOf(policy.key) === undefined) {
          scope.waitUntil(join(policy, held).catch(() => undefined));
        }
        return { value: held.value as T, storedAt: held.storedAt, stale: false };
      }
      const entry = await join(policy, held);
      return { value: entry.value as T, storedAt: entry.storedAt, stale: age(entry) >= policy.staleMs };
    },
    async renew<T>(policy: CachePolicy<T>): Promise<void> {
      const storedAt = scope.now();
      try {
        const entry = memory.put(policy.key, { value: await policy.load(), storedAt });
        if (policy.sharing !== "isolate") await shared.write(policy, entry);
      } catch (error) {
        scope.log.warn("cache_load_failed", { key: policy.key, error: describeError(error) });
      }
    },
    async drop(key) {
      memory.delete(key);
      await shared.drop(key);
    },
  };
}

function newer(a: CacheEntry | null, b: CacheEntry | undefined): CacheEntry | null {
  if (a === null || b === undefined) return a ?? b ?? null;
  return a.storedAt >= b.storedAt ? a : b;
}
