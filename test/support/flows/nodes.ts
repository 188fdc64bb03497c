import type { NodeSession } from "../../../src/chains/chain-client.ts";
import { RpcError } from "../../../src/chains/json-rpc.ts";
import { OutsideError } from "../../../src/lib/bounded-fetch.ts";
import type { Random } from "./random.ts";
import { type Block, FINALITY, type World } from "./world.ts";

/** Faults of a node, in effect until they are changed. */
export interface NodeFaults {
  /** True if the node does not respond. */
  down: boolean;
  /** Number of blocks by which all responses lag behind. */
  behind: number;
  /** Number of blocks by which only event responses lag behind, as with a load-balanced node. */
  logsBehind: number;
  /** True if events are returned twice, newest first. */
  duplicates: boolean;
  /** Maximum block range of one log request. */
  limit: number;
  /** True if the node still has the blocks from before the last reorg. */
  stale: boolean;
  /** True if the node serves another chain with the same id. */
  foreign: boolean;
  /** True if the node reports its head as finalized. */
  hasty: boolean;
}

export const healthy: NodeFaults = {
  down: false,
  behind: 0,
  logsBehind: 0,
  duplicates: false,
  limit: Number.POSITIVE_INFINITY,
  stale: false,
  foreign: false,
  hasty: false,
};

/** Draws the faults of a node. Leaving out events and serving another chain are drawn only if `may` allows them. */
export function drawNodeFaults(
  random: Random,
  may: { forgetful: boolean; foreign: boolean },
): Partial<NodeFaults> {
  return random.pick<Partial<NodeFaults>>([
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

/** Returns the blocks that a lagging node knows, at least one. */
const upTo = (blocks: readonly Block[], behind: number): readonly Block[] =>
  behind === 0 ? blocks : blocks.slice(0, Math.max(1, blocks.length - behind));

interface LogFilter {
  fromBlock: string;
  toBlock: string;
  address: string[];
  topics: [string[]];
}

/** A fake node of a world. `before` is the chain before the last reorg. */
export class FakeNode {
  readonly #world: World;
  readonly #foreign: World;
  faults: NodeFaults = { ...healthy };
  before: readonly Block[] = [];

  constructor(world: World, foreign: World) {
    this.#world = world;
    this.#foreign = foreign;
  }

  /**
   * Returns the chain that the node serves during one client session: a node does not change forks or fall back within
   * a session.
   */
  get side(): () => readonly Block[] {
    const { before } = this;
    const { behind, foreign, stale } = this.faults;
    const all = foreign ? this.#foreign : this.#world;
    return stale && !foreign && before.length > 0
      ? () => upTo(before, behind)
      : () => upTo(all.blocks, behind);
  }

  /** Returns the response to a request, from the chain's current state. */
  answer({ method, params, side }: Asked): unknown {
    if (this.faults.down) throw new OutsideError("network", "the connection failed");
    const blocks = side();
    const head = blocks.length - 1;
    if (method === "eth_getLogs") return this.#logs(blocks, params[0] as LogFilter);
    const [named] = params;
    const final = this.faults.hasty ? head : Math.max(0, head - FINALITY);
    const number = named === "latest" ? head : named === "finalized" ? final : Number(named);
    const block = number > head ? undefined : blocks[number];
    if (block === undefined) return null;
    return { number: quantity(number), hash: block.hash, timestamp: quantity(1_700_000_000 + number * 12) };
  }

  #logs(blocks: readonly Block[], filter: LogFilter): unknown {
    const [from, to] = [Number(filter.fromBlock), Number(filter.toBlock)];
    if (to - from + 1 > this.faults.limit)
      throw new RpcError("node", `-32005: limited to a ${this.faults.limit} block range`);
    const last = Math.min(to, blocks.length - 1 - this.faults.logsBehind);
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
    return this.faults.duplicates ? [...told, ...told].reverse() : told;
  }
}

const quantity = (value: number): string => `0x${value.toString(16)}`;

/** Creates a chain client that tries the fake nodes in order. Every request first passes the gate. */
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
