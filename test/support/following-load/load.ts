import { randomOf } from "../flows/random.ts";
import { CONFIRMATIONS, SimulatedDeployment } from "../following/deployment.ts";
import type { EmbeddedDatabase } from "../following/embedded-database.ts";
import { SimulatedLifiApi } from "../following/lifi-api.ts";
import { NO_FAULTS } from "../following/node-faults.ts";
import { DepositCopies } from "./deposit-copies.ts";
import { LoadJudge, type Verdict } from "./load-judge.ts";
import { LoadUsers } from "./load-users.ts";
import { LoadWorld } from "./load-world.ts";
import { type InvocationFigures, type Latencies, SimulatedPlatform } from "./simulated-platform.ts";
import { SimulatedTime } from "./simulated-time.ts";

/** Settings of a load. Times are in seconds of simulated time. */
export interface LoadOptions {
  seed: number;
  /** Deposits per second, and for how long. */
  rate: number;
  seconds: number;
  /** Time for which no job and no queue runs, from a third of the load on. */
  pause: number;
  /** Number of builds that nobody sends. */
  unsent: number;
  /** Number of chains, at most 15. */
  chains: number;
  /** Time after the last deposit, of which the last part is without reorgs and faults. */
  grace: number;
  /** Reports and abandonments by strangers per second. */
  strangers: number;
  /** True to run all jobs of a minute. */
  allJobs: boolean;
  /** True if chains reorganize and nodes fail. */
  disturbed: boolean;
  latencies: Latencies;
}

/** A sample of the queues and rows at a time, in seconds since the start. */
export interface Sample {
  at: number;
  ready: number;
  running: number;
  due: number;
  oldestDue: number;
}

/** What a load did. */
export interface LoadResult {
  options: LoadOptions;
  verdict: Verdict;
  /** Times in UNIX milliseconds between which nothing ran. */
  pause: { from: number; to: number };
  startedAt: number;
  samples: Sample[];
  figures: ReadonlyMap<string, InvocationFigures>;
  /** Delivered messages by minute since the start. */
  messages: number[];
  counts: Record<string, number>;
  refusals: ReadonlyMap<string, number>;
  /** Log lines that are no information, by message, and the last of them. */
  warnings: ReadonlyMap<string, number>;
  lastWarnings: readonly string[];
  /** The service's statements by their text. Those of a batch count for its first one. */
  statements: ReadonlyMap<string, MeasuredStatement>;
  /** Statements that read all deposits, because no index helps them. */
  scans: string[];
}

interface Statement {
  query: string;
  params: unknown[];
}

/** A statement with its last parameters, how often it was sent, and the real time that it took in milliseconds. */
export interface MeasuredStatement extends Statement {
  count: number;
  ms: number;
}

/** A second before the first minute, because the chains begin with the load. */
const START = Date.parse("2026-03-01T11:59:59Z");
const MINUTE = "* * * * *";
const MINUTE_MS = 60_000;
/** Interval at which templates are built anew, in milliseconds. */
const TEMPLATES_MS = 10 * MINUTE_MS;
const SAMPLE_MS = 15_000;
/** Time before the end in which nothing is disturbed any more, in seconds. */
const CALM_S = 120;
const MAX_WARNINGS = 30;

/** Returns the statements for which the planner finds no better way than to read all deposits. */
async function findScans(
  database: EmbeddedDatabase,
  statements: readonly MeasuredStatement[],
): Promise<string[]> {
  const found: string[] = [];
  for (const { query, params } of statements) {
    if (!/^\s*(?:select|with|update|delete)\b/i.test(query) || !query.includes('"deposits"')) continue;
    // With sequential scans disabled, the planner uses one only where there is no other way.
    const queries = [
      { query: "set local enable_seqscan = off", params: [] },
      { query: `explain ${query}`, params },
    ];
    const plan = await database.inspect(queries);
    if (/Seq Scan on deposits\b/.test(plan)) found.push(`${query}\n${plan}`);
  }
  return found;
}

interface Host {
  database: EmbeddedDatabase;
  setTime(now: number): unknown;
  say(text: string): unknown;
}

/**
 * Plays a load in simulated time. Each external request of the service takes its latency; its effect is at the time of
 * the request. The database, the chains and the program itself take no simulated time beyond that.
 */
