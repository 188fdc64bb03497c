import type { NodeSession } from "../../../src/chains/chain-client.ts";
import { RpcError } from "../../../src/chains/json-rpc.ts";
import { OutsideError } from "../../../src/lib/bounded-fetch.ts";
import type { Random } from "./random.ts";
import { type Block, FINALITY, type World } from "./world.ts";

/** What a node does wrong, until it is told otherwise. */
export interface Moods {
  /** Answers nothing at all. */
  down: boolean;
  /** Blocks by which all its answers are behind. */
  behind: number;
  /** Blocks by which its events alone are behind: another machine behind the same address answers for them. */
  logsBehind: number;
  /** Gives every event twice, newest first. */
  duplicates: boolean;
  /** Refuses more blocks than these in one question. */
  limit: number;
  /** Still on the blocks before the last reorg. */
  stale: boolean;
  /** Tells of another chain with the same id. */
  foreign: boolean;
  /** Calls its head final. */
  hasty: boolean;
}

export const healthy: Moods = {
  down: false,
  behind: 0,
  logsBehind: 0,
  duplicates: false,
  limit: Number.POSITIVE_INFINITY,
  stale: false,
  foreign: false,
  hasty: false,
};

/** A mood for a node; one that leaves out events, or is on another chain, only where that is wanted. */
export function drawMood(random: Random, may: { forgetful: boolean; foreign: boolean }): Partial<Moods> {
  return random.pick<Partial<Moods>>([
    {},
    { down: true },
    { behind: 1 + random.below(FINALITY) },
    may.forgetful ? { logsBehind: 1 + random.below(FINALITY - 1) } : {},
    { duplicates: true },
    { limit: 1 + random.below(30) },
    { stale: true },
    { hasty: true },
    ...(may.foreign ? [{ foreign: true }] : []),
  ]);
}

interface Asked {
  method: string;
  params: readonly unknown[];
  side: () => readonly Block[];
}

/** The blocks that a node knows which lies so far behind; never none. */
const upTo = (blocks: readonly Block[], behind: number): readonly Block[] =>
  behind === 0 ? blocks : blocks.slice(0, Math.max(1, blocks.length - behind));

interface LogFilter {
  fromBlock: string;
  toBlock: string;
  address: string[];
  topics: [string[]];
}

/** A node of a world. `before` is the chain as it was before the last reorg. */
export class FakeNode {
  readonly #world: World;
  readonly #foreign: World;
  moods: Moods = { ...healthy };
  before: readonly Block[] = [];

  constructor(world: World, foreign: World) {
    this.#world = world;
    this.#foreign = foreign;
  }

  /**
   * The chain it tells of, as far as it has got: fixed for one client's session, for a node neither changes sides
   * nor falls back in a moment.
   */
  get side(): () => readonly Block[] {
    const { before } = this;
    const { behind, foreign, stale } = this.moods;
    const all = foreign ? this.#foreign : this.#world;
    return stale && !foreign && before.length > 0
      ? () => upTo(before, behind)
      : () => upTo(all.blocks, behind);
  }

  /** Answers a request from the chain as it stands at this moment. */
  answer({ method, params, side }: Asked): unknown {
    if (this.moods.down) throw new OutsideError("network", "the connection failed");
    const blocks = side();
    const head = blocks.length - 1;
    if (method === "eth_getLogs") return this.#logs(blocks, params[0] as LogFilter);
    const [named] = params;
    const final = this.moods.hasty ? head : Math.max(0, head - FINALITY);
    const number = named === "latest" ? head : named === "finalized" ? final : Number(named);
    const block = number > head ? undefined : blocks[number];
    if (block === undefined) return null;
    return { number: quantity(number), hash: block.hash, timestamp: quantity(1_700_000_000 + number * 12) };
  }

  #logs(blocks: readonly Block[], filter: LogFilter): unknown {
    const [from, to] = [Number(filter.fromBlock), Number(filter.toBlock)];
    if (to - from + 1 > this.moods.limit)
      throw new RpcError("node", `-32005: limited to a ${this.moods.limit} block range`);
    const last = Math.min(to, blocks.length - 1 - this.moods.logsBehind);
    const logs = blocks.slice(from, Math.max(from, last + 1)).flatMap((block) => block.logs);
    const [wanted, topics] = [new Set(filter.address), new Set(filter.topics[0])];
    const told = logs
      .filter((log) => wanted.has(log.address) && topics.has(log.topics[0]))
      .map(({ txHash, ...log }) => ({
        ...log,
        transactionHash: txHash,
        blockNumber: quantity(log.blockNumber),
        logIndex: quantity(log.logIndex),
      }));
    return this.moods.duplicates ? [...told, ...told].reverse() : told;
  }
}

const quantity = (value: number): string => `0x${value.toString(16)}`;

/** A client over fake nodes that asks them in order; every request first passes the gate. */
export function clientOf(nodes: readonly FakeNode[], gate: <T>(effect: () => T | Promise<T>) => Promise<T>) {
  return {
    async onOneNode<T>(work: (node: NodeSession) => Promise<T>): Promise<T> {
      let last: unknown = new Error("no nodes");
      for (const node of nodes) {
        try {
          const { side } = node;
          return await work({
            request: (method, params) => gate(() => node.answer({ method, params, side })),
          });
        } catch (error) {
          last = error;
        }
      }
      throw last;
    },
  };
}
