import { z } from "@hono/zod-openapi";
import { encodeEventTopics, type Hex, numberToHex } from "viem";
import type { ChainClient } from "../chains/client.ts";
import { RpcQuantity, RpcWord } from "../chains/rpc-values.ts";
import { depositRouterAddress } from "./address.ts";
import { depositRouterAbi } from "./artifact.ts";

const Logs = z.array(z.object({ topics: z.array(RpcWord).min(2), transactionHash: RpcWord }));

/**
 * The newest transactions of the last `blocks` blocks in which the Router names deposits, by reference. What a
 * node says here is where to look. Throws what the chain client throws, or a ZodError.
 */
export async function findRouterDeposits(
  client: ChainClient,
  { refs, blocks }: { refs: readonly Hex[]; blocks: bigint },
): Promise<Map<Hex, Hex>> {
  const head = RpcQuantity.parse(await client.request("eth_blockNumber", []));
  const topics = encodeEventTopics({
    abi: depositRouterAbi,
    eventName: "Deposited",
    args: { ref: [...refs] },
  });
  const filter = {
    address: depositRouterAddress,
    topics,
    fromBlock: numberToHex(head > blocks ? head - blocks : 0n),
    toBlock: numberToHex(head),
  };
  const logs = Logs.parse(await client.request("eth_getLogs", [filter]));
  return new Map(logs.map(({ topics: [, ref], transactionHash }) => [ref as Hex, transactionHash]));
}
