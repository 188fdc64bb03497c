import * as z from "zod";
import type { Block } from "../lib/block-ranges.ts";
import { OutsideError } from "../lib/bounded-fetch.ts";
import type { ChainClient, NodeSession } from "./chain-client.ts";
import { RpcNumber, RpcTime, RpcWord, toRpcQuantity } from "./rpc-values.ts";

const BlockShape = z.object({ number: RpcNumber, hash: RpcWord, timestamp: RpcTime });

/**
 * Reads the header of a block, from one node or through a chain client. Throws OutsideError `malformed` if the node
 * does not know the block or returns no valid header of it; errors of the node propagate.
 */
export async function readBlock(node: NodeSession, block: BlockName): Promise<Block> {
  const read = await readKnownBlock(node, block);
  if (read === null) throw new OutsideError("malformed", `the node does not know block ${block}`);
  return read;
}

type BlockName = number | "latest" | "finalized";

/**
 * Reads the header of a block like `readBlock`, but returns null if the node returns null: it does not know the block.
 */
export async function readKnownBlock(node: NodeSession, block: BlockName): Promise<Block | null> {
  const tag = typeof block === "number" ? toRpcQuantity(block) : block;
  const answer = await node.request("eth_getBlockByNumber", [tag, false]);
  if (answer === null) return null;
  const parsed = BlockShape.safeParse(answer);
  if (!parsed.success) throw new OutsideError("malformed", `the node does not know block ${block}`);
  if (typeof block === "number" && parsed.data.number !== block)
    throw new OutsideError("malformed", `the node returned block ${parsed.data.number} instead of ${block}`);
  return parsed.data;
}

/**
 * Reads the number of a chain's head block. If a node's answer is malformed, the next node is asked. Errors of the
 * chain client propagate.
 */
export function readHeadNumber(client: Pick<ChainClient, "ask">): Promise<number> {
  return client.ask({ method: "eth_blockNumber", params: [], read: (answer) => RpcNumber.parse(answer) });
}
