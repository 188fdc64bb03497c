import type { NodeSession } from "../chains/chain-client.ts";
import { readBlock, readKnownBlock } from "../chains/read-block.ts";
import type { FlowTip } from "../db/queries/flow-queries.ts";
import { OutsideError } from "../lib/bounded-fetch.ts";
import type { Indexer } from "./flow-store.ts";

/**
 * Throws OutsideError unless a node has the stored final block: a node that lacks this block, or is on another fork,
 * may lack older logs too. Throws a RangeError if no final block is stored; RpcErrors of the node propagate.
 */
export async function assertSameFinalBlock(
  node: NodeSession,
  { finalBlock, finalHash }: Pick<FlowTip, "finalBlock" | "finalHash">,
): Promise<void> {
  if (finalBlock === null) throw new RangeError("history is read below a final block");
  const final = await readBlock(node, finalBlock);
  if (final.hash !== finalHash)
    throw new OutsideError("malformed", "the node reports a different history below the final block");
}

/**
 * Handles a reorg below the stored final block: deletes the provisional flows and those above the newest common
 * ancestor found, so that they are read again, and logs an error. Call it only if every node contradicts the stored
 * final block. The search compares one node's blocks with stored ones at doubling distances, so it may delete more than
 * the reorg changed; it deletes all flows if no compared block matches. A block that the node does not know counts as
 * different. If the node fails or its response is malformed, another one is asked; if all fail, nothing is deleted.
 * Errors of the chain client propagate. Throws `store_unavailable`.
 */
export async function rewindToCommonAncestor(indexer: Indexer): Promise<void> {
  const stored = await indexer.store.newestFinal();
  // Exponential steps back: ten requests cover a thousand stored blocks.
  const asked = stored.filter((_, index) => ((index + 1) & index) === 0);
  const common = await indexer.client.onOneNode(async (node) => {
    for (const { number, hash } of asked) {
      if ((await readKnownBlock(node, number))?.hash === hash) return number;
    }
    return -1;
  });
  indexer.log.error("flows_rewound", { chain_id: indexer.chainId, from: common + 1 });
  await indexer.store.rewind(common + 1);
}
