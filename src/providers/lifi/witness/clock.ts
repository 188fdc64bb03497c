import { z } from "@hono/zod-openapi";
import { numberToHex } from "viem";
import type { ChainClient } from "../../../chains/client.ts";
import { RpcQuantity } from "../../../chains/rpc-values.ts";

const BlockTime = z.object({ timestamp: RpcQuantity });

/** A block and its time, unix seconds. */
export interface Moment {
  block: bigint;
  time: bigint;
}

/** Reads when a block was made. Throws what asking the node throws. */
export async function blockTime(client: ChainClient, block: bigint): Promise<Moment> {
  const header = await client.request("eth_getBlockByNumber", [numberToHex(block), false]);
  return { block, time: BlockTime.parse(header).timestamp };
}
