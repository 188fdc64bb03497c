import { erc4626Abi, isAddressEqual, parseEventLogs } from "viem";
import { BuiltWithdrawal } from "../../../src/schemas/withdraw-build-schema.ts";
import { execute, sampleAmount } from "../conformance/vaults/deposit.ts";
import type { Placed } from "../conformance/vaults/family.ts";
import { SentDeposit } from "../e2e/api.ts";
import type { Random } from "../flows/random.ts";
import { actForOther, sendShares } from "./for-others.ts";
import { confirm, Holder, type Sent } from "./holder.ts";
import type { InstantVault } from "./instant-vaults.ts";
import { pass, type RequestingVault } from "./requesting-vaults.ts";
import { checkBasis, checkUnindexed, describe, type Paid, type Seen, totalOf } from "./seen-positions.ts";

/** Amount by which rounding in one action may change the compared sums, in the asset's smallest unit. */
const ROUNDING = 4n;
/** Amount by which rounding in a move may change them, in two vaults and in the values of both positions. */
const ROUNDING_OF_MOVES = 8n;
/** Error codes with which the API may reject a move, besides those of `REFUSALS`. */
const MOVE_REFUSALS = ["below_minimum", "no_liquidity", "share_locked", "zero_shares"];
/** Error codes with which the API may reject an action of the schedule. */
const REFUSALS = [
  "nothing_to_withdraw",
  "request_pending",
  "cooldown",
  "withdrawal_state",
  "mode_unsupported",
];

/** Choices of a step in a schedule of cancellations: requests, claims, deposits, rises, settlements. */
const CANCELLING = [0, 0, 0, 4, 6, 6, 6, 7, 8, 9, 11];

/** One account of the schedule, with its expected state. */
interface Account extends Paid {
  holder: Holder;
  /** The same account at the vault into which shares are moved, and from which they are moved back. Null without one. */
  beside: Holder | null;
  sent: Sent[];
}

/**
 * Runs deposits, requests, claims, cancellations, settlements, share transfers, moves into a second vault and back, and
 * changes of time and price at one vault through the API. After each action, the sum of shares, open requests and
 * payments is compared with the sum before.
 */
export class WithdrawalSchedule {
  readonly events: string[] = [];
  readonly #kind: RequestingVault | InstantVault;
  readonly #placed: Placed;
  readonly #beside: Placed | null;
  readonly #random: Random;
  readonly #cancels: boolean;
  readonly #others: boolean;
  readonly #accounts: Account[] = [];

  /**
   * `beside`: a vault of the same asset that pays at once, into which shares are moved and back; null to move none.
   * `cancels`: true to cancel most of the requests. `others`: true to act for the other account, too.
   */
  constructor(of: {
    kind: RequestingVault | InstantVault;
    placed: Placed;
    beside: Placed | null;
    random: Random;
    cancels: boolean;
    others: boolean;
  }) {
    this.#kind = of.kind;
    this.#placed = of.placed;
    this.#beside = of.beside;
    this.#random = of.random;
    this.#cancels = of.cancels;
    this.#others = of.others;
  }

