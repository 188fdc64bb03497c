import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Address, encodeDeployData } from "viem";
import { type Context, createContext, createRuntime } from "../../src/context.ts";
import { handleCron, handleMessages, jobsByCron } from "../../src/jobs.ts";
import { importClaims, NO_CLAIMS } from "../../src/registry/import-registry-claims.ts";
import { deploy, type ScratchChain, startScratchChain } from "../stack/chains/scratch-chain.ts";
import { startTestDeployment } from "../stack/test-deployment.ts";
import type { Row } from "./table.ts";

/** Ids of the simulated chains. Each has a node of its own, because batches read the chain id from the chain. */
const CHAINS = Array.from(
  { length: Number(process.env["BENCH_CHAINS"] ?? 15) },
  (_, index) => 31_401 + index,
);
/**
 * Number of claimed vaults per chain; 1,410 in total by default. The environment variables set smaller numbers for a
 * short run.
 */
const VAULTS_PER_CHAIN = Number(process.env["BENCH_VAULTS"] ?? 94);
/** Delay of the nodes' responses in milliseconds, as of public nodes. */
const AWAY_MS = 50;
const MINUTE_MS = 60_000;
/** Maximum duration of a benchmark run, in simulated minutes. */
const MAX_MINUTES = 60;
const MINUTES_PER_DAY = 1_440;
/** Minutes between two runs of the slower jobs (wrangler.toml). */
const SLOW_MINUTES = 5;
const SLOW_CRON = `*/${SLOW_MINUTES} * * * *`;
/**
 * Simulated minutes between two runs of the jobs at rest. With more than one, the cost of every job but the proofs
 * themselves, which are due once a day, is multiplied accordingly.
 */
const STEP_MINUTES = Number(process.env["BENCH_STEP"] ?? 1);
/** Maximum number of subrequests per invocation on the platform (wrangler.toml). */
const MAX_SUBREQUESTS = 1_000;

/** Column titles of the registry benchmark. */
export const proofColumns = ["RPC", "queries", "Redis", "minutes", "time", "most in one run"] as const;

interface Cost {
  rpc: number;
  db: number;
  redis: number;
}

