import { type Address, encodeDeployData } from "viem";
import { type Context, createContext, createRuntime } from "../../src/context.ts";

import { handleCron, handleMessages } from "../../src/jobs.ts";
import type { Fetch } from "../../src/lib/bounded-fetch.ts";
import { createRedis } from "../../src/redis/redis-client.ts";
import { importClaims, NO_CLAIMS } from "../../src/registry/import-registry-claims.ts";
import { withRealPostgres } from "../db/real-postgres.ts";

import { deploy, type ScratchChain, startScratchChain } from "../stack/chains/scratch-chain.ts";
import { startTestDeployment } from "../stack/test-deployment.ts";
import { SimulatedChains } from "./simulated-chains.ts";
import type { Row } from "./table.ts";

/** Number of simulated chains, and of claimed vaults on each: 1,410 in total. */
const CHAINS = Array.from(
  { length: Number(process.env["BENCH_CHAINS"] ?? 15) },
  (_, index) => 31_401 + index,
);
const VAULTS_PER_CHAIN = Number(process.env["BENCH_VAULTS"] ?? 94);
/** Length of the simulated day in minutes. The environment variables make a run shorter; nothing is extrapolated. */
const DAY_MINUTES = Number(process.env["BENCH_MINUTES"] ?? 1_440);
/** Seconds between two blocks of a simulated chain. */
const BLOCK_SECONDS = 2;
/** Delay of the nodes' responses in milliseconds, as of public nodes. */
const AWAY_MS = 50;
const MINUTE_MS = 60_000;
/** Maximum duration of a benchmark run, in simulated minutes. */
const MAX_MINUTES = 60;
/** Minutes before the day, in which the jobs find what they look for once. */
const SETTLING_MINUTES = 15;
/** Gas of a block of the node, which it grants a call. */
const NODE_GAS = 50_000_000;
/** Minutes between two runs of the slower jobs (wrangler.toml). */
const SLOW_MINUTES = 5;
const SLOW_CRON = `*/${SLOW_MINUTES} * * * *`;
/** Maximum number of subrequests per invocation on the platform (wrangler.toml). */
const MAX_SUBREQUESTS = 1_000;

/** Column titles of the registry benchmark. */
export const proofColumns = ["RPC", "queries", "Redis", "minutes", "time", "most in one run"] as const;

interface Cost {
  rpc: number;
  db: number;
  redis: number;
}

/**
 * Measures the proofs of 1,410 claimed vaults on 15 chains (fewer by environment variables): the first round, and a
 * whole day without changes, with every run of every job at its time. Meanwhile `Date.now` returns the simulated time.
 */
export function benchProofs(): Promise<Row[]> {
  return withRealPostgres((databaseUrl) => benchOn(databaseUrl));
}

async function benchOn(databaseUrl: string): Promise<Row[]> {
  const clock = new FastClock();
  const node = await startScratchChain("--gas-limit", String(NODE_GAS));
  const causeway = await startTestDeployment({ databaseUrl });
  try {
    const vaults = await deployVaults(node);
    const url = String(node.node.transport["url"]);
    const world = { node: url, chainIds: CHAINS, blockSeconds: BLOCK_SECONDS, now: clock.now };
    const simulated = new SimulatedChains(world);
    const chains = CHAINS.map((chainId, index) => ({
      ...{ chain_id: chainId, rpc_urls: [`http://chain.invalid/${index}`], name: `Chain ${chainId}` },
      ...{ key: `chain${chainId}`, native: { symbol: "ETH", decimals: 18 } },
    }));
    const bindings = { ...causeway.bindings, CHAINS: JSON.stringify(chains) };
    const minutes = new ProofMinutes({ bindings, clock, fetch: simulated.fetch });
    const claims = CHAINS.flatMap((chainId) =>
      vaults.map((address) => ({ ...NO_CLAIMS, chainId, address, name: "Claimed USDC" })),
    );
    await importClaims(minutes.context(), { claims, list: null, note: "" });
    simulated.distanceMs = AWAY_MS;
    const first = await minutes.until((proven) => proven >= claims.length);
    simulated.distanceMs = 0;
    await minutes.settle();
    const day = await minutes.day();
    const within = first.most <= MAX_SUBREQUESTS;
    const round = `first round of ${claims.length} claims on ${CHAINS.length} chains, nodes ${AWAY_MS} ms away`;
    return [
      { ...row(round, first), aim: `${MAX_SUBREQUESTS} in one run`, reached: within },
      ...dayRows(day, claims.length),
    ];
  } finally {
    clock.stop();
    await Promise.all([causeway.close(), node.stop()]);
  }
}

