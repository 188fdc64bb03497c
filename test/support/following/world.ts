import { getAddress, type Hex, keccak256, stringToHex } from "viem";
import {
  type AcrossDeposit,
  relayHash,
} from "../../../src/providers/across/tracking/across-deposit-tracking.ts";
import type { Random } from "../flows/random.ts";
import { type AcrossWord, SimulatedAcrossApi } from "./across-api.ts";
import { refundTogether } from "./bridge-refunds.ts";
import {
  AWAY,
  acrossDeposits,
  FORGER,
  fill,
  HOME,
  isFilledBy,
  OWN_VAULT,
  RELAYER,
  ROUTED_VAULT,
  SPOKE_POOL,
  USDC,
} from "./contracts.ts";
import { type Kill, type RunOutcome, SimulatedDeployment } from "./deployment.ts";
import type { EmbeddedDatabase } from "./embedded-database.ts";
import { withoutEqual } from "./equal-deposits.ts";
import type { SimulatedLifiApi } from "./lifi-api.ts";
import { NO_FAULTS } from "./node-faults.ts";
import { type BuiltDeposit, isUnseen, type Kind, recount, type ShownDeposit } from "./recount.ts";
import { checkSecondSteps, shareTransactions } from "./second-steps.ts";
import { BLOCK_S, FINALITY, SimulatedChain } from "./simulated-chain.ts";
import { SimulatedNode } from "./simulated-node.ts";
import { batchOf, callOf, type FailureRule, secondStepOf } from "./transactions.ts";

export const USERS: readonly Hex[] = [1, 2, 3].map((number): Hex => `0x${"ac".repeat(19)}0${number}`);
const NODES = 2;
const START = Date.parse("2026-03-01T12:00:00Z");
/** Cron trigger of the jobs that track deposits. */
const MINUTE = "* * * * *";

/** A built deposit with the transactions that were sent for it. */
export interface Order extends BuiltDeposit {
  body: Record<string, unknown>;
  hashes: Hex[];
  /** Number of second steps that were sent. */
  seconds: number;
}

/** Options of a world. */
export interface Options {
  database: EmbeddedDatabase;
  /** Sets the clock, in unix milliseconds. */
  setTime(now: number): unknown;
  /** False to skip the jobs of a minute that do not track deposits. Default: true. */
  allJobs?: boolean;
  /** LI.FI's API, of which only the status is used. */
  lifi?: SimulatedLifiApi;
}

/** An answer of the API. */
export interface Answer {
  status: number;
  body: unknown;
}

/** Two chains with vaults and a bridge, their nodes, and the whole service, with a clock that only the test moves. */
export class World {
  readonly chains: Readonly<Record<number, SimulatedChain>>;
  readonly nodes: Readonly<Record<number, readonly SimulatedNode[]>>;
  readonly causeway: SimulatedDeployment;
  readonly orders: Order[] = [];
  /** True while the bridge's API knows no transfer. */
  apiSilent = false;
  /** Status that the bridge's API returns for every transfer while it lies; null while it is honest. */
  apiLie: AcrossWord | null = null;
  readonly #options: Options;
  #now = START;

