import type { NodeSession } from "../chains/chain-client.ts";
import { readBlock, readKnownBlock } from "../chains/read-block.ts";
import type { FlowTip } from "../db/queries/flow-queries.ts";
import { OutsideError } from "../lib/bounded-fetch.ts";
import type { Indexer } from "./flow-store.ts";

/**
 * Throws OutsideError unless a node has the stored final block: one that lacks it, or is on another fork, may lack
 * older logs too. Throws a RangeError if no final block is stored; RpcErrors of the node propagate.
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
 * Deletes the flows above a common ancestor (all if none is found), to be read again, after a reorg below the stored
 * final block. Call it only if every node contradicts that block. Throws `store_unavailable` and node errors.
 */
export async function rewindToCommonAncestor(indexer: Indexer): Promise<void> {
  const stored = await indexer.store.newestFinal();
  // Exponential steps back: ten requests cover a thousand stored blocks.
  const asked = stored.filter((_, index) => ((index + 1) & index) === 0);
  // A block that the node does not know counts as different.
  const common = await indexer.client.onOneNode(async (node) => {
    for (const { number, hash } of asked) {
      if ((await readKnownBlock(node, number))?.hash === hash) return number;
    }
    return -1;
  });
  indexer.log.error("flows_rewound", { chain_id: indexer.chainId, from: common + 1 });
  await indexer.store.rewind(common + 1);
}