/** Clock of this process that can be set forward. */
class FastClock {
  readonly #real = Date.now;
  #ahead = 0;

  constructor() {
    Date.now = this.now;
  }

  /** Returns the simulated time in unix milliseconds. */
  now = (): number => this.#real.call(Date) + this.#ahead;

  /** Sets the clock to a time that is not in its past. */
  set(time: number): void {
    this.#ahead += Math.max(0, time - this.now());
  }

  /** Gives the process its real clock back. */
  stop(): void {
    Date.now = this.#real;
  }
}

const row = (name: string, cost: Cost & { minutes: number; ms: number; most: number }): Row => ({
  name,
  values: [
    ...[cost.rpc, cost.db, cost.redis, cost.minutes].map(String),
    `${(cost.ms / 1000).toFixed(1)} s`,
    String(cost.most),
  ],
});

/** Returns the rows of a day at rest: by job, together, and of the proofs by vault. */
function dayRows({ jobs, proven, ms }: Day, vaults: number): Row[] {
  const all = [...jobs.values()].reduce(add, { rpc: 0, db: 0, redis: 0 });
  const proofs = jobs.get("proofs") ?? { rpc: 0, db: 0, redis: 0 };
  const named = [...jobs].toSorted(([, a], [, b]) => b.rpc - a.rpc || b.db - a.db);
  const cells = ({ rpc, db, redis }: Cost) => [rpc, db, redis].map((count) => count.toFixed(0));
  const each = (count: number): string => (count / vaults).toFixed(1);
  return [
    {
      name: `a day at rest of ${vaults} vaults on ${CHAINS.length} chains, ${proven} proofs renewed`,
      values: [...cells(all), String(DAY_MINUTES), `${(ms / 1000).toFixed(1)} s`, ""],
    },
    ...named.map(([job, cost]) => ({ name: `  of these, ${job}`, values: cells(cost) })),
    { name: "  a vault's proof, in a day", values: [proofs.rpc, proofs.db, proofs.redis].map(each) },
    { name: "  a vault, with its share of all jobs", values: [all.rpc, all.db, all.redis].map(each) },
  ];
}

/** Deploys vaults with the same asset. */
async function deployVaults(chain: ScratchChain): Promise<Address[]> {
  // Imported after the stack has started, because the start compiles its stand-ins.
  const { stackTokenAbi, stackTokenCreationCode } = await import("#stand-ins/standard");
  const { vaultDeployData } = await import("../stack/chains/vault-kinds.ts");
  const args = ["Claimed USDC", "USDC", 6] as const;
  const token = encodeDeployData({ abi: stackTokenAbi, bytecode: stackTokenCreationCode, args });
  const asset = await deploy(chain, token);
  const vaults: Address[] = [];
  for (let count = 0; count < VAULTS_PER_CHAIN; count += 1) {
    const build = { kind: "open_zeppelin", offset: 6 } as const;
    vaults.push(await deploy(chain, vaultDeployData(build, [asset, "Claimed USDC", "claimed"])));
  }
  return vaults;
}

/** Cost of a day by job, its number of renewed proofs, and its duration on this machine. */
interface Day {
  jobs: ReadonlyMap<string, Cost>;
  proven: number;
  ms: number;
}

/** Runs a deployment minute by minute: the cron triggers, then their queue messages, for all chains in parallel. */
class ProofMinutes {
  readonly #runtime: ReturnType<typeof createRuntime>;
  readonly #clock: FastClock;
  #contexts: Context[] = [];
  #queued: { queue: string; body: unknown }[] = [];
  #proven = 0;
  #jobs = new Map<Context, string>();

  constructor(of: { bindings: Readonly<Record<string, unknown>>; clock: FastClock; fetch: Fetch }) {
    const queueOf = (queue: string) => ({
      sendBatch: async (messages: readonly { body: unknown }[]): Promise<void> => {
        this.#queued.push(...messages.map(({ body }) => ({ queue, body })));
      },
    });
    const queues = { FOLLOWING: queueOf("bench-following"), FLOWS: queueOf("bench-flows") };
    const runtime = createRuntime({ ...of.bindings, ...queues });
    const redis = createRedis({
      ...{ url: runtime.config.redisUrl, token: runtime.config.redisToken, timeoutMs: 60_000 },
    });
    this.#runtime = { ...runtime, redis, patientRedis: redis, fetch: of.fetch };
    this.#clock = of.clock;
  }

