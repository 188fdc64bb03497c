import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { drizzle, type NeonHttpDatabase } from "drizzle-orm/neon-http";
import { composeApp } from "../../src/app.ts";
import type { EdgeCacheControl } from "../../src/config/cloudflare-bindings.ts";
import { type Context, createContext, createRuntime, type Runtime } from "../../src/context.ts";
import { lazyDrizzle } from "../../src/db/database-client.ts";
import type { Fetch } from "../../src/lib/bounded-fetch.ts";
import { createRedis } from "../../src/redis/redis-client.ts";
import { connect } from "../db/connect.ts";
import { migrate } from "../db/migrate.ts";
import { snapshotFile } from "./emulators/neon/snapshot.ts";
import type { HubAddresses, HubInput } from "./hub/main.ts";
import { Child } from "./processes/child.ts";

/** The administrator's token of the in-process deployment. */
export const ADMIN_TOKEN = "an-administrators-token-of-forty-digits!";
/** The deployment's public URL, which wallet sign-in messages name. */
export const PUBLIC_URL = "https://causeway.example";
const TOKEN = "redis-token";
const credentials = { user: "causeway", password: "causeway", database: "causeway" };
const root = join(import.meta.dirname, "../..");

/** A running API and its administrator's token. */
export interface Service {
  adminToken: string;
  send(path: string, init?: RequestInit): Promise<Response>;
}

interface IsolateOptions {
  /** True for production's deadlines of Redis commands, in tests of a Redis that does not answer. */
  redisDeadlines?: boolean;
}

/** Deadline of a statement and of a Redis command, in milliseconds: a busy machine must not turn a store off. */
const STORE_TIMEOUT_MS = 60_000;

/** Sends a statement with the deadline of tests, which is later than that of the service. */
const patientFetch: Fetch = (url, init) =>
  globalThis.fetch(url, { ...init, signal: AbortSignal.timeout(STORE_TIMEOUT_MS) });

/** One isolate of the deployment: its own memory over the shared stores. */
export interface Isolate extends Service {
  /** Creates a request's context, to call verbs directly. */
  context(): Context;
  /** Tags that were purged from the edge cache, one list per purge. */
  readonly purged: readonly (readonly string[])[];
}

