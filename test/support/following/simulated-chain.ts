import { type Address, type Hex, numberToHex } from "viem";
import type { Random } from "../flows/random.ts";

/** Number of blocks after which a block is final. */
export const FINALITY = 12;
/** Time between two blocks, in seconds. */
export const BLOCK_S = 6;

/** An event as a contract emits it. Addresses and topics are in lowercase. */
export interface Emitted {
  address: Hex;
  topics: Hex[];
  data: Hex;
}

/** Effects of a transaction in the block that includes it. */
export interface Outcome {
  succeeded: boolean;
  logs: Emitted[];
}

/** A sent transaction. `run` executes it on the current chain, again after every reorg. */
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
  /** Log index of the transaction's first event in the block. */
  firstLog: number;
}

export interface SimulatedBlock {
  number: number;
  hash: Hex;
  parentHash: Hex;
  /** Time of the block, in unix seconds. */
  timestamp: number;
  included: Included[];
}

/** An in-memory chain that includes transactions, grows and reorganizes. */
export class SimulatedChain {
  readonly chainId: number;
  readonly #random: Random;
  #made = 0;
  blocks: SimulatedBlock[] = [];
  /** The chain before the last reorg, which stale nodes still serve. */
  before: readonly SimulatedBlock[] = [];
  /** Transactions that are sent but not included. */
  pool: SentTransaction[] = [];
  /** Every transaction ever sent, by hash. */
  readonly sent = new Map<Hex, SentTransaction>();
  reorgs = 0;
  /** Storage of the simulated contracts, under keys of their own. */
  readonly storage = new Map<string, Hex>();
  /** Every block ever made, by hash. */
  readonly #byHash = new Map<Hex, SimulatedBlock>();
  /** The blocks that included a transaction, on this chain or on one that a reorg replaced, oldest first. */
  readonly #places = new Map<Hex, { block: SimulatedBlock; included: Included }[]>();

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

  /** Returns a unique hash. Hashes are not in the order in which they are made, as on real chains. */
  newHash(kind: number): Hex {
    this.#made += 1;
    const mixed = BigInt(Math.imul(this.#made, 0x9e37_79b1) >>> 0);
    const made = (BigInt(this.chainId) << 160n) + (BigInt(kind) << 128n) + BigInt(this.#made);
    return numberToHex((mixed << 224n) + made, { size: 32 });
  }

  send(transaction: Omit<SentTransaction, "hash">): Hex {
    const hash = this.newHash(0x7a);
    const sent = { ...transaction, hash };
    this.sent.set(hash, sent);
    this.pool.push(sent);
    return hash;
  }

  /** Mines blocks. Each includes the pending transactions, but sometimes leaves one for the next block. */
  mine(count: number): void {
    for (let mined = 0; mined < count; mined += 1) {
      const included = this.#random.once(6) ? [] : this.pool.splice(0);
      this.#push(included, this.head.timestamp + BLOCK_S);
    }
  }

  /** Includes all pending transactions. */
  mineAll(): void {
    this.#push(this.pool.splice(0), this.head.timestamp + BLOCK_S);
  }

  /**
   * Replaces the newest blocks by a greater number of others. Their transactions are included again, or dropped as if
   * replaced by another transaction of the account. `keeps` decides which; by default one in four is dropped.
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

  /** Returns a transaction's block and position on the current chain. Null if it is not included. */
  find(hash: Hex): { block: SimulatedBlock; included: Included } | null {
    return this.findIn(this.blocks, hash);
  }

  /** Finds a transaction in `blocks`, which are the first blocks of this chain or of one that a reorg replaced. */
  findIn(blocks: readonly SimulatedBlock[], hash: Hex): { block: SimulatedBlock; included: Included } | null {
    return this.#places.get(hash)?.findLast(({ block }) => blocks[block.number] === block) ?? null;
  }

  /** Finds a block in `blocks`, which are the first blocks of this chain or of one that a reorg replaced. */
  findBlock(blocks: readonly SimulatedBlock[], hash: Hex): SimulatedBlock | null {
    const block = this.#byHash.get(hash);
    return block !== undefined && blocks[block.number] === block ? block : null;
  }

  /** Returns every event of the current chain with its transaction. */
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
    this.#byHash.set(block.hash, block);
    let firstLog = 0;
    for (const sent of transactions) {
      const { succeeded, logs } = sent.run(this);
      const kept = succeeded ? logs : [];
      const included = { sent, succeeded, logs: kept, index: block.included.length, firstLog };
      block.included.push(included);
      const places = this.#places.get(sent.hash);
      if (places === undefined) this.#places.set(sent.hash, [{ block, included }]);
      else places.push({ block, included });
      firstLog += kept.length;
    }
  }
}

/**
 * Returns a function that derives a value from each block of a chain. Blocks do not change, so each is read once, but
 * for the newest one, which may be in the making.
 */
export function perBlock<T>(
  derive: (block: SimulatedBlock, chain: SimulatedChain) => T,
): (chain: SimulatedChain) => T[] {
  const known = new WeakMap<SimulatedBlock, T>();
  return (chain) =>
    chain.blocks.map((block, at) => {
      const last = at === chain.blocks.length - 1;
      const value = (last ? undefined : known.get(block)) ?? derive(block, chain);
      if (!last) known.set(block, value);
      return value;
    });
}