  /** Creates the context of one invocation, whose requests are counted. */
  context = (): Context => {
    const waitUntil = (promise: Promise<unknown>): void => void promise.catch(() => undefined);
    const made = createContext(this.#runtime, {
      ...{ requestId: () => crypto.randomUUID(), clientAddress: "unknown", waitUntil },
    });
    const info = (event: string, fields: Readonly<Record<string, unknown>> = {}): void => {
      if (event === "vault_proof" && fields["finding"] === "passed") this.#proven += 1;
      if (event === "job" && !this.#jobs.has(context)) this.#jobs.set(context, String(fields["job"]));
    };
    const log = { info, warn: () => undefined, error: info };
    const context: Context = { ...made, log };
    this.#contexts.push(context);
    return context;
  };

  /** Runs all jobs until the start blocks of the vaults are found and their history is read, as on a settled day. */
  async settle(): Promise<void> {
    for (let minute = 1; minute <= SETTLING_MINUTES; minute += 1) await this.#minute(minute, new Map());
  }

  /** Runs a day in which nothing happens on the chains and in the registry. */
  async day(): Promise<Day> {
    const [startedAt, proven] = [performance.now(), this.#proven];
    const jobs = new Map<string, Cost>();
    for (let minute = 1; minute <= DAY_MINUTES; minute += 1) await this.#minute(minute, jobs);
    return { jobs, proven: this.#proven - proven, ms: performance.now() - startedAt };
  }

  /** Runs the jobs of one minute and adds their cost by job. */
  async #minute(minute: number, jobs: Map<string, Cost>): Promise<void> {
    this.#contexts = [];
    this.#clock.set((Math.floor(this.#clock.now() / MINUTE_MS) + 1) * MINUTE_MS);
    await handleCron("* * * * *", this.context);
    if (minute % SLOW_MINUTES === 0) await handleCron(SLOW_CRON, this.context);
    await this.#deliver();
    for (const context of this.#contexts) {
      const job = this.#jobs.get(context) ?? "other";
      jobs.set(job, add(jobs.get(job) ?? { rpc: 0, db: 0, redis: 0 }, costOf([context])));
    }
    this.#jobs.clear();
    if (minute % 60 === 0) console.error(`minute ${minute}: ${(performance.now() / 1_000).toFixed(0)} s`);
  }

  /** Delivers the queued messages, all chains in parallel. */
  async #deliver(): Promise<void> {
    const batches = this.#queued.splice(0).map(({ queue, body }) => {
      const message = { body, ack: () => undefined, retry: () => undefined };
      const makeContext = (): Context => {
        const context = this.context();
        this.#jobs.set(context, (body as { kind?: string }).kind ?? queue);
        return context;
      };
      return handleMessages({ queue, messages: [message] }, makeContext);
    });
    await Promise.all(batches);
  }

  /** Runs minutes until enough vaults are proven or the maximum is reached. Returns their cost. */
  async until(isEnough: (proven: number, minute: number) => boolean) {
    this.#contexts = [];
    const startedAt = performance.now();
    let minutes = 0;
    while (!isEnough(this.#proven, minutes) && minutes < MAX_MINUTES) {
      this.#clock.set((Math.floor(this.#clock.now() / MINUTE_MS) + 1) * MINUTE_MS);
      await handleCron("* * * * *", this.context);
      await this.#deliver();
      minutes += 1;
    }
    const most = Math.max(
      0,
      ...this.#contexts.map((context) => {
        const { rpc, db, redis } = costOf([context]);
        return rpc + db + redis;
      }),
    );
    return { ...costOf(this.#contexts), minutes, most, ms: performance.now() - startedAt };
  }
}

const costOf = (contexts: readonly Context[]): Cost =>
  contexts
    .map(({ timing }) => ({
      ...{ rpc: timing.requests("rpc"), db: timing.requests("db"), redis: timing.requests("redis") },
    }))
    .reduce(add, { rpc: 0, db: 0, redis: 0 });

const add = (a: Cost, b: Cost): Cost => ({
  ...{ rpc: a.rpc + b.rpc, db: a.db + b.db, redis: a.redis + b.redis },
});
