import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ExternalSystem, Platform } from "../following/deployment.ts";
import type { SimulatedTime } from "./simulated-time.ts";

/** Simulated duration of one request to each external system, in milliseconds. */
export type Latencies = Readonly<Record<ExternalSystem, number>>;

/** Requests that an invocation may have in flight. Source: Cloudflare Workers, limits. */
const CONNECTIONS = 6;
/** Time between the sending of a message and its delivery, in milliseconds. */
const DELIVERY_MS = 200;

/** What the invocations of one kind did. */
export interface InvocationFigures {
  invocations: number;
  requests: Record<ExternalSystem, number>;
  /** Most requests of one invocation, and the longest one in milliseconds. */
  most: number;
  longestMs: number;
}

interface Consumer {
  queue: string;
  maxBatchSize: number;
  maxConcurrency: number;
  maxRetries: number;
}

interface Delivered {
  body: unknown;
  tries: number;
}

interface Queue {
  consumer: Consumer;
  ready: Delivered[];
  delayed: number;
  running: number;
  /** Number of invocations that the platform lets run at present. */
  allowed: number;
}

const root = join(import.meta.dirname, "../../..");

/**
 * The platform with simulated time: every external request takes its system's latency, at most six of an invocation are
 * in flight, and an invocation fails beyond the limit of subrequests in wrangler.toml. Queues deliver with the batch sizes
 * and concurrency of wrangler.toml. A queue begins with one consumer, gets another one after each invocation that leaves a
 * backlog, and loses one after each that does not.
 */
export class SimulatedPlatform implements Platform {
  readonly figures = new Map<string, InvocationFigures>();
  readonly #time: SimulatedTime;
  readonly #latencies: Latencies;
  readonly #queues: ReadonlyMap<string, Queue>;
  readonly #limit: number;
  /** Hands a batch to the service and returns the messages that were not acknowledged. */
  #consume: (queue: string, batch: readonly Delivered[]) => Promise<readonly Delivered[]> = async () => [];
  #stopped = false;
  /** Number of delivered messages. */
  delivered = 0;
  /** True while what begins takes no simulated time and is not counted. */
  free = false;

  constructor(time: SimulatedTime, latencies: Latencies) {
    this.#time = time;
    this.#latencies = latencies;
    const settings = readFileSync(join(root, "wrangler.toml"), "utf8");
    this.#limit = Number(/^subrequests = ([\d_]+)/m.exec(settings)?.[1]?.replaceAll("_", ""));
    const state = { ready: [], delayed: 0, running: 0, allowed: 1 };
    this.#queues = new Map(
      consumersOf(settings).map((consumer) => [consumer.queue, { ...structuredClone(state), consumer }]),
    );
  }

  /** Sets the consumer of all queues. */
  serve(consume: (queue: string, batch: readonly Delivered[]) => Promise<readonly Delivered[]>): void {
    this.#consume = consume;
  }

  begin(kind: string): ReturnType<Platform["begin"]> {
    if (this.free) return async (_, effect) => effect();
    const figures = this.#figuresOf(kind);
    figures.invocations += 1;
    const startedAt = this.#time.now;
    let requests = 0;
    let inFlight = 0;
    const waiting: (() => void)[] = [];
    return async <T>(system: ExternalSystem, effect: () => T | Promise<T>): Promise<T> => {
      requests += 1;
      if (requests > this.#limit) throw new Error("Too many subrequests by single Worker invocation.");
      figures.requests[system] += 1;
      figures.most = Math.max(figures.most, requests);
      if (inFlight >= CONNECTIONS) await new Promise<void>((resolve) => waiting.push(resolve));
      else inFlight += 1;
      try {
        const outcome = await this.#time.real(() => settle(effect));
        await this.#time.sleep(this.#latencies[system]);
        if ("error" in outcome) throw outcome.error;
        return outcome.value;
      } finally {
        figures.longestMs = Math.max(figures.longestMs, this.#time.now - startedAt);
        const next = waiting.shift();
        if (next === undefined) inFlight -= 1;
        else next();
      }
    };
  }

  enqueue({ queue, body, delayMs }: { queue: string; body: unknown; delayMs: number }): void {
    const own = this.#queues.get(queue);
    if (own === undefined) throw new RangeError(`wrangler.toml has no consumer of ${queue}`);
    this.#add(own, { message: { body, tries: 0 }, delayMs });
  }

  /** Stops or restarts all queues. Running invocations end. */
  pause(stopped: boolean): void {
    this.#stopped = stopped;
    for (const queue of this.#queues.values()) this.#pump(queue);
  }

  /** Returns the messages of a queue that wait, and its running consumers. */
  backlog(name: RegExp): { ready: number; running: number } {
    const queues = [...this.#queues.values()].filter(({ consumer }) => name.test(consumer.queue));
    return {
      ready: queues.reduce((sum, { ready }) => sum + ready.length, 0),
      running: queues.reduce((sum, { running }) => sum + running, 0),
    };
  }

  #add(queue: Queue, { message, delayMs }: { message: Delivered; delayMs: number }): void {
    this.#time.at(this.#time.now + DELIVERY_MS + delayMs, () => {
      queue.ready.push(message);
      this.#pump(queue);
    });
  }

  #pump(queue: Queue): void {
    while (!this.#stopped && queue.running < queue.allowed && queue.ready.length > 0) {
      queue.running += 1;
      void this.#run(queue, queue.ready.splice(0, queue.consumer.maxBatchSize));
    }
  }

  async #run(queue: Queue, batch: readonly Delivered[]): Promise<void> {
    const { consumer } = queue;
    this.delivered += batch.length;
    const failed = await this.#consume(consumer.queue, batch);
    for (const { body, tries } of failed)
      if (tries < consumer.maxRetries) this.#add(queue, { message: { body, tries: tries + 1 }, delayMs: 0 });
    queue.running -= 1;
    queue.allowed =
      queue.ready.length > 0
        ? Math.min(consumer.maxConcurrency, queue.allowed + 1)
        : Math.max(1, queue.allowed - 1);
    this.#pump(queue);
  }

  #figuresOf(kind: string): InvocationFigures {
    const known = this.figures.get(kind) ?? {
      ...{ invocations: 0, most: 0, longestMs: 0 },
      requests: { rpc: 0, db: 0, redis: 0, provider: 0, queue: 0 },
    };
    this.figures.set(kind, known);
    return known;
  }
}

async function settle<T>(effect: () => T | Promise<T>): Promise<{ value: T } | { error: unknown }> {
  try {
    return { value: await effect() };
  } catch (error) {
    return { error };
  }
}

/** Returns the queue consumers in wrangler.toml, with the platform's defaults. */
function consumersOf(settings: string): Consumer[] {
  const blocks = settings.matchAll(/^\[\[queues\.consumers\]\]\n((?:\w+ = .*\n)+)/gm);
  return [...blocks].map(([, block = ""]) => {
    const number = (name: string, usual: number): number =>
      Number(new RegExp(`^${name} = (\\d+)`, "m").exec(block)?.[1] ?? usual);
    return {
      queue: /^queue = "(.+)"/m.exec(block)?.[1] ?? "",
      maxBatchSize: number("max_batch_size", 10),
      maxConcurrency: number("max_concurrency", 250),
      maxRetries: number("max_retries", 3),
    };
  });
}
