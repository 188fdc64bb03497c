import { z } from "@hono/zod-openapi";
import { type Address, encodeEventTopics, erc20Abi, type Hex } from "viem";
import type { ChainClient } from "../chains/client.ts";
import { RpcError } from "../chains/json-rpc.ts";

/** Public nodes give logs of some thousand blocks at once. */
const BLOCKS = 2_000;
/** How many such spans before the head are searched: a request is looked at more often than they take. */
const SPANS = 8;

const Quantity = z.string().regex(/^0x[0-9a-fA-F]{1,13}$/);
const Found = z.array(
  z.object({
    blockNumber: Quantity.transform(Number),
    transactionHash: z
      .string()
      .regex(/^0x[0-9a-fA-F]{64}$/)
      .transform((hash) => hash.toLowerCase() as Hex),
  }),
);

/**
 * The transactions in which some tokens reached an account, from a block on and not longer ago than the last
 * spans, the oldest first. Throws what the chain client throws; a node that gives no logs has none.
 */
export async function findTransfersTo(
  client: ChainClient,
  search: { tokens: readonly Address[]; account: Address; from: number; head: number },
): Promise<Hex[]> {
  const { tokens, account, head } = search;
  const args = { to: account };
  const topics = encodeEventTopics({ abi: erc20Abi, eventName: "Transfer", args });
  const from = Math.max(search.from, head - BLOCKS * SPANS + 1);
  const hashes: Hex[] = [];
  for (let start = from; start <= head; start += BLOCKS) {
    const end = Math.min(start + BLOCKS - 1, head);
    const filter = { fromBlock: hex(start), toBlock: hex(end), address: tokens, topics };
    hashes.push(...(await logsOf(client, filter)));
  }
  return [...new Set(hashes)];
}

async function logsOf(client: ChainClient, filter: object): Promise<Hex[]> {
  try {
    const read = (told: unknown) => Found.parse(told).map(({ transactionHash }) => transactionHash);
    return await client.ask({ method: "eth_getLogs", params: [filter], read });
  } catch (error) {
    if (error instanceof RpcError) return [];
    throw error;
  }
}

const hex = (value: number): Hex => `0x${value.toString(16)}`;
