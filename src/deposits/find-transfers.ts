import { z } from "@hono/zod-openapi";
import { type Address, encodeEventTopics, erc20Abi, type Hex, numberToHex } from "viem";
import type { ChainClient } from "../chains/client.ts";
import { RpcError } from "../chains/json-rpc.ts";
import { RpcNumber, RpcWord } from "../chains/rpc-values.ts";

/** Public nodes give logs of some thousand blocks at once. */
const BLOCKS = 2_000;
/** How many such spans before the head are searched: a request is looked at more often than they take. */
const SPANS = 8;

const Found = z.array(
  z.object({
    blockNumber: RpcNumber,
    data: z.string().transform((data) => data.toLowerCase()),
    transactionHash: RpcWord,
  }),
);

/** Transfers of some tokens to or from an account, in a range of blocks. */
export interface TransferSearch {
  tokens: readonly Address[];
  party: { to: Address } | { from: Address };
  /** Smallest units; null: any. */
  amounts: readonly bigint[] | null;
  from: number;
  head: number;
}

/**
 * The transactions with such transfers, from a block on and not longer ago than the last spans, the oldest first.
 * Throws what the chain client throws; a node that gives no logs has none.
 */
export async function findTransfers(client: ChainClient, search: TransferSearch): Promise<Hex[]> {
  const { tokens, party, head } = search;
  const amounts = search.amounts?.map((amount) => numberToHex(amount, { size: 32 })) ?? null;
  const topics = encodeEventTopics({ abi: erc20Abi, eventName: "Transfer", args: party });
  const from = Math.max(search.from, head - BLOCKS * SPANS + 1);
  const hashes: Hex[] = [];
  for (let start = from; start <= head; start += BLOCKS) {
    const end = Math.min(start + BLOCKS - 1, head);
    const filter = { fromBlock: hex(start), toBlock: hex(end), address: tokens, topics };
    const logs = await logsOf(client, filter);
    const fitting = logs.filter(({ data }) => amounts === null || amounts.some((amount) => amount === data));
    hashes.push(...fitting.map(({ transactionHash }) => transactionHash));
  }
  return [...new Set(hashes)];
}

async function logsOf(client: ChainClient, filter: object): Promise<z.output<typeof Found>> {
  try {
    return await client.ask({
      method: "eth_getLogs",
      params: [filter],
      read: (told: unknown) => Found.parse(told),
    });
  } catch (error) {
    if (error instanceof RpcError) return [];
    throw error;
  }
}

const hex = (value: number): Hex => `0x${value.toString(16)}`;
