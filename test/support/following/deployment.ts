import { type App, composeApp } from "../../../src/app.ts";
import type { MessageQueue } from "../../../src/config/cloudflare-bindings.ts";
import { type Context, createContext, createRuntime, type Runtime } from "../../../src/context.ts";
import { lazyDrizzle } from "../../../src/db/database-client.ts";
import { handleMessages, type Job, jobsByCron, runJobs } from "../../../src/jobs.ts";
import type { Fetch } from "../../../src/lib/bounded-fetch.ts";
import { createLogger } from "../../../src/lib/logger.ts";
import { withLock } from "../../../src/redis/redis-lock.ts";
import { createCache } from "../../../src/redis/two-level-cache.ts";
import { OpenLimiter } from "../partners/stores.ts";
import { MemoryStore } from "../redis/memory-store.ts";
import type { SimulatedAcrossApi } from "./across-api.ts";
import { HANDLER, SPOKE_POOL, USDC } from "./contracts.ts";
import { DATABASE, type EmbeddedDatabase, ENDPOINT } from "./embedded-database.ts";
import type { SimulatedLifiApi } from "./lifi-api.ts";
import { type Message, queueBindings, type RoundBody, roundOf } from "./messages.ts";
import type { SimulatedNode } from "./simulated-node.ts";

const NODES = "http://node.invalid";
const ACROSS = "http://across.invalid/api";
const LIFI = "http://lifi.invalid/v1";
const PUBLIC_URL = "https://causeway.example";
/** Number of confirmations that the chains require. */
export const CONFIRMATIONS = 2;

/** When to kill a run: at which of its external requests, and whether that request still has its effect. */
export interface Kill {
  at: number;
  afterEffect: boolean;
}

/** Outcome of a job run or a message. */
export type RunOutcome = "ended" | "failed" | "killed";

/** An external system that the service sends requests to. */
export type ExternalSystem = "rpc" | "provider" | "db" | "redis" | "queue";

/** Sends a request of one invocation to an external system. */
type ExternalRequest = <T>(system: ExternalSystem, effect: () => T | Promise<T>) => Promise<T>;

/** The platform that runs the service. */
export interface Platform {
  /** Begins an invocation of a kind and returns what its external requests pass through. */
  begin(kind: string): ExternalRequest;
  /** Receives a message that was sent to a queue. */
  enqueue(message: { queue: string; body: unknown; delayMs: number }): void;
}

/** A run of the service that may be killed at one of its external requests, before or after the effect. */
class Run {
  #left: number | null;
  readonly #afterEffect: boolean;
  readonly #request: ExternalRequest;
  #dead = false;
  #die: () => void = () => undefined;
  readonly death: Promise<void>;

  constructor(kill: Kill | null, request: ExternalRequest = async (_, effect) => effect()) {
    this.#request = request;
    this.#left = kill?.at ?? null;
    this.#afterEffect = kill?.afterEffect ?? false;
    this.death = new Promise((resolve) => {
      this.#die = resolve;
    });
  }

  get dead(): boolean {
    return this.#dead;
  }

