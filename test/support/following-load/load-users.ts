import { type Hex, slice } from "viem";
import type { Random } from "../flows/random.ts";
import type { SimulatedDeployment } from "../following/deployment.ts";
import type { BuiltDeposit } from "../following/recount.ts";
import { type DepositCopies, kinds } from "./deposit-copies.ts";
import { inventedHash, type LoadWorld } from "./load-world.ts";
import type { SimulatedTime } from "./simulated-time.ts";

/** What a user's wallet does after it has sent a deposit: it polls the status, reports the transaction, or nothing. */
export const watchers = ["polled", "reported", "left alone"] as const;
/** What a user's wallet does after it has sent a deposit. */
export type Watcher = (typeof watchers)[number];

/** A deposit of the load. */
export interface LoadDeposit extends BuiltDeposit {
  watcher: Watcher;
  /** Source transaction, or null before it is sent. */
  sentHash: Hex | null;
}

/** Time from a build to its transaction, in milliseconds: at least, and at most that much more. */
const SIGNING_MS = { least: 2_000, most: 18_000 };
const FIRST_POLL_MS = 2_000;
/** Time after which a wallet gives up polling, in milliseconds. */
const POLLING_MS = 40 * 60_000;
/** Time from the arrival of a bridged token to its deposit, in milliseconds: at least, and at most that much more. */
const SECOND_MS = { least: 6_000, most: 20_000 };
const SECOND_AGAIN_MS = 20_000;
const MAX_SECONDS = 10;

interface Status {
  status: string;
  substatus: string | null;
  deposit: { next: { transaction_request: { to: Hex; data: Hex } } | null } | null;
  poll_after_ms?: number;
}

interface Parts {
  time: SimulatedTime;
  random: Random;
  world: LoadWorld;
  causeway: SimulatedDeployment;
  copies: DepositCopies;
}

/** The users of a load and the strangers who disturb them. */
export class LoadUsers {
  readonly deposits: LoadDeposit[] = [];
  readonly counts = { polls: 0, reports: 0, lies: 0, abandons: 0, seconds: 0 };
  /** Number of API answers by what was asked and the status, if it is not 200. */
  readonly refusals = new Map<string, number>();
  readonly #of: Parts;
  readonly #byUser = new Map<Hex, LoadDeposit>();
  #over = false;

  constructor(of: Parts) {
    this.#of = of;
    of.world.onArrival = (arrival) => this.#arrived(arrival);
  }

  /** Builds `count` deposits, whose users send them soon. */
  async arrive(count: number): Promise<void> {
    const { time, random, copies } = this.#of;
    const built = Array.from({ length: count }, (_, index) => {
      const number = this.deposits.length + index;
      const copy = copies.copy(number, time.now);
      // Every kind on every chain is watched in every way.
      const round = Math.floor(number / kinds.length) + Math.floor(number / (kinds.length * 15));
      return { copy, watcher: watchers[round % watchers.length] ?? ("polled" as const) };
    });
    const inserted = time.real(() => copies.insert(built.map(({ copy }) => copy)));
    for (const { copy, watcher } of built) {
      const { template: _, ...own } = copy;
      const deposit: LoadDeposit = { ...own, watcher, sentHash: null };
      this.deposits.push(deposit);
      this.#byUser.set(deposit.user, deposit);
      time.at(time.now + SIGNING_MS.least + random.below(SIGNING_MS.most), () => this.#send(deposit));
    }
    await inserted;
  }

  /** Lets a stranger report a false transaction of somebody's deposit, or abandon it. */
  disturb(): void {
    const { random } = this.#of;
    const { deposits } = this;
    if (deposits.length === 0) return;
    const victim = deposits[deposits.length - 1 - random.below(Math.min(1_000, deposits.length))];
    const other = deposits[random.below(deposits.length)];
    if (victim === undefined) return;
    if (random.once(4)) {
      this.counts.abandons += 1;
      void this.#ask(`/v1/deposits/${victim.trackingId}/abandon`, { method: "PATCH" });
      return;
    }
    this.counts.lies += 1;
    const hash = (random.once(2) ? other?.sentHash : null) ?? inventedHash(random);
    void this.#report(victim, { hash, step: random.once(4) ? "deposit" : "source" });
  }

  /** Ends polling. */
  end(): void {
    this.#over = true;
  }

  #send(deposit: LoadDeposit): void {
    deposit.sentHash = this.#of.world.send(deposit);
    if (deposit.watcher === "polled") void this.#poll(deposit);
    if (deposit.watcher !== "reported") return;
    this.counts.reports += 1;
    void this.#report(deposit, { hash: deposit.sentHash, step: "source" });
  }

  async #poll(deposit: LoadDeposit): Promise<void> {
    const { time } = this.#of;
    const { sentHash, source, homeId } = deposit;
    const path = `/v1/status?tx_hash=${sentHash}&from_chain_id=${source.chainId}&to_chain_id=${homeId}`;
    const until = time.now + POLLING_MS;
    let wait = FIRST_POLL_MS;
    while (!this.#over && time.now < until) {
      await time.sleep(wait);
      this.counts.polls += 1;
      const body = (await this.#ask(path)) as Status | null;
      wait = body?.poll_after_ms ?? 5_000;
      if (body === null || wait === 0) wait = 5_000;
      if (body?.status === "DONE") return;
      const next = body?.deposit?.next ?? null;
      if (next === null || this.#of.world.hasSecond(deposit)) continue;
      this.#sendSecond(deposit, BigInt(slice(next.transaction_request.data, 4, 36)));
    }
  }

  /** A user whose token arrived deposits it, even if nobody else looks. */
  #arrived({ user, amount }: { user: Hex; amount: bigint }): void {
    const deposit = this.#byUser.get(user);
    if (deposit?.kind !== "two_step" || deposit.watcher === "polled") return;
    const { time, random } = this.#of;
    let tries = 0;
    const act = (): void => {
      tries += 1;
      if (!this.#of.world.hasSecond(deposit)) this.#sendSecond(deposit, amount);
      if (tries < MAX_SECONDS) time.at(time.now + SECOND_AGAIN_MS, act);
    };
    time.at(time.now + SECOND_MS.least + random.below(SECOND_MS.most), act);
  }

  #sendSecond(deposit: LoadDeposit, amount: bigint): void {
    const hash = this.#of.world.sendSecond(deposit, amount);
    this.counts.seconds += 1;
    if (deposit.watcher === "reported") void this.#report(deposit, { hash, step: "deposit" });
  }

  async #report({ trackingId }: LoadDeposit, of: { hash: Hex; step: string }): Promise<void> {
    const body = JSON.stringify({ tx_hash: of.hash, step: of.step });
    const headers = { "content-type": "application/json" };
    await this.#ask(`/v1/deposits/${trackingId}/tx`, { method: "PATCH", headers, body });
  }

  /** Sends an API request and returns the body if the status is 200, otherwise null. */
  async #ask(path: string, init?: RequestInit): Promise<unknown> {
    const { status, body } = await this.#of.causeway.send(path, init);
    if (status === 200) return body;
    const what = `${init?.method ?? "GET"} ${/^\/v1\/\w+|\/\w+$/.exec(path)?.[0]} ${status}`;
    this.refusals.set(what, (this.refusals.get(what) ?? 0) + 1);
    return null;
  }
}
