import type { Random } from "../flows/random.ts";

/** Faults of a node, in effect until they are changed. */
export interface NodeFaults {
  /** True if the node does not respond. */
  down: boolean;
  /** Number of blocks by which all responses lag behind. */
  behind: number;
  /** Number of newest blocks for which the node returns headers but no events or receipts. */
  forgets: number;
  /** Number of newest blocks for which the node returns events but no receipts. */
  unreceipted: number;
  /** Number of newest blocks for which alone the node has receipts. */
  keeps: number;
  /** Number of newest blocks whose transactions the node does not find by hash, although it returns their receipts. */
  unindexed: number;
  /** True if the node still has the blocks from before the last reorg. */
  stale: boolean;
  /** Maximum block range of one `eth_getLogs`. */
  limit: number;
}

export const NO_FAULTS: NodeFaults = {
  down: false,
  behind: 0,
  forgets: 0,
  unreceipted: 0,
  keeps: Number.POSITIVE_INFINITY,
  unindexed: 0,
  stale: false,
  limit: Number.POSITIVE_INFINITY,
};

/** Draws the faults of a node. */
export function drawNodeFaults(random: Random): NodeFaults {
  const wrong = random.pick<Partial<NodeFaults>>([
    {},
    {},
    { down: true },
    { behind: 1 + random.below(6) },
    { forgets: 1 + random.below(6) },
    { unreceipted: 1 + random.below(60) },
    { unindexed: 1 + random.below(6) },
    { stale: true },
    { limit: 2 + random.below(20) },
  ]);
  return { ...NO_FAULTS, ...wrong };
}