/** The service with emulated stores in this process. Every request passes through the whole app. */
export interface TestDeployment extends Isolate {
  /**
   * Starts another isolate, with other variables if given. It waits longer for the stores than in production, where a
   * slow command of Redis lets a request pass uncounted and a job run without its lock.
   */
  isolate(variables?: Record<string, unknown>, options?: IsolateOptions): Isolate;
  db: NeonHttpDatabase;
  hub: HubAddresses;
  /** Bindings of the deployment's isolates. */
  bindings: Readonly<Record<string, unknown>>;
  /** Sets the faults of an emulator. An empty list clears them. */
  fault(emulator: "neon" | "upstash", faults: readonly Record<string, unknown>[]): Promise<void>;
  connectChain(chainId: number, url: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * RPC URL at which nothing listens. At least one chain must be configured, and it must not be chain 1, which messages
 * contain.
 */
const NO_NODE = "http://127.0.0.1:9";
const AMPLE = 1_000_000;
const ample = Object.fromEntries(
  ["quote", "build", "user_build", "nonce", "register", "login", "positions", "status", "reads"].map(
    (name) => [name, AMPLE],
  ),
);

/**
 * Starts empty stores with the schema applied. With `databaseUrl`, the database is a real Postgres. Nodes of `chainIds`
 * are connected later (`connectChain`); without `chainIds`, the only chain is 31337, whose node never responds.
 */
export async function startTestDeployment(
  options: { chainIds?: readonly number[]; databaseUrl?: string } = {},
): Promise<TestDeployment> {
  const logFile = join(tmpdir(), `causeway-test-${process.pid}-${crypto.randomUUID()}.log`);
  const hubProcess = new Child({ name: "hub", entry: join(root, "scripts/stack/hub/main.ts"), logFile });
  const chainIds = options.chainIds ?? [];
  const hub = await hubProcess.ask<HubAddresses>("start", {
    databaseUrl: options.databaseUrl ?? null,
    snapshotFile: snapshotFile(root),
    credentials,
    redisUrl: null,
    redisToken: TOKEN,
    chainIds,
  } satisfies HubInput);
  const databaseUrl = `postgresql://causeway:causeway@${new URL(hub.neon).host}/causeway`;
  const target = { databaseUrl, endpoint: `${hub.neon}/sql` };
  const { restored } = await hubProcess.ask<{ restored: boolean }>("ready");
  await migrate(target);
  if (!restored && options.databaseUrl === undefined) await hubProcess.ask("save", snapshotFile(root));
  const bindings = {
    DATABASE_URL: databaseUrl,
    DATABASE_HTTP_URL: target.endpoint,
    UPSTASH_REDIS_REST_URL: hub.upstash,
    UPSTASH_REDIS_REST_TOKEN: TOKEN,
    PUBLIC_URL,
    ADMIN_TOKEN,
    PRICES: JSON.stringify({ api_url: null }),
    PARTNER_PEPPERS: JSON.stringify({ 1: "a-pepper-of-thirty-two-characters" }),
    RATE_LIMITS: JSON.stringify(ample),
    CHAINS: JSON.stringify(
      chainIds.length === 0
        ? [chainSetting(31337, NO_NODE)]
        : chainIds.map((chainId) => chainSetting(chainId, hub.rpc[chainId] ?? "")),
    ),
  };
  const isolate = (variables: Record<string, unknown> = {}, { redisDeadlines }: IsolateOptions = {}) => {
    const created = createRuntime({ ...bindings, ...variables });
    const { databaseUrl: url, databaseHttpUrl: httpUrl } = created.config;
    const database = lazyDrizzle({ databaseUrl: url, httpUrl, fetch: patientFetch });
    const runtime = { ...created, database };
    if (redisDeadlines === true) return makeIsolate(runtime);
    const redis = createRedis({ url: hub.upstash, token: TOKEN, timeoutMs: STORE_TIMEOUT_MS });
    return makeIsolate({ ...runtime, redis, patientRedis: redis });
  };
  return {
    ...isolate(),
    isolate,
    bindings,
    db: drizzle({ client: connect(target) }),
    hub,
    async fault(emulator, faults) {
      await fetch(`${hub[emulator]}/__control`, { method: "POST", body: JSON.stringify({ faults }) });
    },
    connectChain: (chainId, url) => hubProcess.ask("connect", { chainId, url }),
    async close() {
      await hubProcess.close();
      rmSync(logFile, { force: true });
    },
  };
}

function chainSetting(chainId: number, url: string) {
  return {
    chain_id: chainId,
    rpc_urls: [url],
    name: `Test ${chainId}`,
    key: `test${chainId}`,
    native: { symbol: "ETH", decimals: 18 },
  };
}

function makeIsolate(runtime: Runtime): Isolate {
  const app = composeApp((_bindings, request) => createContext(runtime, request));
  const purged: string[][] = [];
  const cache: EdgeCacheControl = {
    purge: async ({ tags }) => {
      purged.push(tags);
      return { success: true, errors: [] };
    },
  };
  const executionCtx = {
    waitUntil: (promise: Promise<unknown>) => void promise.catch(() => undefined),
    passThroughOnException: () => undefined,
    props: {},
    cache,
  } as unknown as ExecutionContext;
  return {
    adminToken: ADMIN_TOKEN,
    purged,
    send: async (path, init) => app.fetch(new Request(`${PUBLIC_URL}${path}`, init), {}, executionCtx),
    context: () =>
      createContext(runtime, {
        requestId: () => "test",
        clientAddress: "unknown",
        edgeCache: () => cache,
        waitUntil: executionCtx.waitUntil,
      }),
  };
}
