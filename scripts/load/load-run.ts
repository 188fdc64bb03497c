import type { Address, Hex } from "viem";
import { z } from "zod";
import { sendRequest } from "../smoke/http-request.ts";
import { allow, fundUsers, type Journey, type LoadUser, loadUser, usualSpenders } from "./journeys.ts";
import type { LoadChain } from "./load-chain.ts";

const Call = z.object({ to: z.string(), data: z.string(), value: z.string() });
const Approval = z.object({ spender_address: z.string(), amount: z.string() });
const Built = z.object({
  tracking_id: z.string(),
  two_step: z.boolean(),
  transaction_request: Call,
  approval: Approval.nullable(),
  deposit_tx: z.object({ transaction_request: Call, approval: Approval.nullable() }).nullable(),
});

/** What a user does after sending a deposit: polls it, reports it, or nothing. */
export const watchers = ["polled", "reported", "left alone"] as const;

type Watcher = (typeof watchers)[number];

/** A sent deposit of the load, with the hashes of its source transaction and, once sent, of its second step. */
export interface LoadDeposit {
  user: LoadUser;
  trackingId: string;
  watcher: Watcher;
  source: Hex;
  second: Hex | null;
}

/** Parameters of the load; `seconds` is its duration, and the chains are by id. */
export interface LoadPlan {
  api: string;
  chains: ReadonlyMap<number, LoadChain>;
  journeys: readonly Journey[];
  /** Deposits per second. */
  rate: number;
  seconds: number;
}

/** Number of users that are funded at once. */
const FUNDED_AT_ONCE = 500;
const MAX_BUILDING = 24;
const POLL_MS = 4_000;

/** Sends deposits at a constant rate, each followed by its user's actions. */
export class LoadRun {
  readonly #plan: LoadPlan;
  readonly deposits: LoadDeposit[] = [];
  readonly refusals = new Map<string, number>();
  /** Deposits for which actions of the user are pending. */
  readonly #open = new Set<Promise<void>>();
  #building = 0;
  #funded = 0;
  /** Number of deposits that were delayed because the machine is too slow for the rate. */
  late = 0;
  over = false;

  constructor(plan: LoadPlan) {
    this.#plan = plan;
  }

