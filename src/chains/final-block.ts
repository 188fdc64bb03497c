import type { Block } from "../lib/block-ranges.ts";
import type { NodeSession } from "./chain-client.ts";
import { RpcError } from "./json-rpc.ts";
import { readBlock } from "./read-block.ts";

/**
 * Minimum depth of a final block below the head, even if the chain finalizes faster. Blocks above the final block are
 * read again after a reorg.
 */
const MIN_FINAL_DEPTH = 64;
/** Depth of the final block below the head if a node does not support the `finalized` tag. */
const FALLBACK_DEPTH = 1_024;

/**
 * Returns the number of a chain's newest final block: the finalized one, or 1,024 blocks below the head `latest` if the
 * node does not support the tag `finalized`; always at least 64 blocks below the head, and never negative. Other errors
 * of the node propagate.
 */
export async function readFinalNumber(node: NodeSession, latest: Block): Promise<number> {
  const finalized = await finalizedNumber(node, latest);
  return Math.max(0, Math.min(finalized, latest.number - MIN_FINAL_DEPTH));
}

async function finalizedNumber(node: NodeSession, latest: Block): Promise<number> {
  try {
    return (await readBlock(node, "finalized")).number;
  } catch (error) {
    if (!(error instanceof RpcError) || error.kind !== "unsupported") throw error;
    return latest.number - FALLBACK_DEPTH;
  }
}
