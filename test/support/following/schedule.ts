import type { Hex } from "viem";
import { type Random, randomOf } from "../flows/random.ts";
import { FILL_WINDOW_S } from "./across-api.ts";
import { AWAY, HOME } from "./contracts.ts";
import type { Kill } from "./deployment.ts";
import { forgeries } from "./forgeries.ts";
import { drawNodeFaults } from "./node-faults.ts";
import { buildDirect } from "./play.ts";
import type { Kind } from "./recount.ts";
import { BLOCK_S } from "./simulated-chain.ts";
import { type Options, type Order, USERS, World } from "./world.ts";

/** Counts of what happened in a schedule, by which a test checks that all cases occurred. */
export interface Tally {
  steps: number;
  built: number;
  sent: number;
  completed: number;
  reorgs: number;
  killed: number;
  reports: number;
  steals: number;
  abandoned: number;
  rounds: number;
  requests: number;
  statements: number;
}

const STRANGER: Hex = `0x${"bd".repeat(19)}01`;
const MAX_BUILDS = 6;
/** Maximum number of log lines that are shown for a failing schedule. */
const MAX_WARNINGS = 12;
/** Number of undisturbed minutes after which every deposit must be correct. */
const SETTLING_ROUNDS = 8;

/**
 * Runs one random schedule of builds, sent and forged transactions, reports, reorgs, killed runs and faulty nodes. Then
 * all faults end and the jobs run, without further requests. Throws if a deposit differs from its true state on the
 * chains.
 */
export async function playSchedule(seed: number, options: Options): Promise<Tally> {
  const schedule = new Schedule(randomOf(seed), options);
  const before = options.database.requests();
  try {
    const tally = await schedule.play();
    return { ...tally, statements: options.database.requests() - before };
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const story = `events:\n${schedule.events.join("\n")}\nlog:\n${schedule.warnings.join("\n")}`;
    throw new Error(`schedule ${seed}: ${text}\n${story}`, { cause: error });
  }
}

