import { type Address, encodeEventTopics, erc20Abi, type Hex, numberToHex } from "viem";
import * as z from "zod";
import type { ChainClient } from "../../chains/client.ts";
import { RpcError } from "../../chains/json-rpc.ts";
import { RpcNumber, RpcQuantity, RpcWord } from "../../chains/rpc-values.ts";
import type { Context } from "../../context.ts";
import type { DepositRow } from "../../db/queries/deposits.ts";
import { describeError } from "../../lib/logger.ts";
import { depositRouterAddress } from "../../router/address.ts";
import { depositRouterAbi } from "../../router/artifact.ts";

/** Public nodes give logs of some thousand blocks at once. */
const BLOCKS_PER_RANGE = 2_000;
/** How many such spans before the head are searched: a request is looked at more often than they take. */
const MAX_RANGES = 8;

const TransferLogs = z.array(
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
  const from = Math.max(search.from, head - BLOCKS_PER_RANGE * MAX_RANGES + 1);
  const hashes: Hex[] = [];
  for (let start = from; start <= head; start += BLOCKS_PER_RANGE) {
    const end = Math.min(start + BLOCKS_PER_RANGE - 1, head);
    const filter = { fromBlock: toQuantity(start), toBlock: toQuantity(end), address: tokens, topics };
    const logs = await readTransferLogs(client, filter);
    const fitting = logs.filter(({ data }) => amounts === null || amounts.some((amount) => amount === data));
    hashes.push(...fitting.map(({ transactionHash }) => transactionHash));
  }
  return [...new Set(hashes)];
}

async function readTransferLogs(client: ChainClient, filter: object): Promise<z.output<typeof TransferLogs>> {
  try {
    return await client.ask({
      method: "eth_getLogs",
      params: [filter],
      read: (told: unknown) => TransferLogs.parse(told),
    });
  } catch (error) {
    if (error instanceof RpcError) return [];
    throw error;
  }
}

const toQuantity = (value: number): Hex => `0x${value.toString(16)}`;

/** Public nodes give logs of some thousand blocks at once; deposits are sent soon after they were built. */
const REFERENCE_BLOCKS = 1_000n;

/**
 * Looks for deposits that the Router has made meanwhile though nobody said so, in one request for each chain.
 * Gives transactions by reference; a chain that does not answer has none.
 */
export async function findDepositsByReference(
  ctx: Context,
  rows: readonly DepositRow[],
): Promise<ReadonlyMap<string, Hex>> {
  const chainIds = new Set(rows.map(({ vaultChainId }) => vaultChainId));
  const searches = [...chainIds].map(async (chainId) => {
    const there = rows.filter(({ vaultChainId }) => vaultChainId === chainId);
    const client = ctx.chains.client(chainId);
    if (client === null) return [];
    try {
      return [
        ...(await findRouterDeposits(client, {
          refs: there.map(({ ref }) => ref as Hex),
          blocks: REFERENCE_BLOCKS,
        })),
      ];
    } catch (error) {
      ctx.log.warn("references_unsearched", { chain_id: chainId, error: describeError(error) });
      return [];
    }
  });
  return new Map((await Promise.all(searches)).flat());
}

const RouterDepositLogs = z.array(z.object({ topics: z.array(RpcWord).min(2), transactionHash: RpcWord }));

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
  const logs = RouterDepositLogs.parse(await client.request("eth_getLogs", [filter]));
  return new Map(logs.map(({ topics: [, ref], transactionHash }) => [ref as Hex, transactionHash]));
}