  constructor(random: Random, options: Options) {
    this.#options = options;
    options.setTime(this.#now);
    const chain = (chainId: number) => {
      const one = new SimulatedChain(chainId, random, this.#now / 1000 - 60 * BLOCK_S);
      one.mine(60);
      return one;
    };
    this.chains = { [HOME]: chain(HOME), [AWAY]: chain(AWAY) };
    const nodes = (chainId: number) =>
      Array.from({ length: NODES }, () => new SimulatedNode(this.chain(chainId)));
    this.nodes = { [HOME]: nodes(HOME), [AWAY]: nodes(AWAY) };
    const across = new SimulatedAcrossApi((hash) => this.apiLie ?? this.#acrossSays(hash));
    const { database, allJobs = true, lifi = null } = options;
    const randomId = (): string => Array.from({ length: 32 }, () => random.below(16).toString(16)).join("");
    this.causeway = new SimulatedDeployment({
      ...{ database, nodes: this.nodes, across, lifi, allJobs, randomId },
    });
  }

  get now(): number {
    return this.#now;
  }

  get home(): SimulatedChain {
    return this.chain(HOME);
  }

  get away(): SimulatedChain {
    return this.chain(AWAY);
  }

  chain(chainId: number): SimulatedChain {
    const chain = this.chains[chainId];
    if (chain === undefined) throw new RangeError(`no chain ${chainId}`);
    return chain;
  }

  /** Empties the database and lets the jobs run once. */
  async begin(): Promise<void> {
    await this.#options.database.reset();
    await this.round();
  }

  /** Lets time pass and mines blocks on both chains. */
  pass(blocks: number): void {
    for (const chain of Object.values(this.chains)) chain.mine(blocks);
    this.#setTime(this.#now + blocks * BLOCK_S * 1000);
  }

  /** Lets time pass without blocks, in milliseconds. */
  wait(ms: number): void {
    this.#setTime(this.#now + ms);
  }

  /** Mines one block on both chains, which includes all pending transactions. */
  include(): void {
    for (const chain of Object.values(this.chains)) chain.mineAll();
    this.#setTime(this.#now + BLOCK_S * 1000);
  }

  #setTime(now: number): void {
    this.#now = now;
    this.#options.setTime(now);
  }

  /** Builds a deposit by the API. `like` repeats the request of another deposit. */
  async build(kind: Kind, of: { user: Hex; amount: number; like?: Order | null }): Promise<Order> {
    const away = kind === "one_step" || kind === "two_step";
    const vault = kind === "router" || kind === "one_step" ? ROUTED_VAULT : OWN_VAULT;
    const body = of.like?.body ?? {
      from_chain_id: away ? AWAY : HOME,
      from_token: USDC[away ? AWAY : HOME],
      from_amount: String(of.amount),
      vault_id: `${HOME}:${vault.toLowerCase()}`,
      user_address: getAddress(of.user),
    };
    const answer = await this.whileWell(() => this.post("/v1/quote/build", body));
    if (answer.status !== 200) throw new Error(`build: ${answer.status} ${JSON.stringify(answer.body)}`);
    const made = answer.body as Built;
    if (made.two_step !== (kind === "two_step")) throw new Error(`two_step of ${kind} is ${made.two_step}`);
    const { tracking_id: trackingId, transaction_request: request } = made;
    const minShares = made.estimate?.min_shares ?? made.min_shares ?? null;
    const order: Order = {
      ...{ trackingId, kind, user: of.user, body, builtAt: this.#now, homeId: HOME, hashes: [], seconds: 0 },
      ref: keccak256(stringToHex(trackingId)),
      source: { chainId: request.chain_id, to: request.to.toLowerCase() as Hex, data: request.data },
      minShares: minShares === null ? null : BigInt(minShares),
    };
    this.orders.push(order);
    return order;
  }

  /**
   * Sends the source transaction. `fails` makes it revert; `batched` makes it a call within a bundler's transaction.
   */
  send(order: Order, how: { fails?: FailureRule; batched?: boolean } = {}): Hex {
    const { chainId, to, data } = order.source;
    const call = callOf({ from: order.user, to, data, fails: how.fails ?? false });
    const hash = this.chain(chainId).send(
      how.batched === true ? batchOf(order.user, { call, to, data }) : call,
    );
    order.hashes.push(hash);
    return hash;
  }

  /** Fetches a deposit and sends the second step in the response. Null if there is none. */
  async sendSecondStep(order: Order, fails = false): Promise<Hex | null> {
    const { body } = await this.whileWell(() => this.causeway.send(`/v1/deposits/${order.trackingId}`));
    const { next } = body as { next: { transaction_request: { to: Hex; data: Hex } } | null };
    if (next === null) return null;
    const { to, data } = next.transaction_request;
    const hash = this.home.send(secondStepOf(order.user, { to, data, fails }));
    order.seconds += 1;
    return hash;
  }

  /** Returns the transfers that are at least `depth` blocks deep on their source chain and not paid out. */
  openTransfers(depth = 0): AcrossDeposit[] {
    const blocks = this.away.blocks.slice(0, this.away.blocks.length - depth);
    const all = blocks.flatMap(({ included }) => included.flatMap(({ logs }) => acrossDeposits(AWAY, logs)));
    return all.filter((deposit) => !this.#isPaid(relayHash(deposit)));
  }

  /** Pays out a transfer as a relayer does. An overdue transfer is refunded instead. */
  relay(deposit: AcrossDeposit): { kind: "payout" | "refund"; hash: Hex } {
    const relay = relayHash(deposit);
    if (deposit.fillDeadline >= this.away.head.timestamp) {
      const hash = this.home.send({
        ...{ from: RELAYER, to: SPOKE_POOL[HOME] ?? FORGER, input: "0x02", value: 0n },
        run: (chain) => fill(chain, deposit),
      });
      this.home.storage.set(`fill ${relay}`, hash);
      return { kind: "payout", hash };
    }
    return { kind: "refund", hash: refundTogether(this.away, [deposit]) };
  }

  /** Returns true if a payout or refund is included or pending. */
  #isPaid(hash: Hex): boolean {
    const { home, away } = this;
    const lives = (chain: SimulatedChain, sent: Hex | undefined) =>
      sent !== undefined && (chain.find(sent) !== null || chain.pool.some((one) => one.hash === sent));
    const filled = home.blocks.some(({ included }) => included.some((one) => isFilledBy(home, one, hash)));
    const [paid, refunded] = [home.storage.get(`fill ${hash}`), away.storage.get(`refund ${hash}`)];
    return filled || lives(home, paid) || lives(away, refunded);
  }

  #acrossSays(hash: Hex): ReturnType<SimulatedAcrossApi["say"]> {
    const found = this.away.find(hash);
    const [deposit] = found === null ? [] : acrossDeposits(AWAY, found.included.logs);
    if (deposit === undefined || this.apiSilent) return null;
    const relay = relayHash(deposit);
    const refund = this.away.storage.get(`refund ${relay}`);
    if (refund !== undefined) return { status: "refunded", depositRefundTxHash: refund };
    const all = this.home.blocks.flatMap(({ included }) => included);
    const filled = all.find((one) => isFilledBy(this.home, one, relay));
    return filled === undefined ? { status: "pending" } : { status: "filled", fillTx: filled.sent.hash };
  }

  /** Runs work without node faults, then restores the faults. */
  async whileWell<T>(work: () => Promise<T>): Promise<T> {
    const all = Object.values(this.nodes).flat();
    const faults = all.map((node) => node.faults);
    for (const node of all) node.faults = { ...NO_FAULTS };
    const result = await work();
    for (const [index, node] of all.entries()) node.faults = faults[index] ?? { ...NO_FAULTS };
    return result;
  }

  report(order: Order, { hash, step = "source" }: { hash: Hex; step?: string }): Promise<Answer> {
    const body = { tx_hash: hash, step };
    return this.causeway.send(`/v1/deposits/${order.trackingId}/tx`, { ...withBody(body), method: "PATCH" });
  }

  abandon(order: Order): Promise<Answer> {
    return this.causeway.send(`/v1/deposits/${order.trackingId}/abandon`, { method: "PATCH" });
  }

  post(path: string, body: unknown): Promise<Answer> {
    return this.causeway.send(path, { ...withBody(body), method: "POST" });
  }

  status(hash: Hex, chainId: number): Promise<Answer> {
    return this.causeway.send(`/v1/status?tx_hash=${hash}&from_chain_id=${chainId}&to_chain_id=${HOME}`);
  }

  /** Runs the jobs of a minute and delivers their messages, among them one round on each chain. The jobs or a message may be killed in between. */
  async round(
    kill: { jobs: Kill | null; messages: Kill | null } = { jobs: null, messages: null },
  ): Promise<RunOutcome> {
    const fate = await this.causeway.cron(MINUTE, kill.jobs);
    this.causeway.hastenRounds();
    for (let hops = 0; hops < 4; hops += 1)
      if ((await this.causeway.deliverMessages(hops === 0 ? kill.messages : null)) === 0) break;
    if (fate === "killed") this.causeway.restart();
    return fate;
  }

  /** Ends all faults and runs the jobs minute by minute until every block is final. */
  async settle(rounds: number): Promise<void> {
    for (const node of Object.values(this.nodes).flat()) node.faults = { ...NO_FAULTS };
    this.apiSilent = false;
    for (let round = 0; round < rounds; round += 1) {
      for (const chain of Object.values(this.chains)) {
        chain.mineAll();
        chain.mine(round < 2 ? FINALITY : 60 / BLOCK_S);
      }
      this.#setTime(this.#now + 60_000);
      await this.round();
    }
  }

  /** Returns every deposit, from the lists or by its id. Throws if a list contains too many or too few. */
  async readAll(): Promise<ShownDeposit[]> {
    const shown: ShownDeposit[] = [];
    for (const user of USERS) {
      const { body } = await this.causeway.send(`/v1/deposits?user_address=${user}&limit=100`);
      shown.push(...(body as ShownDeposit[]));
    }
    const stray = shown.find(({ state }) => isUnseen(state));
    if (stray !== undefined) throw new Error(`a list shows ${stray.tracking_id}, which is ${stray.state}`);
    const listed = new Set(shown.map(({ tracking_id }) => tracking_id));
    for (const { trackingId } of this.orders.filter((order) => !listed.has(order.trackingId))) {
      const { body } = await this.causeway.send(`/v1/deposits/${trackingId}`);
      const one = body as ShownDeposit & { same_as: string | null };
      if (one.same_as === null && !isUnseen(one.state))
        throw new Error(`${trackingId} is ${one.state} and in no list`);
      shown.push(one.same_as === null ? one : withoutEqual(one, { listed: shown, orders: this.orders }));
    }
    return shown;
  }

  /** Checks every deposit, and the status of each of its transactions, against the chains. */
  async judge(): Promise<ShownDeposit[]> {
    const shown = await this.readAll();
    checkSecondSteps(this.chains, recount(this.chains, { built: this.orders, shown }));
    for (const one of shown.filter(({ state }) => !isUnseen(state))) await this.#checkHashes(one, shown);
    return shown;
  }

  async #checkHashes(one: ShownDeposit, all: readonly ShownDeposit[]): Promise<void> {
    const order = this.orders.find(({ trackingId }) => trackingId === one.tracking_id);
    for (const [hash, chainId] of [
      [one.source_tx_hash, order?.source.chainId ?? HOME],
      [one.destination_tx_hash, HOME],
      [one.deposit_tx_hash, HOME],
    ] as const) {
      if (hash === null || this.chain(chainId).find(hash) === null) continue;
      const { body } = await this.status(hash, chainId);
      const { deposit, status } = body as { status: string; deposit: { tracking_id: string } | null };
      const answer = all.find(({ tracking_id: id }) => id === deposit?.tracking_id);
      if (answer === undefined || !shareTransactions(one, answer))
        throw new Error(`${hash} is ${status} of ${deposit?.tracking_id}, not of ${one.tracking_id}`);
    }
  }
}

const withBody = (body: unknown): RequestInit => ({
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

interface Built {
  tracking_id: string;
  two_step: boolean;
  min_shares?: string | null;
  estimate?: { min_shares?: string | null };
  transaction_request: { chain_id: number; to: Hex; data: Hex; value: string };
}
