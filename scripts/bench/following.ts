import { readFileSync } from "node:fs";
import { join } from "node:path";
import { toHex } from "viem";
import { type Context, createContext, createRuntime, type Runtime } from "../../src/context.ts";
import { handleMessages, jobsByCron, runJobs } from "../../src/jobs.ts";
import { connect } from "../db/connect.ts";
import { journeysOf } from "../load/journeys.ts";
import { LoadChain } from "../load/load-chain.ts";
import { LoadRun } from "../load/load-run.ts";
import { copyUnsentBuilds, deleteUnsentBuilds } from "../load/unsent-builds.ts";
import { sendRequest } from "../smoke/http-request.ts";
import { bootStack } from "../stack/boot.ts";
import { rpc } from "../stack/chains/json-rpc.ts";
import type { StackManifest } from "../stack/manifest.ts";
import { workerVariables } from "../stack/worker/variables.ts";
import type { Row } from "./table.ts";

const root = join(import.meta.dirname, "../..");
const UNDER_WAY = [0, 10, 100, 400];
// Not none: without any, a round has no contracts to look for and reads less.
const UNSENT = [10, 1_000, 100_000];
/** The jobs of a minute that follow deposits. */
const JOBS = (jobsByCron["* * * * *"] ?? []).filter((jobs) =>
  jobs.some(({ name }) => name === "follow_deposits"),
);
/** Number of minutes that are run before the measured one, in which new deposits are discovered. */
const WARM_MINUTES = 2;
/**
 * Number of blocks that each chain mines before a minute, so that each has new blocks and new final ones to read. By the
 * real time alone, the slower minutes would have some and the others none.
 */
const BLOCKS_PER_MINUTE = 50;
/** Factor by which the cost may grow with the number of unsent builds and still count as constant. */
const FLAT = 1.1;

/** Column titles of the tracking benchmark. */
export const followingColumns = ["RPC", "queries", "Redis", "providers", "processor", "time"] as const;

/** Cost of the following jobs of one minute. */
interface Cost {
  rpc: number;
  db: number;
  redis: number;
  provider: number;
  cpuMs: number;
  ms: number;
}

/**
 * Measures the cost of one minute of following for different numbers of deposits in progress, whose transfers are held
 * back and which are all due in that minute, and of unsent builds. The cost must not depend on the number of unsent
 * builds.
 */
export async function benchFollowing(): Promise<Row[]> {
  const stack = await bootStack({ quiet: true });
  const { manifest } = stack;
  const chains = new Map(manifest.chains.map((chain) => [chain.chain_id, new LoadChain(chain)]));
  try {
    await holdTransfers(manifest);
    for (const chain of chains.values()) await chain.start();
    const minutes = new JobMinutes(manifest, [...chains.values()]);
    const crossing = journeysOf(manifest).filter(({ name }) => name === "cross_chain");
    const run = new LoadRun({ api: manifest.api, chains, journeys: crossing, rate: 40, seconds: 0 });
    const trackingIds = await run.buildUnsent();
    const rows: Row[] = [];
    for (const underWay of UNDER_WAY) {
      await run.sendUntil(underWay);
      rows.push(...(await measureUnsent(manifest, { minutes, trackingIds, underWay })));
    }
    await run.finish();
    return rows;
  } finally {
    for (const chain of chains.values()) chain.stop();
    await stack.close();
  }
}

async function measureUnsent(
  manifest: StackManifest,
  of: { minutes: JobMinutes; trackingIds: readonly string[]; underWay: number },
): Promise<Row[]> {
  const { minutes, trackingIds, underWay } = of;
  const rows: Row[] = [];
  let copied = 0;
  let alone: Cost | null = null;
  for (const unsent of UNSENT) {
    await copyUnsentBuilds(manifest, { trackingIds, from: copied, count: unsent });
    copied = unsent;
    for (let minute = 0; minute < WARM_MINUTES; minute += 1) await minutes.next();
    await makeDue(manifest, minutes.now());
    const cost = await minutes.next();
    alone ??= cost;
    const flat = cost.rpc + cost.db + cost.provider <= (alone.rpc + alone.db + alone.provider) * FLAT + 2;
    const values = [cost.rpc, cost.db, cost.redis, cost.provider].map(String);
    rows.push({
      name: `${underWay} under way, ${unsent} unsent`,
      values: [...values, `${cost.cpuMs.toFixed(0)} ms`, `${cost.ms.toFixed(0)} ms`],
      ...(unsent === UNSENT[0] ? {} : { aim: `as with ${UNSENT[0]}`, reached: flat }),
    });
  }
  await deleteUnsentBuilds(manifest);
  return rows;
}

/**
 * Makes every deposit in progress due at `now`, in unix milliseconds, as after its first check. Otherwise the pauses
 * between checks, which double, would decide what is due in a measured minute.
 */
