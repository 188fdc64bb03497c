import type { Block } from "../lib/block-ranges.ts";
import { OutsideError } from "../lib/bounded-fetch.ts";
import type { NodeSession } from "./chain-client.ts";
import { RpcError } from "./json-rpc.ts";
import { readBlock, readKnownBlock } from "./read-block.ts";

/**
 * Minimum depth of a final block below the head, even if the chain finalizes faster. Blocks above the final block are
 * read again after a reorg.
 */
const MIN_FINAL_DEPTH = 64;
/** Depth of the final block below the head if a node knows no finalized block. */
const FALLBACK_DEPTH = 1_024;
/**
 * Matches error messages of nodes that support the `finalized` tag and know no such block, for example after a restart.
 */
const NO_FINALIZED = /finali[sz]ed block|unknown block|(?:block|header) not found/i;

/**
 * Reads a chain's newest final block: the finalized one or, if the node knows none, the one 1,024 blocks below the
 * head; at least 64 blocks below the head, but not below block 0 or `atLeast`, the last block known to be final. Throws
 * OutsideError `malformed` if the head is below `atLeast`; errors of the node propagate.
 */
export async function readFinalBlock(
  node: NodeSession,
  { latest, atLeast }: { latest: Block; atLeast: number },
): Promise<Block> {
  const finalized = await readFinalized(node);
  const newest = finalized?.number ?? latest.number - FALLBACK_DEPTH;
  const number = Math.max(0, atLeast, Math.min(newest, latest.number - MIN_FINAL_DEPTH));
  if (number > latest.number) throw new OutsideError("malformed", "the node is behind the final block");
  return finalized?.number === number ? finalized : readBlock(node, number);
}

/** Reads the finalized block, or returns null if the node does not support the tag or knows no finalized block. */
async function readFinalized(node: NodeSession): Promise<Block | null> {
  try {
    return await readKnownBlock(node, "finalized");
  } catch (error) {
    if (error instanceof RpcError && (error.kind === "unsupported" || NO_FINALIZED.test(error.message)))
      return null;
    throw error;
  }
}