  gate = async <T>(system: ExternalSystem, effect: () => T | Promise<T>): Promise<T> => {
    if (this.#dead) return never();
    if (this.#left !== null) {
      this.#left -= 1;
      if (this.#left <= 0) {
        this.#dead = true;
        if (this.#afterEffect) await Promise.resolve(effect()).catch(() => undefined);
        this.#die();
        return never();
      }
    }
    const value = await this.#request(system, effect);
    return this.#dead ? never() : value;
  };
}

const never = <T>(): Promise<T> => new Promise<T>(() => undefined);

/** The chains, stores and APIs that a deployment uses. */
export interface DeploymentDependencies {
  database: EmbeddedDatabase;
  nodes: Readonly<Record<number, readonly SimulatedNode[]>>;
  across: SimulatedAcrossApi;
  /** LI.FI's API, or null if LI.FI is not used. */
  lifi: SimulatedLifiApi | null;
  /** False to skip the jobs that do not track deposits, which halves the cost. */
  allJobs: boolean;
  /** Returns the next of a reproducible sequence of ids with 32 hex digits. */
  randomId(): string;
  /** The platform; by default nothing takes time, and messages wait for `deliverMessages`. */
  platform?: Platform;
  /** Receives the log lines; by default `logged` collects them. */
  log?: (line: string) => void;
}

/** The whole service in this process, on simulated chains, stores and APIs, with the test's clock. */
export class SimulatedDeployment {
  readonly #surroundings: DeploymentDependencies;
  readonly redis = new MemoryStore(() => Date.now());
  readonly logged: string[] = [];
  queued: Message[] = [];
  /** Times of the last rounds, in unix milliseconds, by chain. */
  readonly #rounds = new Map<number, number>();
  #runtime: Runtime;
  #app: App;

  constructor(surroundings: DeploymentDependencies) {
    this.#surroundings = surroundings;
    this.#runtime = this.#newRuntime();
    this.#app = this.#newApp();
  }

  /** Clears the memory of the isolate, as a new release does. */
  restart(): void {
    this.#runtime = this.#newRuntime();
    this.#app = this.#newApp();
  }

  /** Composes the app, to which each request brings its run as a binding. */
  #newApp(): App {
    return composeApp(({ run }) => this.#context(run as Run));
  }

  /** Sends an HTTP request to the service. */
  async send(path: string, init?: RequestInit): Promise<{ status: number; body: unknown }> {
    const run = this.#begin("request");
    const executionCtx = { waitUntil: () => undefined, passThroughOnException: () => undefined, props: {} };
    const request = new Request(`${PUBLIC_URL}${path}`, init);
    const response = await this.#app.fetch(request, { run }, executionCtx as unknown as ExecutionContext);
    return { status: response.status, body: await response.json() };
  }

  /** Runs the jobs of a cron trigger, or only those that track deposits. */
  async cron(trigger: string, kill: Kill | null = null): Promise<RunOutcome> {
    const run = this.#begin("cron", kill);
    const lists = jobsByCron[trigger] ?? [];
    const jobs = this.#surroundings.allJobs ? lists : lists.filter(followsDeposits);
    const work = runJobs(jobs, () => this.#context(run)).then(
      () => "ended" as const,
      () => "failed" as const,
    );
    return Promise.race([work, run.death.then(() => "killed" as const)]);
  }

  /**
   * Delivers the due messages of the queues, each at least once. A message that fails or is killed is delivered again.
   * Left out are rounds on a chain at the instant of another one, which end at once because rounds pause in between.
   * Returns the number of delivered messages.
   */
  async deliverMessages(kill: Kill | null = null): Promise<number> {
    const batch = this.queued.filter(({ dueAt }) => dueAt <= Date.now());
    this.queued = this.queued.filter((message) => !batch.includes(message));
    let delivered = 0;
    for (const message of batch) {
      const round = roundOf(message);
      if (round !== null && this.#rounds.get(round) === Date.now()) continue;
      const acknowledged = await this.deliver(message, delivered === 0 ? kill : null);
      if (round !== null && acknowledged) this.#rounds.set(round, Date.now());
      const tries = message.tries + 1;
      if (!acknowledged && tries < MAX_TRIES)
        this.queued.push({ ...message, tries, dueAt: Date.now() + RETRY_MS });
      delivered += 1;
    }
    return delivered;
  }

  /** Makes the first queued round on each chain due, which otherwise wait for their turns. */
  hastenRounds(): void {
    const seen = new Set<number>();
    for (const message of this.queued.toSorted((a, b) => a.dueAt - b.dueAt)) {
      const { kind, chain_id: chainId } = message.body as RoundBody;
      if (kind !== "chain" || chainId === undefined || seen.has(chainId)) continue;
      seen.add(chainId);
      message.dueAt = Math.min(message.dueAt, Date.now());
    }
  }

  /** Delivers a message, whose run may be killed. Returns true if the service acknowledged it. */
  async deliver(
    { queue, body }: { queue: string; body: unknown },
    kill: Kill | null = null,
  ): Promise<boolean> {
    const { kind = queue } = body as { kind?: string };
    const run = this.#begin(`message ${kind}`, kill);
    let acknowledged = false;
    const one = { body, ack: () => (acknowledged = true), retry: () => undefined };
    const work = handleMessages({ queue, messages: [one] }, () => this.#context(run));
    await Promise.race([work, run.death]);
    return acknowledged;
  }

  #begin(kind: string, kill: Kill | null = null): Run {
    return new Run(kill, this.#surroundings.platform?.begin(kind));
  }

  #context(run: Run): Context {
    const runtime = {
      ...this.#runtime,
      fetch: this.#gated(run),
      database: lazyDrizzle({ databaseUrl: DATABASE, httpUrl: ENDPOINT, fetch: this.#gated(run) }),
    };
    const requestId = crypto.randomUUID();
    const waitUntil = (promise: Promise<unknown>): void => void promise.catch(() => undefined);
    const composed = createContext(runtime, {
      ...{ requestId: () => requestId, clientAddress: "192.0.2.1", waitUntil },
    });
    const { randomId, log: keep = (line: string) => this.logged.push(line) } = this.#surroundings;
    const log = createLogger(keep, { request_id: requestId });
    const redis = this.#gatedStore(run);
    const { now } = composed;
    const { followingQueue: queue } = composed.config;
    const sendBatch: MessageQueue["sendBatch"] = (messages) =>
      run.gate("queue", async () => queue?.sendBatch(messages));
    return {
      ...composed,
      config: { ...composed.config, followingQueue: queue === null ? null : { sendBatch } },
      ...{ log, redis, randomId, limiter: new OpenLimiter() },
      cache: createCache({
        memory: this.#runtime.memory,
        redis,
        now,
        waitUntil,
        log,
        makeToken: randomId,
      }),
      withLock: (lock) => withLock({ redis, log, token: randomId() }, lock),
    };
  }

  #gated(run: Run): Fetch {
    return (url, init) => run.gate(systemOf(url), () => this.#outside(url, init));
  }

  #gatedStore(run: Run): MemoryStore {
    return new Proxy(this.redis, {
      get: (store, name) => {
        const member: unknown = Reflect.get(store, name, store);
        if (typeof member !== "function") return member;
        return (...given: unknown[]) => run.gate("redis", () => member.apply(store, given) as unknown);
      },
    });
  }

  async #outside(url: string, init: RequestInit | undefined): Promise<Response> {
    const { database, nodes, across, lifi } = this.#surroundings;
    if (url === ENDPOINT) return database.fetch(url, init);
    if (url.startsWith(ACROSS)) return across.respond(new URL(url));
    if (lifi !== null && url.startsWith(LIFI)) return lifi.respond(new URL(url));
    const [, chainId = "", index = ""] = /^http:\/\/node\.invalid\/(\d+)\/(\d+)$/.exec(url) ?? [];
    const node = nodes[Number(chainId)]?.[Number(index)];
    if (node === undefined) throw new TypeError(`nobody listens at ${url}`);
    return node.respond(String(init?.body ?? ""));
  }

  #newRuntime(): Runtime {
    const { nodes, lifi } = this.#surroundings;
    const chainIds = Object.keys(nodes).map(Number);
    const chains = chainIds.map((chainId) => ({
      ...{
        chain_id: chainId,
        name: `Chain ${chainId}`,
        key: `chain${chainId}`,
        confirmations: CONFIRMATIONS,
      },
      native: { symbol: "ETH", decimals: 18 },
      rpc_urls: (nodes[chainId] ?? []).map((_, index) => `${NODES}/${chainId}/${index}`),
    }));
    const bridge = (chainId: number) => ({
      spoke_pool: SPOKE_POOL[chainId],
      multicall_handler: HANDLER,
      wrapped_native: null,
      tokens: [{ asset: "USDC", address: USDC[chainId], decimals: 6 }],
    });
    const deployments = Object.fromEntries(chainIds.map((chainId) => [chainId, bridge(chainId)]));
    const ofLifi = lifi === null ? {} : { lifi: { api_url: LIFI, integrator: "causeway" } };
    return createRuntime({
      DATABASE_URL: DATABASE,
      DATABASE_HTTP_URL: ENDPOINT,
      UPSTASH_REDIS_REST_URL: "http://redis.invalid",
      UPSTASH_REDIS_REST_TOKEN: "token",
      PUBLIC_URL,
      CHAINS: JSON.stringify(chains),
      PROVIDERS: JSON.stringify({ across: { api_url: ACROSS, deployments }, ...ofLifi }),
      ...this.#queues(),
    });
  }

  /** Creates the bindings of all queues in wrangler.toml. */
  #queues(): Record<string, unknown> {
    const bind = (queue: string) => {
      const add = (given: unknown, delaySeconds = 0): void => {
        const body = JSON.parse(JSON.stringify(given)) as unknown;
        const delayMs = delaySeconds * 1000;
        if (this.#surroundings.platform !== undefined)
          this.#surroundings.platform.enqueue({ queue, body, delayMs });
        else this.queued.push({ queue, body, tries: 0, dueAt: Date.now() + delayMs });
      };
      return {
        send: async (body: unknown, options?: Delay) => add(body, options?.delaySeconds),
        sendBatch: async (messages: readonly ({ body: unknown } & Delay)[], options?: Delay) => {
          for (const { body, delaySeconds } of messages) add(body, delaySeconds ?? options?.delaySeconds);
        },
      };
    };
    return Object.fromEntries(queueBindings.map(({ binding, queue }) => [binding, bind(queue)]));
  }
}

const systemOf = (url: string): ExternalSystem =>
  url === ENDPOINT ? "db" : url.startsWith(NODES) ? "rpc" : "provider";

const followsDeposits = (jobs: readonly Job[]): boolean =>
  jobs.some(({ name }) => name === "follow_deposits");

interface Delay {
  delaySeconds?: number;
}

const MAX_TRIES = 6;
const RETRY_MS = 30_000;