async function makeDue({ database_url: databaseUrl, emulators }: StackManifest, now: number): Promise<void> {
  const sql = connect({ databaseUrl, endpoint: `${emulators.neon}/sql` });
  await sql.query(
    "update deposits set next_check_at = $1, checks = 0 where state in ('submitted', 'bridging')",
    [new Date(now).toISOString()],
  );
}

/** Makes the bridges accept transfers without delivering them. */
async function holdTransfers({ emulators }: StackManifest): Promise<void> {
  for (const url of [emulators.lifi, emulators.across])
    await sendRequest(`${url}/__control`, { body: { relayer: { mode: "stall" } } });
}

/** Runs the jobs of one minute after the other in this process, with the messages that they queue. */
class JobMinutes {
  readonly #runtime: Runtime;
  readonly #contexts: Context[] = [];
  #queued: { queue: string; body: unknown; dueAt: number }[] = [];
  /** Offset of the jobs' clock to the real one, in milliseconds. */
  #ahead = 0;

  readonly #chains: readonly LoadChain[];

  constructor(stack: StackManifest, chains: readonly LoadChain[]) {
    this.#chains = chains;
    const { username: user, password, pathname } = new URL(stack.database_url);
    const variables = workerVariables({
      api: stack.api,
      hub: stack.emulators,
      credentials: { user, password, database: pathname.slice(1) },
      redisToken: stack.redis_token,
      adminToken: stack.admin_token,
      chains: stack.chains.map((chain) => ({
        ...{ chain_id: chain.chain_id, name: chain.name, key: `chain-${chain.chain_id}` },
        ...{ wrapped_native: chain.contracts.tokens.WETH.address, contracts: chain.contracts },
      })),
    });
    this.#runtime = createRuntime({ ...variables, REDIS_KEY_PREFIX: "bench-jobs", ...this.#queues() });
  }

  /** Runs the jobs of one minute and returns their cost. */
  async next(): Promise<Cost> {
    for (const { chain } of this.#chains) await rpc(chain.rpc_url, "anvil_mine", toHex(BLOCKS_PER_MINUTE));
    this.#contexts.length = 0;
    const [startedAt, used] = [performance.now(), process.cpuUsage()];
    await runJobs(JOBS, this.#context).catch(() => undefined);
    const endsAt = this.now() + 60_000;
    for (;;) {
      const due = this.#queued.filter(({ dueAt }) => dueAt < endsAt).sort((a, b) => a.dueAt - b.dueAt)[0];
      if (due === undefined) break;
      this.#queued = this.#queued.filter((message) => message !== due);
      this.#ahead += Math.max(0, due.dueAt - this.now());
      // Every round has a new block to read, however fast the machine is.
      for (const { chain } of this.#chains) await rpc(chain.rpc_url, "evm_mine");
      const message = { body: due.body, ack: () => undefined, retry: () => undefined };
      await handleMessages({ queue: due.queue, messages: [message] }, this.#context);
    }
    this.#ahead += Math.max(0, endsAt - this.now());
    const { user, system } = process.cpuUsage(used);
    const sum = (name: "rpc" | "db" | "redis" | "provider"): number =>
      this.#contexts.reduce((total, { timing }) => total + timing.requests(name), 0);
    return {
      ...{ rpc: sum("rpc"), db: sum("db"), redis: sum("redis"), provider: sum("provider") },
      ...{ cpuMs: (user + system) / 1000, ms: performance.now() - startedAt },
    };
  }

  /** The jobs' clock, in unix milliseconds. */
  now = (): number => Date.now() + this.#ahead;

  #context = (): Context => {
    const waitUntil = (promise: Promise<unknown>): void => void promise.catch(() => undefined);
    const request = { requestId: () => crypto.randomUUID(), clientAddress: "unknown", waitUntil };
    const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const context = { ...createContext(this.#runtime, request), now: this.now, log: quiet };
    this.#contexts.push(context);
    return context;
  };

  #queues(): Record<string, unknown> {
    const text = readFileSync(join(root, "wrangler.toml"), "utf8");
    const bound = text.matchAll(/^\[\[queues\.producers\]\]\nbinding = "(\w+)"\nqueue = "([\w-]+)"/gm);
    return Object.fromEntries(
      [...bound].map(([, binding = "", queue = ""]) => {
        const add = (body: unknown, delaySeconds = 0): void => {
          this.#queued.push({ queue, body, dueAt: this.now() + delaySeconds * 1000 });
        };
        const sendBatch = async (messages: readonly { body: unknown; delaySeconds?: number }[]) => {
          for (const { body, delaySeconds } of messages) add(body, delaySeconds);
        };
        const send = async (body: unknown, options?: { delaySeconds?: number }) =>
          add(body, options?.delaySeconds);
        return [binding, { send, sendBatch }];
      }),
    );
  }
}