  /** Builds one unsent deposit of each journey and returns the tracking ids; refused ones are left out. */
  async buildUnsent(): Promise<string[]> {
    const users = this.#plan.journeys.map((_, number) => loadUser(number, this.#plan.journeys));
    await fundUsers(users);
    this.#funded = users.length;
    const built = await Promise.all(users.map((user) => this.#build(user)));
    return built.flatMap((one) => (one === null ? [] : [one.tracking_id]));
  }

  /**
   * Funds all users of the run. To be called before the chains are disturbed: a reorg takes funds away, and anvil refuses
   * to deal tokens while it reorganizes.
   */
  async fundAll(): Promise<void> {
    await this.#fund(this.#last);
  }

  /** Number of the last user of the run, plus one. */
  get #last(): number {
    const { rate, seconds, journeys } = this.#plan;
    return journeys.length + Math.round(rate * seconds);
  }

  /** Runs until the time is over. All users must be funded. */
  async run(): Promise<void> {
    const { rate, seconds, journeys } = this.#plan;
    const startedAt = Date.now();
    const first = journeys.length;
    for (let number = first; number < this.#last; number += 1) {
      const dueAt = startedAt + ((number - first) * 1000) / rate;
      const wait = dueAt - Date.now();
      if (wait > 0) await sleep(wait);
      if (wait < -1_000) this.late += 1;
      while (this.#building >= MAX_BUILDING) await sleep(5);
      if (Date.now() - startedAt > 2_000 * seconds + 60_000) break;
      this.#begin(loadUser(number, journeys));
    }
  }

  /** Sends deposits without a rate limit until the given number was sent. */
  async sendUntil(count: number): Promise<void> {
    const { journeys } = this.#plan;
    const last = journeys.length + count;
    await this.#fund(last);
    for (let number = journeys.length + this.deposits.length; number < last; number += 1) {
      while (this.#building >= MAX_BUILDING) await sleep(5);
      this.#begin(loadUser(number, journeys), "left alone");
    }
    await Promise.all(this.#open);
  }

  /** Waits for the users' remaining actions and ends polling. */
  async finish(): Promise<void> {
    this.over = true;
    await Promise.all(this.#open);
  }

  async #fund(until: number): Promise<void> {
    while (this.#funded < until) {
      const users: LoadUser[] = [];
      for (; this.#funded < until && users.length < FUNDED_AT_ONCE; this.#funded += 1)
        users.push(loadUser(this.#funded, this.#plan.journeys));
      await fundUsers(users);
    }
  }

  #begin(user: LoadUser, watcher = this.#watcherOf(user)): void {
    const work = this.#deposit(user, watcher).catch((error: unknown) => {
      const [text] = String(error).split("\n");
      this.#count(`${user.journey.name}: ${text?.slice(0, 160)}`);
    });
    this.#open.add(work);
    void work.finally(() => this.#open.delete(work));
  }

  #watcherOf({ number }: LoadUser): Watcher {
    return watchers[Math.floor(number / this.#plan.journeys.length) % watchers.length] ?? "polled";
  }

  #count(what: string): void {
    this.refusals.set(what, (this.refusals.get(what) ?? 0) + 1);
  }

  async #build(user: LoadUser): Promise<z.infer<typeof Built> | null> {
    const { journey, address, amount } = user;
    this.#building += 1;
    const body = {
      ...{ from_chain_id: journey.from.chain_id, from_token: journey.token, from_amount: amount.toString() },
      ...{ vault_id: journey.vault.vault_id, user_address: address, slippage: 0.02 },
    };
    const answer = await sendRequest(`${this.#plan.api}/v1/quote/build`, { body }).finally(() => {
      this.#building -= 1;
    });
    if (answer.status !== 200) {
      this.#count(`build ${journey.name}: ${answer.status} ${answer.text.slice(0, 160)}`);
      return null;
    }
    const built = Built.parse(JSON.parse(answer.text));
    if (built.two_step === journey.twoStep) return built;
    this.#count(`build ${journey.name}: two_step is ${built.two_step}`);
    return null;
  }

  async #deposit(user: LoadUser, watcher: Watcher): Promise<void> {
    const built = await this.#build(user);
    if (built === null) return;
    const { journey, address: from } = user;
    const spender = built.approval?.spender_address.toLowerCase();
    const usual = usualSpenders(journey).map((known) => known.toLowerCase());
    if (spender !== undefined && !usual.includes(spender))
      await allow(journey.from, { owner: from, spender, token: journey.token });
    const source = await this.#send(journey.from.chain_id, { from, ...built.transaction_request });
    const deposit: LoadDeposit = { user, trackingId: built.tracking_id, watcher, source, second: null };
    this.deposits.push(deposit);
    if (watcher === "reported") await this.#report(deposit, { tx_hash: source, step: "source" });
    const polling = watcher === "polled" ? this.#poll(deposit) : null;
    if (built.deposit_tx !== null) await this.#secondStep(deposit, built.deposit_tx);
    await polling;
  }

  #send(chainId: number, call: { from: string; to: string; data: string; value: string }): Promise<Hex> {
    const chain = this.#plan.chains.get(chainId);
    if (chain === undefined) throw new RangeError(`no chain ${chainId}`);
    return chain.send(call as { from: Address; to: Address; data: Hex; value: string });
  }

  async #secondStep(
    deposit: LoadDeposit,
    second: NonNullable<z.infer<typeof Built>["deposit_tx"]>,
  ): Promise<void> {
    const { address, journey } = deposit.user;
    const chain = this.#plan.chains.get(journey.to.chain_id);
    const token = journey.to.contracts.tokens.USDC.address;
    const least = BigInt(second.approval?.amount ?? "1");
    for (const givenUpAt = Date.now() + 180_000; Date.now() < givenUpAt; await sleep(1_000)) {
      const held = (await chain?.balances(token, [address]))?.get(address.toLowerCase()) ?? 0n;
      if (held < least) continue;
      // A block later, so that a reorganisation rarely takes what it spends.
      await sleep(1_000);
      deposit.second = await this.#send(journey.to.chain_id, {
        from: address,
        ...second.transaction_request,
      });
      if (deposit.watcher === "reported")
        await this.#report(deposit, { tx_hash: deposit.second, step: "deposit" });
      return;
    }
  }

  async #report({ trackingId }: LoadDeposit, body: object): Promise<void> {
    const url = `${this.#plan.api}/v1/deposits/${trackingId}/tx`;
    const { status, text } = await sendRequest(url, { method: "PATCH", body });
    if (status !== 200) this.#count(`report: ${status} ${text.slice(0, 120)}`);
  }

  async #poll({ source, user }: LoadDeposit): Promise<void> {
    const { from, to } = user.journey;
    const query = `tx_hash=${source}&from_chain_id=${from.chain_id}&to_chain_id=${to.chain_id}`;
    while (!this.over) {
      await sleep(POLL_MS);
      const { status, text } = await sendRequest(`${this.#plan.api}/v1/status?${query}`);
      if (status !== 200) this.#count(`status: ${status}`);
      else if ((JSON.parse(text) as { status: string }).status === "DONE") return;
    }
  }
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
