import type { Address, Hex } from "viem";
import { vaultOf } from "../../../scripts/bench/vault-row.ts";
import type { ChainLog } from "../../../src/chains/chain-logs.ts";
import { erc4626 } from "../../../src/vaults/families/erc4626-family.ts";
import type { Random } from "./random.ts";

/** Number of blocks after which a block is final. */
export const FINALITY = 64;

export interface Event {
  txHash: Hex;
  vault: Address;
  user: Address;
  assets: bigint;
  withdrawal: boolean;
}

export interface Block {
  number: number;
  hash: Hex;
  parent: Block | null;
  logs: readonly ChainLog[];
}

const hex = (value: number | bigint, bytes: number): string => value.toString(16).padStart(bytes * 2, "0");
const [DEPOSIT = "0x", WITHDRAW = "0x"] = erc4626.flows(vaultOf({ number: 1 })).topics;

/** A chain that grows and reorganizes, never deeper than `FINALITY`. */
export class World {
  readonly random: Random;
  readonly vaults: readonly Address[];
  /** The current chain. */
  blocks: Block[] = [];
  /** Every block that ever existed, by its hash. */
  readonly known = new Map<string, Block>();
  #made: number;

  /** Worlds with different values of `origin` have no block or event in common. */
  constructor(random: Random, vaults: readonly Address[], origin = 0) {
    this.random = random;
    this.vaults = vaults;
    this.#made = origin;
    this.blocks.push(this.#block(0, []));
  }

  get head(): Block {
    const head = this.blocks.at(-1);
    if (head === undefined) throw new RangeError("an empty chain");
    return head;
  }

  get final(): number {
    return Math.max(0, this.head.number - FINALITY);
  }

  /** Appends blocks, some of them with new events. */
  mine(count: number): void {
    for (let mined = 0; mined < count; mined += 1) {
      const events = this.random.once(3)
        ? Array.from({ length: 1 + this.random.below(3) }, () => this.#event())
        : [];
      this.blocks.push(this.#block(this.blocks.length, events));
    }
  }

  /** Returns the ancestor with this number of a block that exists or existed. Null if unknown. */
  ancestor(head: { hash: string }, number: number): Block | null {
    let block = this.known.get(head.hash) ?? null;
    while (block !== null && block.number > number) block = block.parent;
    return block?.number === number ? block : null;
  }

  /** Replaces the newest blocks by at least as many others. Their events vanish, stay, or move to other blocks. */
  reorg(depth: number): void {
    const replaced = this.blocks.splice(this.blocks.length - Math.min(depth, this.blocks.length - 1));
    let waiting = replaced.flatMap(({ logs }) => logs.map(eventOf)).filter(() => !this.random.once(4));
    const length = replaced.length + this.random.below(3);
    for (let mined = 0; mined < length; mined += 1) {
      const now = mined === length - 1 ? waiting : waiting.filter(() => this.random.once(3));
      waiting = waiting.filter((event) => !now.includes(event));
      const added = this.random.once(4) ? [this.#event()] : [];
      this.blocks.push(this.#block(this.blocks.length, [...added, ...now]));
    }
  }

  #event(): Event {
    this.#made += 1;
    return {
      txHash: `0x${hex(this.#made, 32)}`,
      vault: this.random.pick(this.vaults),
      user: `0x${hex(0xa000 + this.random.below(4), 20)}`,
      assets: BigInt(1 + this.random.below(1000)),
      withdrawal: this.random.once(3),
    };
  }

  #block(number: number, events: readonly Event[]): Block {
    this.#made += 1;
    const hash: Hex = `0x${hex(0xb10c, 4)}${hex(this.#made, 28)}`;
    // A transaction may make more than one event; other contracts' events take indices too.
    const logs = events.map((event, index) => toLog(event, { number, hash, logIndex: index * 2 }));
    const block = { number, hash, parent: this.blocks[number - 1] ?? null, logs };
    this.known.set(hash, block);
    return block;
  }
}

const topic = (address: string): Hex => `0x${address.slice(2).padStart(64, "0")}`;

/** Returns an event as the log of an ERC-4626 vault that nodes return. */
export function toLog(event: Event, at: { number: number; hash: Hex; logIndex: number }): ChainLog {
  const { user, assets } = event;
  const topics: ChainLog["topics"] = event.withdrawal
    ? [WITHDRAW as Hex, topic(user), topic(user), topic(user)]
    : [DEPOSIT as Hex, topic(user), topic(user)];
  return {
    address: event.vault,
    topics,
    data: `0x${hex(assets, 32)}${hex(assets * 2n, 32)}`,
    blockNumber: at.number,
    blockHash: at.hash,
    txHash: event.txHash,
    logIndex: at.logIndex,
  };
}

function eventOf(log: ChainLog): Event {
  return {
    txHash: log.txHash,
    vault: log.address,
    user: `0x${(log.topics[1] ?? "").slice(-40)}`,
    assets: BigInt(log.data.slice(0, 66)),
    withdrawal: log.topics[0] === WITHDRAW,
  };
}
