import type { Address } from "viem";
import type { ChainClient, NodeSession } from "../chains/chain-client.ts";
import { readTimedCode } from "../chains/code-at-block.ts";
import { RpcError } from "../chains/json-rpc.ts";
import { readBlock } from "../chains/read-block.ts";
import { AppError } from "../errors.ts";

/** Number of blocks below the head from which the pace of the chain is first estimated. */
const FIRST_STEP = 64;
/** Maximum number of blocks that one search looks at; the second or third is usually old enough. */
const MAX_LOOKS = 8;
/** Factor of the estimated distance, so that a slightly slower pace of the chain takes no further look. */
const MARGIN = 1.05;
/** Minimum growth of the distance from one look to the next. */
const GROWTH = 1.25;

/**
 * Returns true if the nodes show that an address had code at a block of the given time (UNIX seconds) or up to a few
 * percent of the time since before it. False if it had none, and if no node keeps the state of that block or the nodes
 * fail.
 */
export async function hadCodeAtTime(
  client: Pick<ChainClient, "onOneNode">,
  { address, time }: { address: Address; time: number },
): Promise<boolean> {
  try {
    return await client.onOneNode(async (node) => {
      const old = await findOldBlock(node, time);
      if (old === null) return false;
      const { timestamp, hasCode } = await readTimedCode(node, { block: old.number, address });
      // Another timestamp is that of another block, such as the head of a node that keeps no earlier state.
      return hasCode && timestamp === old.timestamp;
    });
  } catch (error) {
    if (error instanceof AppError || error instanceof RpcError) return false;
    throw error;
  }
}

/** Returns a block that is not newer than `time`, or null if none was found. Errors of the node propagate. */
async function findOldBlock(node: NodeSession, time: number) {
  const head = await readBlock(node, "latest");
  let distance = FIRST_STEP;
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    const block = await readBlock(node, Math.max(0, head.number - distance));
    if (block.timestamp <= time) return block;
    if (block.number === 0) return null;
    const perSecond = distance / Math.max(1, head.timestamp - block.timestamp);
    const needed = perSecond * (head.timestamp - time) * MARGIN;
    distance = Math.ceil(Math.max(distance * GROWTH, needed));
  }
  return null;
}