class Schedule {
  readonly #random: Random;
  readonly #world: World;
  readonly #forged: Hex[] = [];
  /** The events of the schedule, one line each. */
  readonly events: string[] = [];
  readonly #tally: Tally = {
    ...{ steps: 0, built: 0, sent: 0, completed: 0, reorgs: 0, killed: 0, reports: 0, steals: 0 },
    ...{ abandoned: 0, rounds: 0, requests: 0, statements: 0 },
  };

  constructor(random: Random, options: Options) {
    this.#random = random;
    this.#world = new World(random, options);
  }

  /** The last warnings and errors that the program logged. */
  get warnings(): string[] {
    const { logged } = this.#world.causeway;
    return logged.filter((line) => !line.includes('"level":"info"')).slice(-MAX_WARNINGS);
  }

  async play(): Promise<Tally> {
    const world = this.#world;
    await world.begin();
    const steps = 25 + this.#random.below(35);
    for (let step = 0; step < steps; step += 1) await this.#step();
    this.#note("all are well again");
    await world.settle(SETTLING_ROUNDS);
    const shown = await world.judge();
    const asked = Object.values(world.nodes).flatMap((nodes) =>
      nodes.flatMap((node) => [...node.asked.values()]),
    );
    return {
      ...this.#tally,
      ...{ steps, rounds: this.#tally.rounds + SETTLING_ROUNDS },
      completed: shown.filter(({ state }) => state === "completed").length,
      requests: asked.reduce((sum, count) => sum + count, 0),
    };
  }

  #note(text: string): void {
    this.events.push(`${String(this.events.length).padStart(3)} ${text}`);
  }

  async #step(): Promise<void> {
    const { orders } = this.#world;
    const choice = this.#random.below(36);
    if (choice < 4 || orders.length === 0) return this.#build();
    if (choice < 9) return this.#send(orders.filter(({ hashes }) => hashes.length === 0));
    if (choice < 10) return this.#send(orders.filter(({ hashes }) => hashes.length > 0));
    if (choice < 13) return this.#relay();
    if (choice < 15) return this.#secondStep();
    if (choice < 18) return this.#report();
    if (choice < 20) return this.#steal();
    if (choice < 21) return this.#abandon();
    if (choice < 23) return this.#reorg();
    if (choice < 24) return this.#changeFaults();
    if (choice < 25) return this.#poll();
    if (choice < 26) return this.#pause();
    if (choice >= 34) return this.#buildContinuation();
    this.#world.pass(1 + this.#random.below(choice < 30 ? 4 : 10));
    if (choice >= 30) await this.#round();
  }

  async #build(): Promise<void> {
    const { orders } = this.#world;
    if (orders.length >= MAX_BUILDS) return;
    const like = orders.length > 0 && this.#random.once(4) ? this.#random.pick(orders) : null;
    const kind = like?.kind ?? this.#random.pick<Kind>(["router", "own", "one_step", "two_step"]);
    const user = like?.user ?? this.#random.pick(USERS);
    const amount = 1_000_000 * (100 + this.#random.below(40));
    const order = await this.#world.build(kind, { user, amount, like });
    this.#tally.built += 1;
    this.#note(
      `build ${kind} ${order.trackingId} by ${user}${like === null ? "" : `, as ${like.trackingId}`}`,
    );
  }

  /** Builds a deposit of what arrived for one of a user's deposits, with any of them as its parent. */
  async #buildContinuation(): Promise<void> {
    const { orders } = this.#world;
    const sent = orders.filter(({ kind, hashes }) => kind === "two_step" && hashes.length > 0);
    if (sent.length === 0 || orders.length >= MAX_BUILDS) return;
    const order = this.#random.pick(sent);
    const parent = this.#random.pick(
      orders.filter(({ kind, user }) => kind === "two_step" && user === order.user),
    );
    const child = await buildDirect(this.#world, { order, parent });
    if (child === null) return;
    this.#tally.built += 1;
    this.#note(`build ${child.trackingId} of what ${order.trackingId} delivered, for ${parent.trackingId}`);
  }

  #send(orders: readonly Order[]): void {
    if (orders.length === 0) return;
    const order = this.#random.pick(orders);
    const fails = this.#random.once(10);
    // Fails in some blocks and succeeds in others, as a reorg may show.
    const wavers = this.#random.once(8);
    const how = { fails: wavers ? () => this.#random.once(2) : fails, batched: this.#random.once(6) };
    const hash = this.#world.send(order, how);
    this.#tally.sent += 1;
    const fate = wavers ? ", to fail or not" : fails ? ", to fail" : "";
    const text = `${fate}${how.batched ? ", in a batch" : ""}`;
    this.#note(`send ${order.trackingId} as ${hash}${text}`);
  }

  #relay(): void {
    const open = this.#world.openTransfers(this.#random.below(3));
    if (open.length === 0) return;
    const transfer = this.#random.pick(open);
    const { kind, hash } = this.#world.relay(transfer);
    this.#note(`${kind} of transfer ${transfer.depositId} as ${hash}`);
  }

  /** Fetches the deposit and sends its second step, if it has one. */
  async #secondStep(): Promise<void> {
    const sent = this.#world.orders.filter(({ kind, hashes }) => kind === "two_step" && hashes.length > 0);
    if (sent.length === 0) return;
    const order = this.#random.pick(sent);
    const fails = this.#random.once(10);
    const hash = await this.#world.sendSecondStep(order, fails);
    this.#note(`second step of ${order.trackingId}: ${hash}${fails ? ", to fail" : ""}`);
  }

  async #report(): Promise<void> {
    const { orders, home } = this.#world;
    const order = this.#random.pick(orders);
    const foreign = orders.filter((other) => other !== order).flatMap(({ hashes }) => hashes);
    const lies = [...foreign, ...this.#forged, home.newHash(0xfa)];
    const truthful = order.hashes.length > 0 && this.#random.once(2);
    const hash = this.#random.pick(truthful ? order.hashes : lies);
    const step = this.#random.once(5) ? "deposit" : "source";
    const { status } = await this.#world.report(order, { hash, step });
    this.#tally.reports += 1;
    this.#note(`report ${hash} as ${step} of ${order.trackingId}${truthful ? "" : ", a lie"}: ${status}`);
    if (status !== 200 && status !== 409) throw new Error(`a report is answered ${status}`);
  }

  /** Sends a stranger's forgery of a deposit. */
  async #steal(): Promise<void> {
    const { orders, chains } = this.#world;
    const order = this.#random.pick(orders);
    const forged = forgeries(this.#random, { order, stranger: STRANGER, chains });
    if (forged === null) return;
    const hash = this.#world.chain(forged.chainId).send(forged.transaction);
    this.#forged.push(hash);
    this.#tally.steals += 1;
    this.#note(`${forged.name} of ${order.trackingId} as ${hash}`);
    if (this.#random.once(2)) await this.#world.report(order, { hash });
  }

  async #abandon(): Promise<void> {
    const order = this.#random.pick(this.#world.orders);
    const { status } = await this.#world.abandon(order);
    this.#tally.abandoned += 1;
    this.#note(`abandon ${order.trackingId}: ${status}`);
  }

  #reorg(): void {
    const chainId = this.#random.pick([HOME, AWAY]);
    const depth = 1 + this.#random.below(5);
    this.#world.chain(chainId).reorg(depth);
    this.#tally.reorgs += 1;
    this.#note(`reorganise ${chainId} by ${depth}`);
  }

  #changeFaults(): void {
    const chainId = this.#random.pick([HOME, AWAY]);
    const nodes = this.#world.nodes[chainId] ?? [];
    const node = this.#random.pick(nodes);
    node.faults = drawNodeFaults(this.#random);
    this.#world.apiSilent = this.#random.once(2);
    this.#note(`node ${nodes.indexOf(node)} of ${chainId}: ${JSON.stringify(node.faults)}`);
  }

  async #poll(): Promise<void> {
    const order = this.#random.pick(this.#world.orders);
    const hash = order.hashes.at(-1);
    const { status } =
      hash === undefined || this.#random.once(2)
        ? await this.#world.causeway.send(`/v1/deposits/${order.trackingId}`)
        : await this.#world.status(hash, order.source.chainId);
    this.#note(`read ${order.trackingId}: ${status}`);
    if (status !== 200 && status < 502) throw new Error(`a reading is answered ${status}`);
  }

  /** Pauses the jobs, sometimes for longer than a transfer may take. */
  #pause(): void {
    const long = Math.ceil(FILL_WINDOW_S / 60) + 5;
    const minutes = this.#random.once(6) ? long : 1 + this.#random.below(30);
    this.#world.pass(Math.round((minutes * 60) / BLOCK_S));
    this.#note(`no jobs for ${minutes} minutes`);
  }

  /** Runs the jobs of one minute. Sometimes their Worker is killed in between. */
  async #round(): Promise<void> {
    const fate = await this.#world.round({ jobs: this.#drawKill(3), messages: this.#drawKill(4) });
    this.#tally.rounds += 1;
    if (fate === "killed") this.#tally.killed += 1;
    this.#note(`jobs: ${fate}`);
  }

  #drawKill(every: number): Kill | null {
    return this.#random.once(every)
      ? { at: 1 + this.#random.below(30), afterEffect: this.#random.once(2) }
      : null;
  }
}
