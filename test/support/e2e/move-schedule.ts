import { type Address, erc4626Abi, type Hex, parseEventLogs } from "viem";
import type { StackVault } from "../../../scripts/stack/manifest.ts";
import type { TransferStatus } from "../../../src/schemas/deposit-schema.ts";
import type { Position } from "../../../src/schemas/position-schema.ts";
import type { Random } from "../flows/random.ts";
import { Api, type SentDeposit } from "./api.ts";
import { balanceOf } from "./balances.ts";
import { addressOf, chainOf, give, mined, tokenOn } from "./chain.ts";
import { fireCron } from "./cron.ts";
import { settled } from "./settled.ts";
import { type Signable, signDeposit } from "./sign-deposit.ts";
import { statusOf } from "./track.ts";
import {
  DELIVERY_POLLING,
  type MultiChainUser,
  newMultiChainUser,
  sharesOf,
  signSecond,
} from "./transfer.ts";

/** What an account put into a vault and took out of it, by the vault's own events. */
interface Side {
  vault: StackVault;
  putIn: bigint;
}

/** A move across chains whose second step is not sent yet. */
interface Open {
  hash: Hex;
  from: Side;
  to: Side;
  trackingId: string;
}

/** Positions of both vaults, in their order; null where the API shows none. */
type Positions = (Position | null)[];

const MILLION = 1_000_000n;
/** Amount by which rounding in the values of both positions may change the compared sum. */
const ROUNDING = 8n;
/** Amount by which rounding may change the value of one position. */
const ROUNDING_OF_VALUE = 2n;

/**
 * Moves shares between two vaults of one asset on two chains, with deposits and withdrawals between, through the API
 * alone. After each action, wallets, the values of both positions and what bridges kept must be what went in and the
 * yield, and the deposited sums of the positions what the vaults' events say.
 */
export class MoveSchedule {
  readonly events: string[] = [];
  readonly #api = new Api();
  readonly #sides: readonly [Side, Side];
  readonly #random: Random;
  readonly #open: Open[] = [];
  readonly #moved: string[] = [];
  #traveller: MultiChainUser | null = null;
  #start = 0n;
  /** What bridges kept. */
  #kept = 0n;

