import { type Address, type Hex, numberToHex } from "viem";
import type { Random } from "../flows/random.ts";

/** Deeper than this, nothing changes any more. */
export const FINALITY = 12;
/** Seconds between two blocks. */
export const BLOCK_S = 6;

/** An event as a contract emits it; addresses and topics in lower case. */
export interface Emitted {
  address: Hex;
  topics: Hex[];
  data: Hex;
}

/** What becomes of a transaction in the block that includes it. */
export interface Outcome {
  succeeded: boolean;
  logs: Emitted[];
}

/** A transaction that was sent; `run` executes it on the chain as it stands, again after every reorganisation. */
export interface SentTransaction {
  hash: Hex;
  from: Address;
  to: Address;
  input: Hex;
  value: bigint;
  run(chain: SimulatedChain): Outcome;
}

/** A transaction within a block. */
export interface Included extends Outcome {
  sent: SentTransaction;
  index: number;
  /** Log index of its first event in the block. */
  firstLog: number;
}

export interface SimulatedBlock {
  number: number;
  hash: Hex;
  parentHash: Hex;
  /** In seconds since the epoch. */
  timestamp: number;
  included: Included[];
}

/** A chain in memory that includes transactions, grows, and replaces its newest blocks. */
export class SimulatedChain {
  readonly chainId: number;
  readonly #random: Random;
  #made = 0;
  blocks: SimulatedBlock[] = [];
  /** The chain before the last reorganisation, for nodes that have not heard of it. */
  before: readonly SimulatedBlock[] = [];
  /** Sent and not included. */
  pool: SentTransaction[] = [];
  /** Everything that was ever sent, by hash. */
  readonly sent = new Map<Hex, SentTransaction>();
  reorgs = 0;
  /** What contracts remember for later, by keys of their own. */
  readonly storage = new Map<string, Hex>();

  constructor(chainId: number, random: Random, startedAt: number) {
    this.chainId = chainId;
    this.#random = random;
    this.#push([], startedAt);
  }

  get head(): SimulatedBlock {
    const head = this.blocks.at(-1);
    if (head === undefined) throw new RangeError("an empty chain");
    return head;
  }

  /** A hash that nothing else has. */
  newHash(kind: number): Hex {
    this.#made += 1;
    return numberToHex((BigInt(this.chainId) << 200n) + (BigInt(kind) << 128n) + BigInt(this.#made), {
      size: 32,
    });
  }

  send(transaction: Omit<SentTransaction, "hash">): Hex {
    const hash = this.newHash(0x7a);
    const sent = { ...transaction, hash };
    this.sent.set(hash, sent);
    this.pool.push(sent);
    return hash;
  }

  /** Mines blocks; each includes what waits, or now and then leaves it for the next. */
  mine(count: number): void {
    for (let mined = 0; mined < count; mined += 1) {
      const included = this.#random.once(6) ? [] : this.pool.splice(0);
      this.#push(included, this.head.timestamp + BLOCK_S);
    }
  }

  /** Includes all that waits. */
  mineAll(): void {
    this.#push(this.pool.splice(0), this.head.timestamp + BLOCK_S);
  }

  /**
   * Replaces the newest blocks by more others. What they held comes again in other blocks, or never: a transaction that
   * another one of its account replaced. `keeps` decides which; by default one in four never comes again.
   */
  reorg(depth: number, keeps: (sent: SentTransaction) => boolean = () => !this.#random.once(4)): void {
    const at = Math.max(1, this.blocks.length - depth);
    this.before = [...this.blocks];
    const replaced = this.blocks.splice(at);
    const [first] = replaced;
    if (first === undefined) return;
    this.reorgs += 1;
    const freed = replaced.flatMap(({ included }) => included.map(({ sent }) => sent));
    let waiting = [...freed.filter(keeps), ...this.pool.splice(0)];
    for (let mined = 0; mined <= replaced.length; mined += 1) {
      const now = waiting.filter(() => mined === replaced.length || this.#random.once(2));
      waiting = waiting.filter((transaction) => !now.includes(transaction));
      this.#push(now, Math.max(first.timestamp, this.head.timestamp + 1));
    }
  }

  /** The block and place of a transaction on the chain as it stands, or null. */
  find(hash: Hex): { block: SimulatedBlock; included: Included } | null {
    return findIncluded(this.blocks, hash);
  }

  /** Every event of the chain as it stands, with its transaction. */
  *events(): Generator<{ block: SimulatedBlock; included: Included; log: Emitted }> {
    for (const block of this.blocks)
      for (const included of block.included) for (const log of included.logs) yield { block, included, log };
  }

  #push(transactions: readonly SentTransaction[], timestamp: number): void {
    const parent = this.blocks.at(-1);
    const block: SimulatedBlock = {
      number: this.blocks.length,
      hash: this.newHash(0xb1),
      parentHash: parent?.hash ?? numberToHex(0, { size: 32 }),
      timestamp,
      included: [],
    };
    this.blocks.push(block);
    let firstLog = 0;
    for (const sent of transactions) {
      const { succeeded, logs } = sent.run(this);
      const kept = succeeded ? logs : [];
      block.included.push({ sent, succeeded, logs: kept, index: block.included.length, firstLog });
      firstLog += kept.length;
    }
  }
}

/** Finds a transaction in a list of blocks, newest first. */
export function findIncluded(
  blocks: readonly SimulatedBlock[],
  hash: Hex,
): { block: SimulatedBlock; included: Included } | null {
  for (let at = blocks.length - 1; at >= 0; at -= 1) {
    const block = blocks[at];
    const included = block?.included.find(({ sent }) => sent.hash === hash);
    if (block !== undefined && included !== undefined) return { block, included };
  }
  return null;
}