/** Measures the proofs of about 1,400 claimed vaults on 15 chains: the first round, and one day without changes. */
export async function benchProofs(): Promise<Row[]> {
  const nodes = await Promise.all(CHAINS.map((chainId) => startScratchChain("--chain-id", String(chainId))));
  const proxy = await startProxy(nodes.map(({ node }) => String(node.transport["url"])));
  const causeway = await startTestDeployment();
  try {
    const [vaults = []] = await Promise.all(nodes.map(deployVaults));
    const chains = CHAINS.map((chainId, index) => ({
      ...{ chain_id: chainId, rpc_urls: [`${proxy.url}/${index}`], name: `Chain ${chainId}` },
      ...{ key: `chain${chainId}`, native: { symbol: "ETH", decimals: 18 } },
    }));
    const minutes = new ProofMinutes({ ...causeway.bindings, CHAINS: JSON.stringify(chains) });
    const claims = CHAINS.flatMap((chainId) =>
      vaults.map((address) => ({ ...NO_CLAIMS, chainId, address, name: "Claimed USDC" })),
    );
    await importClaims(minutes.context(), { claims, list: null, note: "" });
    const first = await minutes.until((proven) => proven >= claims.length);
    proxy.setDistance(0);
    const day = await minutes.day(() => Promise.all(nodes.map((chain) => mineAt(chain, minutes.now()))));
    const within = first.most <= MAX_SUBREQUESTS;
    return [
      row(
        `first round of ${claims.length} claims on ${CHAINS.length} chains, nodes ${AWAY_MS} ms away`,
        first,
      ),
      {
        ...row("of these, most requests of one invocation", first),
        aim: `${MAX_SUBREQUESTS}`,
        reached: within,
      },
      ...dayRows(day, claims.length),
    ];
  } finally {
    await Promise.all([causeway.close(), proxy.close(), ...nodes.map((node) => node.stop())]);
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

/** Mines a block with a given time in unix milliseconds. */
async function mineAt({ node }: ScratchChain, nowMs: number): Promise<void> {
  await node.setNextBlockTimestamp({ timestamp: BigInt(Math.floor(nowMs / 1_000)) });
  await node.mine({ blocks: 1 });
}

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
      values: [...cells(all), String(MINUTES_PER_DAY), `${(ms / 1000).toFixed(1)} s`, ""],
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

/** Starts a proxy that forwards requests to the node with the number in the path, with additional latency. */
async function startProxy(
  targets: readonly string[],
): Promise<{ url: string; setDistance: (ms: number) => void; close: () => Promise<void> }> {
  let awayMs = AWAY_MS;
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    if (awayMs > 0) await new Promise((resolve) => setTimeout(resolve, awayMs));
    const target = targets[Number((request.url ?? "/0").slice(1))] ?? "";
    const headers = { "content-type": "application/json" };
    const answer = await fetch(target, { method: "POST", headers, body });
    response.writeHead(answer.status, headers).end(await answer.text());
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    setDistance(ms) {
      awayMs = ms;
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Cost of a day by job, its number of renewed proofs, and its duration on this machine. */
interface Day {
  jobs: ReadonlyMap<string, Cost>;
  proven: number;
  ms: number;
}

/** Runs a deployment minute by minute: the cron trigger, then its queue messages, for all chains in parallel. */
class ProofMinutes {
  readonly #runtime: ReturnType<typeof createRuntime>;
  #contexts: Context[] = [];
  #queued: unknown[] = [];
  #ahead = 0;
  #proven = 0;
  #jobs = new Map<Context, string>();

  constructor(bindings: Readonly<Record<string, unknown>>) {
    const sendBatch = async (messages: readonly { body: unknown }[]): Promise<void> => {
      this.#queued.push(...messages.map(({ body }) => body));
    };
    this.#runtime = createRuntime({ ...bindings, FOLLOWING: { sendBatch } });
  }

  /** Creates the context of one invocation, whose requests are counted. */
  context = (): Context => {
    const waitUntil = (promise: Promise<unknown>): void => void promise.catch(() => undefined);
    const made = createContext(this.#runtime, {
      ...{ requestId: crypto.randomUUID(), clientAddress: "unknown", waitUntil },
    });
    const info = (event: string, fields: Readonly<Record<string, unknown>> = {}): void => {
      if (event === "vault_proof" && fields["finding"] === "passed") this.#proven += 1;
      if (event === "job" && !this.#jobs.has(context)) this.#jobs.set(context, String(fields["job"]));
    };
    const log = { info, warn: () => undefined, error: info };
    const context: Context = { ...made, now: this.now, log };
    this.#contexts.push(context);
    return context;
  };

  /** Returns the simulated time in unix milliseconds. */
  now = (): number => Date.now() + this.#ahead;

  /** Runs a day in which the registry is not changed. `mine` makes the chains' next blocks. */
  async day(mine: () => Promise<unknown>): Promise<Day> {
    const [startedAt, proven] = [performance.now(), this.#proven];
    const jobs = new Map<string, Cost>();
    const slow = new Set<string>(jobsByCron[SLOW_CRON]?.flat().map(({ name }) => name));
    const slowStep = Math.max(SLOW_MINUTES, STEP_MINUTES);
    for (let minute = STEP_MINUTES; minute <= MINUTES_PER_DAY; minute += STEP_MINUTES) {
      this.#contexts = [];
      this.#ahead += STEP_MINUTES * MINUTE_MS;
      await mine();
      await handleCron("* * * * *", this.context);
      if (minute % slowStep === 0) await handleCron(SLOW_CRON, this.context);
      await this.#deliver();
      for (const context of this.#contexts) {
        const job = this.#jobs.get(context) ?? "other";
        const times = job === "proofs" ? 1 : slow.has(job) ? slowStep / SLOW_MINUTES : STEP_MINUTES;
        const { rpc, db, redis } = costOf([context]);
        const cost = { rpc: rpc * times, db: db * times, redis: redis * times };
        jobs.set(job, add(jobs.get(job) ?? { rpc: 0, db: 0, redis: 0 }, cost));
      }
      this.#jobs.clear();
    }
    return { jobs, proven: this.#proven - proven, ms: performance.now() - startedAt };
  }

  /** Delivers the queued messages, all chains in parallel. */
  async #deliver(): Promise<void> {
    const batches = this.#queued.splice(0).map((body) => {
      const message = { body, ack: () => undefined, retry: () => undefined };
      const makeContext = (): Context => {
        const context = this.context();
        this.#jobs.set(context, (body as { kind?: string }).kind ?? "following");
        return context;
      };
      return handleMessages({ queue: "bench-following", messages: [message] }, makeContext);
    });
    await Promise.all(batches);
  }

  /** Runs minutes until enough vaults are proven or the maximum is reached. Returns their cost. */
  async until(isEnough: (proven: number, minute: number) => boolean) {
    this.#contexts = [];
    const startedAt = performance.now();
    let minutes = 0;
    while (!isEnough(this.#proven, minutes) && minutes < MAX_MINUTES) {
      await handleCron("* * * * *", this.context);
      await this.#deliver();
      this.#ahead += MINUTE_MS;
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