  constructor({ vaults, random }: { vaults: readonly [StackVault, StackVault]; random: Random }) {
    this.#sides = [
      { vault: vaults[0], putIn: 0n },
      { vault: vaults[1], putIn: 0n },
    ];
    this.#random = random;
  }

  get #user(): MultiChainUser {
    if (this.#traveller === null) throw new Error("the schedule has not begun");
    return this.#traveller;
  }

  async play(): Promise<void> {
    const chains = this.#sides.map(({ vault }) => chainOf(vault.chain_id));
    this.#traveller = await newMultiChainUser(chains);
    for (const chain of chains) {
      const amount = 400n * MILLION + BigInt(this.#random.below(1_000_000));
      await give(chain, { user: this.#user.on(chain), symbol: "USDC", amount });
      this.#start += amount;
    }
    await this.#deposit(this.#random.pick(this.#sides));
    const steps = 4 + this.#random.below(4);
    for (let step = 0; step < steps; step += 1) await this.#step();
    await this.#leave();
  }

  async #step(): Promise<void> {
    const from = this.#random.pick(this.#sides);
    const choice = this.#random.below(8);
    if (choice === 0) await this.#deposit(from);
    else if (choice === 1) await this.#withdraw(from, this.#random.once(3));
    else if (choice < 4 && this.#open.length > 0) await this.#finish();
    else await this.#move(from);
    await this.#compare();
  }

  async #deposit(side: Side): Promise<void> {
    const most = await this.#wallet(side);
    const amount = (most * BigInt(20 + this.#random.below(60))) / 100n;
    if (amount < MILLION) return;
    this.events.push(`deposits ${amount} in ${side.vault.name}`);
    const chain = chainOf(side.vault.chain_id);
    const built = await this.#api.build({
      ...{ from_chain_id: chain.chainId, from_token: tokenOn(chain, "USDC"), from_amount: String(amount) },
      ...{ vault_id: side.vault.vault_id, user_address: this.#user.address },
    });
    await this.#sign(side, built);
  }

  async #withdraw(side: Side, all: boolean): Promise<void> {
    const held = await sharesOf(side.vault, this.#user.address);
    if (held === 0n) return;
    const shares = all || !(await this.#isWorthSome(side)) ? held : this.#part(held);
    this.events.push(`withdraws ${shares} of ${held} from ${side.vault.name}`);
    const body = { vault_id: side.vault.vault_id, user_address: this.#user.address };
    const built = await this.#api.withdraw({ ...body, shares: shares === held ? "all" : String(shares) });
    await this.#sign(side, built);
  }

  /** Moves some or all shares to the other chain, and waits for the delivery. */
  async #move(from: Side): Promise<void> {
    const to = from === this.#sides[0] ? this.#sides[1] : this.#sides[0];
    if (!(await this.#isWorthSome(from))) return;
    const held = await sharesOf(from.vault, this.#user.address);
    const shares = this.#random.once(3) ? held : this.#part(held);
    this.events.push(`moves ${shares} of ${held} from ${from.vault.name} to ${to.vault.name}`);
    const built = await this.#api.build({
      ...{ from_chain_id: from.vault.chain_id, from_token: from.vault.share_token },
      ...{ from_amount: String(shares), vault_id: to.vault.vault_id, user_address: this.#user.address },
    });
    if (!built.two_step) throw new Error("a move across chains takes two steps");
    const [before, arrived, sent] = [await this.#wallet(from), await this.#wallet(to), from.putIn];
    const hash = await this.#sign(from, built);
    // The bridge takes a fixed amount; what the vault paid beyond it stays on this chain.
    const rest = (await this.#wallet(from)) - before;
    const least = arrived + BigInt(built.estimate.to_amount_min);
    const wanted = (now: bigint) => now >= least;
    const now = await settled(() => this.#wallet(to), { ...DELIVERY_POLLING, wanted });
    const kept = sent - from.putIn - rest - (now - arrived);
    if (kept < 0n) throw new Error(`${now - arrived} arrived of ${sent - from.putIn - rest}`);
    this.#kept += kept;
    this.#open.push({ hash, from, to, trackingId: built.tracking_id });
    this.#moved.push(built.tracking_id);
  }

  /** Deposits what one of the moves delivered. */
  async #finish(): Promise<void> {
    const one = this.#random.pick(this.#open);
    this.events.push(`deposits what a move delivered in ${one.to.vault.name}`);
    const chain = chainOf(one.to.vault.chain_id);
    const status = () => statusOf(one.hash, one.from.vault.chain_id, chain.chainId);
    // The wallet may have used what was delivered for another deposit.
    const isGone = ({ deposit }: TransferStatus) => deposit?.next_refusal?.code === "balance_insufficient";
    const wanted = (now: TransferStatus) => (now.deposit?.next ?? null) !== null || isGone(now);
    const next = (await settled(status, { ...DELIVERY_POLLING, wanted })).deposit?.next ?? null;
    if (next === null) return void this.events.push("  refused: it is no longer held");
    const hash = await signSecond(chain, { user: this.#user.on(chain), second: next });
    await this.#book(one.to, hash);
    this.#open.splice(this.#open.indexOf(one), 1);
  }

  /** Finishes what can be finished and redeems everything; nothing may be left but what bridges kept. */
  async #leave(): Promise<void> {
    for (const side of this.#sides) await this.#withdraw(side, true);
    for (let round = this.#open.length; round > 0; round -= 1) await this.#finish();
    for (const side of this.#sides) await this.#withdraw(side, true);
    await this.#compare();
    for (const { vault } of this.#sides)
      if ((await sharesOf(vault, this.#user.address)) !== 0n) throw new Error(`${vault.name}: shares left`);
    const unfinished = new Set(this.#open.map(({ trackingId }) => trackingId));
    for (const id of this.#moved) {
      const end = unfinished.has(id) ? "awaiting_deposit" : "completed";
      const wanted = ({ state }: { state: string }) => state === end;
      await settled(() => this.#api.deposit(id), { ...DELIVERY_POLLING, wanted });
    }
  }

  /** Signs a build on a vault's chain and books what its events say. */
  async #sign(side: Side, built: Signable | SentDeposit): Promise<Hex> {
    const chain = chainOf(side.vault.chain_id);
    const hash = await signDeposit(chain, { user: this.#user.on(chain), built, style: "calls" });
    await this.#book(side, hash);
    return hash;
  }

  async #book(side: Side, hash: Hex): Promise<void> {
    const { logs } = await mined(chainOf(side.vault.chain_id), hash);
    const events = parseEventLogs({ abi: erc4626Abi, logs, eventName: ["Deposit", "Withdraw"] });
    for (const { address, eventName, args } of events)
      if (address.toLowerCase() === addressOf(side.vault).toLowerCase())
        side.putIn += eventName === "Deposit" ? args.assets : -args.assets;
  }

  async #compare(): Promise<void> {
    const positions = await this.#positions();
    const wallets = await Promise.all(this.#sides.map((side) => this.#wallet(side)));
    const values = positions.map((one) => BigInt(one?.current_assets ?? 0));
    const earned = positions.map((one) => BigInt(one?.yield_assets ?? 0));
    const sumOf = (amounts: readonly bigint[]) => amounts.reduce((sum, amount) => sum + amount, 0n);
    // What a vault keeps by rounding, or has paid as yield, leaves the books when nothing is held any more.
    const gone = this.#sides.map(({ putIn }, index) => (positions[index] === null ? -putIn : 0n));
    const is = sumOf(wallets) + sumOf(values) + this.#kept;
    const due = this.#start + sumOf(earned) + sumOf(gone);
    const missed = is > due ? is - due : due - is;
    if (missed > ROUNDING) throw new Error(`${is} instead of ${due}: ${JSON.stringify(positions)}`);
  }

  /** Returns both positions, once the flows of every booked transaction are indexed. Their values are the vaults' own. */
  async #positions(): Promise<Positions> {
    const read = async () => {
      await fireCron("* * * * *");
      const least = await this.#worth();
      const { positions } = await this.#api.positions(this.#user.address);
      const found = this.#sides.map(
        ({ vault }) =>
          positions.find(({ vault_id: id }) => id.toLowerCase() === vault.vault_id.toLowerCase()) ?? null,
      );
      requireBetween(found, { least, most: await this.#worth() });
      return found;
    };
    const wanted = (now: Positions) =>
      now.every((one, index) => one === null || one.deposited_assets === String(this.#sides[index]?.putIn));
    return settled(read, { ...DELIVERY_POLLING, wanted });
  }

  /** Returns what the shares in both vaults are worth by the vaults' own views; values accrue, and never fall. */
  #worth(): Promise<bigint[]> {
    return Promise.all(this.#sides.map((side) => this.#worthOf(side)));
  }

  async #worthOf({ vault }: Side): Promise<bigint> {
    const shares = await sharesOf(vault, this.#user.address);
    const on = { address: addressOf(vault), abi: erc4626Abi, functionName: "convertToAssets" } as const;
    return chainOf(vault.chain_id).client.readContract({ ...on, args: [shares] });
  }

  /** Returns true if the shares are worth at least one whole unit of the asset. */
  async #isWorthSome(side: Side): Promise<boolean> {
    return (await this.#worthOf(side)) >= MILLION;
  }

  #wallet({ vault }: Side): Promise<bigint> {
    const chain = chainOf(vault.chain_id);
    return balanceOf(chain, { token: tokenOn(chain, "USDC") as Address, owner: this.#user.address });
  }

  #part(held: bigint): bigint {
    return (held * BigInt(10 + this.#random.below(80))) / 100n;
  }
}

/** Throws if a position's value is outside what the vault's views said before and after; none is worth nothing. */
function requireBetween(
  positions: Positions,
  { least, most }: { least: readonly bigint[]; most: readonly bigint[] },
): void {
  for (const [index, one] of positions.entries()) {
    const value = BigInt(one?.current_assets ?? 0);
    const [low, high] = [least[index] ?? 0n, most[index] ?? 0n];
    if (value + ROUNDING_OF_VALUE < low || value > high + ROUNDING_OF_VALUE)
      throw new Error(`a value of ${value} is not from ${low} to ${high}: ${JSON.stringify(positions)}`);
  }
}