  get #mode(): "instant" | "request" {
    return this.#kind.mode === "instant" ? "instant" : "request";
  }

  async play(): Promise<void> {
    for (let index = 0; index < 2; index += 1) {
      const amount = sampleAmount(this.#placed.asset.decimals) + BigInt(this.#random.below(1_000_000));
      const holder = await Holder.with(this.#placed, amount);
      const start = await holder.held("asset");
      const beside = this.#beside === null ? null : holder.at(this.#beside);
      const account = { holder, beside, moved: 0n, start, sent: [], received: 0n };
      this.#accounts.push(account);
      await this.#deposit(account, amount / 2n);
    }
    await confirm(this.#placed);
    const steps = (this.#cancels ? 6 : 3) + this.#random.below(5);
    for (let step = 0; step < steps; step += 1) await this.#step(this.#random.pick(this.#accounts));
    await this.#leave();
  }

  async #step(account: Account): Promise<void> {
    // Two requests of one second would be one to a vault that numbers them by their time.
    await pass(this.#placed, 1);
    const before = await this.#seen();
    if (this.#others && this.#random.once(3)) await this.#actForOther(account);
    const choice = this.#cancels ? this.#random.pick(CANCELLING) : this.#random.below(this.#beside ? 15 : 12);
    if (choice < 4) await this.#request(account);
    else if (choice < 6) await this.#follow(account, "claim");
    else if (choice === 6) await this.#follow(account, "cancel");
    else if (choice === 7) await this.#deposit(account, 1n + BigInt(this.#random.below(50_000_000)));
    else if (choice === 8) await this.#transfer(account);
    else if (choice === 9) return this.#reprice();
    else if (choice === 10) await this.#pass();
    else if (choice === 11) await this.#settle(account);
    else await this.#move(account, choice === 14 ? "back" : "there");
    await this.#checkBasis(null, checkUnindexed);
    await confirm(this.#placed);
    await this.#compare(before, choice > 11 ? ROUNDING_OF_MOVES : ROUNDING);
  }

  /** Does something for the other account. What that is paid, or what is deposited for it, counts for it or this one. */
  async #actForOther(account: Account): Promise<void> {
    const other = this.#accounts.find((one) => one !== account) ?? account;
    const { did, given } = await actForOther({ ...account, other: other.holder }, this.#random);
    this.#note(account, `for ${other.holder.address.slice(0, 6)}: ${did}`);
    account.start -= given;
    other.start += given;
  }

  /** Moves some or all shares into the vault beside, or back. */
  async #move(account: Account, way: "there" | "back"): Promise<void> {
    const { holder, beside } = account;
    if (beside === null) return;
    const [from, into] = way === "there" ? [holder, beside] : [beside, holder];
    const held = await from.held("share");
    if (held === 0n) return;
    const part = this.#random.once(3) ? held : (held * BigInt(1 + this.#random.below(90))) / 100n;
    this.#note(account, `moves ${part} of ${held} ${way}`);
    const answer = await from.askMove(part || 1n, into.placed);
    if (answer.status !== 200) return this.#refused(answer.body, MOVE_REFUSALS);
    const { logs } = await execute(this.#placed, { user: from.user, built: SentDeposit.parse(answer.body) });
    const own = logs.filter(({ address }) => isAddressEqual(address, beside.placed.vault));
    const eventName = way === "there" ? "Deposit" : "Withdraw";
    const [event] = parseEventLogs({ abi: erc4626Abi, eventName, logs: own });
    if (event === undefined) throw new Error("the vault beside has no event of the move");
    account.moved += way === "there" ? event.args.assets : -event.args.assets;
  }

  async #deposit(account: Account, amount: bigint): Promise<void> {
    if ((await account.holder.held("asset")) < amount) return;
    this.#note(account, `deposits ${amount}`);
    await account.holder.deposit(amount);
  }

  async #request(account: Account): Promise<void> {
    const held = await account.holder.held("share");
    const all = this.#random.once(3);
    const most = held > 1n ? held - 1n : 1n;
    const part = this.#random.once(8) ? most : (held * BigInt(1 + this.#random.below(90))) / 100n || 1n;
    this.#note(account, `requests ${all ? "all" : part} of ${held}`);
    const answer = await account.holder.ask(all ? "all" : part, { mode: this.#mode });
    const isDust = (all ? held : part) < 1_000n;
    if (answer.status !== 200) return this.#refused(answer.body, isDust ? ["below_minimum"] : []);
    if (!all && this.#random.once(4)) return this.#sendForeign(account, part);
    await this.#send(account, answer.body);
    const left = await account.holder.held("share");
    if (all && this.#kind.inWallet !== true && left !== 0n) throw new Error(`all leaves ${left} shares`);
  }

  /** Sends the vault's own call instead of the built one, as another application would. */
  async #sendForeign(account: Account, shares: bigint): Promise<void> {
    this.#note(account, "… by the vault's own call");
    await account.holder.sendForeign(shares, { mode: this.#kind.mode });
  }

  /** Sends a built request and asks for the status of its hash, by which tracking finds the transaction. */
  async #send(account: Account, answer: Record<string, unknown>): Promise<void> {
    const built = BuiltWithdrawal.parse(answer);
    const hash = await account.holder.sign(built);
    account.sent.push({ built, hash });
    await confirm(this.#placed);
    await account.holder.status(hash);
  }

  async #follow(account: Account, action: "claim" | "cancel"): Promise<void> {
    const requests = (await account.holder.position())?.requests ?? [];
    if (requests.length === 0) return;
    const request = this.#random.pick(requests);
    this.#note(account, `${action}s ${request.request_id} (${request.state})`);
    const answer = await account.holder.askAbout(action, request.request_id);
    const pushed = action === "claim" && this.#kind.pushes === true;
    const due = action === "claim" ? request.state === "claimable" && !pushed : request.cancellable;
    if (answer.status === 200) await account.holder.follow(action, request.request_id);
    else if (due) throw new Error(`${action} of what is due: ${JSON.stringify(answer.body)}`);
    else this.#refused(answer.body);
  }

  async #transfer(account: Account): Promise<void> {
    const other = this.#accounts.find((one) => one !== account);
    // Some shares cannot be transferred, or are locked by a request.
    if (other === undefined || this.#kind.inWallet === true) return;
    const { did, kept } = await sendShares({ ...account, other: other.holder }, this.#random);
    this.#note(account, `sends ${did}`);
    account.received -= kept;
    other.received += kept;
  }

  async #reprice(): Promise<void> {
    if (this.#kind.reprice === undefined) return;
    const percent = this.#random.pick([99n, 101n, 101n]);
    this.events.push(`the price goes to ${percent} %`);
    await this.#kind.reprice(this.#placed, percent);
    await confirm(this.#placed);
    await this.#checkBasis();
  }

  async #pass(): Promise<void> {
    const seconds = 60 + this.#random.below(4_000);
    this.events.push(`${seconds} s pass`);
    await pass(this.#placed, seconds);
  }

  async #settle({ holder }: Account, { inParts } = { inParts: true }): Promise<void> {
    const requests = (await holder.position())?.requests ?? [];
    if (requests.length === 0) return;
    const [first] = requests;
    // Where a vault does not name the shares, its assets are about as many.
    const part = BigInt(first?.shares ?? first?.assets ?? "0");
    const { settlePart } = this.#kind;
    const divisible = inParts && first?.state === "pending" && part > 1n;
    if (settlePart !== undefined && divisible && this.#random.once(2)) {
      this.events.push(`${holder.address.slice(0, 6)}: ${part / 2n} shares are settled`);
      return settlePart(this.#placed, { user: holder.address, shares: part / 2n });
    }
    this.events.push(`${holder.address.slice(0, 6)}: all is settled`);
    const requestIds = requests.map(({ request_id: id }) => id);
    await this.#kind.settle(this.#placed, { user: holder.address, requestIds });
  }

  /**
   * Redeems everything: all shares are requested, settled and claimed. Nothing may be left, and every record must have
   * ended.
   */
  async #leave(): Promise<void> {
    for (const account of this.#accounts) await this.#leaveBeside(account);
    for (const account of this.#accounts)
      for (let round = 0; round < 6 && !(await this.#gone(account)); round += 1) {
        await pass(this.#placed, 1);
        const before = await this.#seen();
        // Parts only at first: each settles half of what is left, and the rounds would end before all is settled.
        await this.#settle(account, { inParts: round < 2 });
        await confirm(this.#placed);
        await this.#compare(before);
        await this.#claimDue(account);
        const held = await account.holder.held("share");
        const open = (await account.holder.position())?.requests ?? [];
        if (held > 0n && open.length === 0) await this.#requestRest(account);
      }
    for (const account of this.#accounts) {
      if (!(await this.#gone(account)))
        throw new Error(`not gone: ${JSON.stringify(await account.holder.position())}`);
      for (const sent of account.sent) await this.#checkRecord(account, sent);
    }
  }

  /** Redeems what was moved, at once. */
  async #leaveBeside(account: Account): Promise<void> {
    const { beside } = account;
    const held = (await beside?.held("share")) ?? 0n;
    if (beside === null || held === 0n) return;
    const before = await this.#seen();
    this.#note(account, `leaves the vault beside with ${held}`);
    const answer = await beside.ask("all", { mode: "instant" });
    if (answer.status !== 200) throw new Error(`beside: ${JSON.stringify(answer.body)}`);
    const paid = await beside.held("asset");
    await beside.sign(BuiltWithdrawal.parse(answer.body));
    account.moved -= (await beside.held("asset")) - paid;
    await confirm(this.#placed);
    await this.#compare(before);
  }

  async #gone({ holder }: Account): Promise<boolean> {
    return (await holder.held("share")) === 0n && (await holder.position()) === null;
  }

  async #claimDue(account: Account): Promise<void> {
    for (const request of (await account.holder.position())?.requests ?? []) {
      if (request.state !== "claimable" || this.#kind.pushes === true) continue;
      const before = await this.#seen();
      this.#note(account, `claims ${request.request_id} at the end`);
      await account.holder.follow("claim", request.request_id);
      await confirm(this.#placed);
      await this.#compare(before);
    }
  }

  async #requestRest(account: Account): Promise<void> {
    this.#note(account, "requests the rest");
    const answer = await account.holder.ask("all", { mode: this.#mode });
    if (answer.status !== 200) return this.#dust(account, answer.body);
    await this.#send(account, answer.body);
  }

  /** Gives away an amount that is too small for the vault to redeem, so that the schedule can end. */
  async #dust(account: Account, problem: Record<string, unknown>): Promise<void> {
    const held = await account.holder.held("share");
    if (problem["code"] !== "below_minimum" && problem["code"] !== "nothing_to_withdraw")
      throw new Error(`the rest of ${held} is refused: ${JSON.stringify(problem)}`);
    await account.holder.transfer("0x00000000000000000000000000000000000dead1", held);
  }

  async #checkRecord({ holder }: Account, { built, hash }: Sent): Promise<void> {
    const status = await holder.status(hash);
    // Of equal builds, a transaction may be either's.
    const record = await holder.record(status.withdrawal?.tracking_id ?? built.tracking_id);
    if (!["completed", "cancelled", "partial"].includes(record.state))
      throw new Error(`${built.tracking_id} of ${hash} ends as ${record.state}: ${JSON.stringify(status)}`);
    if (status.status !== "DONE") throw new Error(`${hash} is ${status.status}`);
  }

  async #seen(): Promise<Seen[]> {
    return Promise.all(
      this.#accounts.map(async ({ holder, beside }) => ({
        position: await holder.position(),
        beside: (await beside?.position()) ?? null,
        wallet: await holder.held("asset"),
      })),
    );
  }

  /** Compares the sums of shares, open requests and payments with those before an action that changes no price. */
  async #compare(before: readonly Seen[], rounding = ROUNDING): Promise<void> {
    const after = await this.#seen();
    const [was, is] = [totalOf(before), totalOf(after)];
    const missed = was > is ? was - is : is - was;
    if (missed > rounding)
      throw new Error(`${was} before, ${is} now: ${describe(before)} → ${describe(after)}`);
    await this.#checkBasis(after);
  }

  async #checkBasis(given: readonly Seen[] | null = null, check = checkBasis): Promise<void> {
    for (const [index, seen] of (given ?? (await this.#seen())).entries()) {
      const account = this.#accounts[index];
      if (account !== undefined) check(seen, account);
    }
  }

  #refused(problem: Record<string, unknown>, also: readonly string[] = []): void {
    const code = String(problem["code"]);
    this.events.push(`  refused: ${code}`);
    if (![...REFUSALS, ...also].includes(code)) throw new Error(`refused: ${JSON.stringify(problem)}`);
  }

  #note({ holder }: Account, what: string): void {
    this.events.push(`${holder.address.slice(0, 6)} ${what}`);
  }
}
