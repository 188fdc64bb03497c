import { readBlock } from "../chains/blocks.ts";
import type { NodeSession } from "../chains/client.ts";
import type { FlowTip } from "../db/queries/flows.ts";
import { OutsideError } from "../lib/bounded-fetch.ts";
import type { Indexer } from "./indexer.ts";

/**
 * A node that has not got to the final block, or tells another one, may lack the older blocks too. Throws OutsideError
 * then, and what the node says.
 */
export async function assertSameFinalBlock(
  node: NodeSession,
  { finalBlock, finalHash }: Pick<FlowTip, "finalBlock" | "finalHash">,
): Promise<void> {
  if (finalBlock === null) throw new RangeError("history is read below a final block");
  const final = await readBlock(node, finalBlock);
  if (final.hash !== finalHash)
    throw new OutsideError("malformed", "the node tells another history below the final block");
}

/**
 * Forgets what was stored of a history that every node denies, back to the newest stored block that they confirm: its
 * hash vouches for all before it. What is forgotten is read again. Throws what the chain client and the store throw.
 */
export async function rewindToCommonAncestor(indexer: Indexer): Promise<void> {
  const stored = await indexer.store.newestFinal();
  // Ever wider steps back: ten questions reach a thousand blocks.
  const asked = stored.filter((_, index) => ((index + 1) & index) === 0);
  const common = await indexer.client.onOneNode(async (node) => {
    for (const { number, hash } of asked) {
      const told = await readBlock(node, number).catch(() => null);
      if (told?.hash === hash) return number;
    }
    return -1;
  });
  indexer.log.error("flows_rewound", { chain_id: indexer.chainId, from: common + 1 });
  await indexer.store.rewind(common + 1);
}