export async function playLoad(options: LoadOptions, host: Host): Promise<LoadResult> {
  const time = new SimulatedTime(START, host.setTime);
  time.install();
  try {
    return await new Load(options, { ...host, time }).play();
  } finally {
    time.uninstall();
  }
}

class Load {
  readonly #options: LoadOptions;
  readonly #host: Host;
  readonly #time: SimulatedTime;
  readonly #platform: SimulatedPlatform;
  readonly #world: LoadWorld;
  readonly #causeway: SimulatedDeployment;
  readonly #users: LoadUsers;
  readonly #copies: DepositCopies;
  readonly #judge: LoadJudge;
  readonly #samples: Sample[] = [];
  readonly #messages: number[] = [];
  readonly #warnings = new Map<string, number>();
  readonly #lastWarnings: string[] = [];
  readonly #statements = new Map<string, MeasuredStatement>();
  #paused = false;

  constructor(options: LoadOptions, { time, ...host }: Host & { time: SimulatedTime }) {
    const random = randomOf(options.seed);
    this.#options = options;
    this.#host = host;
    this.#time = time;
    this.#platform = new SimulatedPlatform(time, options.latencies);
    this.#world = new LoadWorld(time, { random, chains: options.chains });
    const hexDigit = (): string => random.below(16).toString(16);
    this.#causeway = new SimulatedDeployment({
      ...{
        database: { ...host.database, fetch: this.#timed },
        nodes: this.#world.nodes,
        across: this.#world.across,
      },
      ...{ lifi: new SimulatedLifiApi(), allJobs: options.allJobs, platform: this.#platform },
      randomId: () => Array.from({ length: 32 }, hexDigit).join(""),
      log: (line) => this.#note(line),
    });
    this.#platform.serve(async (queue, batch) => {
      const acknowledged = await Promise.all(
        batch.map(({ body }) => this.#causeway.deliver({ queue, body })),
      );
      return batch.filter((_, index) => !acknowledged[index]);
    });
    this.#copies = new DepositCopies({
      ...{ causeway: this.#causeway, database: host.database, chainIds: this.#world.chainIds },
    });
    const { copies, causeway, world } = {
      copies: this.#copies,
      causeway: this.#causeway,
      world: this.#world,
    };
    this.#users = new LoadUsers({ time, random, world, causeway, copies });
    this.#judge = new LoadJudge(host.database);
  }

  async play(): Promise<LoadResult> {
    const { seconds, grace, pause, unsent } = this.#options;
    const time = this.#time;
    await time.real(() => this.#host.database.reset(this.#world.chainIds));
    await this.#build();
    await this.#host.database.execute("analyze");
    await time.real(() => this.#copies.insertUnsent(unsent));
    // The load begins with a minute, as the jobs do.
    await time.runUntil(Math.ceil((time.now + 1) / MINUTE_MS) * MINUTE_MS - 1);
    const startedAt = time.now + 1;
    const sentBy = startedAt + seconds * 1000;
    const end = sentBy + grace * 1000;
    const pausedFrom = startedAt + Math.round((seconds / 3) * 1000);
    const paused = { from: pausedFrom, to: pausedFrom + pause * 1000 };
    this.#world.start(end);
    if (this.#options.disturbed) this.#world.disturb({ reorgMs: 15_000, faultMs: 10_000, outageMs: 150_000 });
    this.#scheduleUsers({ startedAt, sentBy, end });
    this.#scheduleJobs({ startedAt, end });
    if (pause > 0) {
      time.at(paused.from, () => this.#pause(true));
      time.at(paused.to, () => this.#pause(false));
    }
    time.at(end - Math.min(CALM_S, grace / 2) * 1000, () => this.#calm());
    this.#platform.figures.clear();
    await time.runUntil(end);
    this.#users.end();
    await this.#judge.watch(time.now);
    const { deposits } = this.#users;
    const scans = await findScans(this.#host.database, [...this.#statements.values()]);
    return {
      ...{ options: this.#options, pause: paused, startedAt, samples: this.#samples },
      verdict: await this.#judge.judge(this.#world, {
        deposits,
        confirmations: CONFIRMATIONS,
        now: time.now,
      }),
      ...{ figures: this.#platform.figures, messages: this.#messages, refusals: this.#users.refusals },
      counts: { ...this.#users.counts, ...this.#world.counts },
      ...{ warnings: this.#warnings, lastWarnings: this.#lastWarnings, statements: this.#statements, scans },
    };
  }

  #scheduleUsers({ startedAt, sentBy, end }: { startedAt: number; sentBy: number; end: number }): void {
    const { rate, strangers } = this.#options;
    const time = this.#time;
    let due = 0;
    time.every({ ms: 1_000, first: startedAt }, () => {
      due += rate;
      const count = Math.floor(due);
      due -= count;
      if (count > 0) void this.#users.arrive(count);
      return time.now + 1_000 < sentBy;
    });
    time.every({ ms: TEMPLATES_MS, first: startedAt + TEMPLATES_MS }, () => {
      void this.#build();
      return time.now + TEMPLATES_MS < sentBy;
    });
    time.every({ ms: 1_000 / strangers, first: startedAt }, () => {
      this.#users.disturb();
      return time.now < sentBy;
    });
    time.every({ ms: 1_000, first: startedAt }, () => {
      void time.real(() => this.#judge.watch(time.now));
      return time.now < end;
    });
    time.every({ ms: SAMPLE_MS, first: startedAt }, () => {
      void time.real(() => this.#sample(startedAt));
      return time.now < end;
    });
  }

  #scheduleJobs({ startedAt, end }: { startedAt: number; end: number }): void {
    const time = this.#time;
    time.every({ ms: MINUTE_MS, first: startedAt }, () => {
      // Inspection only, which would fill the memory.
      this.#causeway.redis.commands.length = 0;
      if (!this.#paused) void this.#causeway.cron(MINUTE);
      this.#messages.push(this.#platform.delivered);
      return time.now < end;
    });
  }

  /** Builds the templates while the clock stands still and no node fails: builds are no part of the load. */
  async #build(): Promise<void> {
    const nodes = Object.values(this.#world.nodes).flat();
    const faults = nodes.map((node) => node.faults);
    for (const node of nodes) node.faults = { ...NO_FAULTS };
    this.#platform.free = true;
    await this.#time.real(async () => {
      await this.#copies.build();
      // Loads the modules of the routes, which takes real time.
      for (const path of ["status", "deposits"]) await this.#causeway.send(`/v1/${path}`);
    });
    this.#platform.free = false;
    for (const [index, node] of nodes.entries()) node.faults = faults[index] ?? { ...NO_FAULTS };
  }

  #pause(paused: boolean): void {
    this.#paused = paused;
    this.#platform.pause(paused);
  }

  #calm(): void {
    this.#world.calm = true;
    for (const node of Object.values(this.#world.nodes).flat()) node.faults = { ...NO_FAULTS };
  }

  async #sample(startedAt: number): Promise<void> {
    const { now } = this.#time;
    const { ready, running } = this.#platform.backlog(/following/);
    const { rows, seconds } = await this.#judge.due(now);
    const sample = { at: (now - startedAt) / 1000, ready, running, due: rows, oldestDue: seconds };
    this.#samples.push(sample);
    if (sample.at % 60 === 0)
      this.#host.say(
        `${sample.at} s: ${this.#users.deposits.length} built; queue ${ready} ready, ${running} running; ${rows} due, the first for ${seconds} s`,
      );
  }

  /** Measures the real time that the database takes for each statement of the service. */
  readonly #timed: EmbeddedDatabase["fetch"] = async (url, init) => {
    const startedAt = performance.now();
    const response = await this.#host.database.fetch(url, init);
    const body = JSON.parse(String(init?.body ?? "{}")) as Statement & { queries?: Statement[] };
    const [first, ...further] = body.queries ?? [body];
    if (first === undefined) return response;
    const { count, ms } = this.#statements.get(first.query) ?? { count: 0, ms: 0 };
    this.#statements.set(first.query, { ...first, count: count + 1, ms: ms + performance.now() - startedAt });
    for (const one of further)
      if (!this.#statements.has(one.query)) this.#statements.set(one.query, { ...one, count: 0, ms: 0 });
    return response;
  };

  #note(line: string): void {
    if (line.includes('"level":"info"')) return;
    const { event, job, code } = JSON.parse(line) as Record<string, string | undefined>;
    const name = [event, job, code].filter((part) => part !== undefined).join(" ");
    this.#warnings.set(name, (this.#warnings.get(name) ?? 0) + 1);
    this.#lastWarnings.push(line.slice(0, 400));
    if (this.#lastWarnings.length > MAX_WARNINGS) this.#lastWarnings.shift();
  }
}
