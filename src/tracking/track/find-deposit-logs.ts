import { type Address, encodeEventTopics, erc20Abi, type Hex, numberToHex } from "viem";
import type { ChainClient } from "../../chains/chain-client.ts";
import { RpcError } from "../../chains/json-rpc.ts";
import { toTopicLists } from "../../chains/log-filter.ts";
import { type LogReading, searchLogs } from "../../chains/log-reader.ts";
import { RpcNumber } from "../../chains/rpc-values.ts";
import type { Context } from "../../context.ts";
import type { DepositRow } from "../../db/queries/deposit-queries.ts";
import { describeError } from "../../lib/logger.ts";
import { depositRouterAddress } from "../../router/router-address.ts";
import { executedOrderTopics } from "../../router/router-codec.ts";

/** Maximum number of blocks below the head block that are searched for token transfers. */
const TRANSFER_BLOCKS = 16_000;
/** Maximum number of RPC requests for one search for token transfers, including rejected ones. */
const MAX_TRANSFER_REQUESTS = 10;

/**
 * Search criteria for token transfers: the tokens, the account that sends or receives them, the amounts, and the block
 * range.
 */
export interface TransferSearch {
  tokens: readonly Address[];
  party: { to: Address } | { from: Address };
  /** Amounts to search for, in the token's smallest unit, or null for any amount. */
  amounts: readonly bigint[] | null;
  /** First block to search. */
  from: number;
  /** Last block to search: the chain's head block. */
  head: number;
}

/**
 * Returns the hashes of transactions with matching ERC-20 transfers, oldest first. Searches from block `from` to block
 * `head`, but at most the newest 16,000 blocks. Returns an empty list if the last node rejects the request. Throws
 * `upstream_unavailable`, `upstream_timeout`.
 */
export async function findTransfers(
  client: Pick<ChainClient, "onOneNode" | "definition">,
  search: TransferSearch,
): Promise<Hex[]> {
  const { tokens, party, head } = search;
  const amounts = search.amounts?.map((amount) => numberToHex(amount, { size: 32 })) ?? null;
  const topics = toTopicLists(encodeEventTopics({ abi: erc20Abi, eventName: "Transfer", args: party }));
  const { logs } = await searchLogs(client, {
    range: { from: Math.max(search.from, head - TRANSFER_BLOCKS + 1), to: head },
    filters: [{ addresses: tokens.map((token) => token.toLowerCase()), topics }],
    maxRequests: MAX_TRANSFER_REQUESTS,
  }).catch(emptyWhenRefused);
  const fitting = logs.filter(({ data }) => amounts === null || amounts.some((amount) => amount === data));
  return [...new Set(fitting.map(({ txHash }) => txHash))];
}

function emptyWhenRefused(error: unknown): LogReading {
  if (error instanceof RpcError) return { logs: [], read: null, complete: false };
  throw error;
}

/**
 * Number of blocks below the head block that are searched for Router deposits. Users send a deposit soon after it was
 * built.
 */
const REFERENCE_BLOCKS = 1_000;
/** Maximum number of RPC requests for one search for Router deposits, including rejected ones. */
const MAX_REFERENCE_REQUESTS = 4;

/**
 * Searches the newest blocks of the vaults' chains for Router deposits that belong to the given rows of the deposits
 * table, with one search per chain. Returns transaction hashes by deposit reference. A chain that cannot be searched is
 * logged and left out.
 */
export async function findDepositsByReference(
  ctx: Context,
  rows: readonly DepositRow[],
): Promise<ReadonlyMap<string, Hex>> {
  const chainIds = new Set(rows.map(({ vaultChainId }) => vaultChainId));
  const searches = [...chainIds].map(async (chainId) => {
    const refs = rows.flatMap(({ vaultChainId, ref }) => (vaultChainId === chainId ? [ref as Hex] : []));
    const client = ctx.chains.client(chainId);
    if (client === null) return [];
    try {
      return [...(await findRouterDeposits(client, { refs, blocks: REFERENCE_BLOCKS }))];
    } catch (error) {
      ctx.log.warn("references_unsearched", { chain_id: chainId, error: describeError(error) });
      return [];
    }
  });
  return new Map((await Promise.all(searches)).flat());
}

/**
 * Searches the last `blocks` blocks for deposits through the Router. Returns the newest transaction hash of each
 * deposit reference found. Nodes are not trusted: the caller must verify the transactions. Errors of the chain client
 * propagate.
 */
export async function findRouterDeposits(
  client: ChainClient,
  { refs, blocks }: { refs: readonly Hex[]; blocks: number },
): Promise<Map<Hex, Hex>> {
  const head = RpcNumber.parse(await client.request("eth_blockNumber", []));
  const { logs } = await searchLogs(client, {
    range: { from: Math.max(0, head - blocks), to: head },
    filters: [{ addresses: [depositRouterAddress.toLowerCase()], topics: executedOrderTopics(refs) }],
    order: "newest_first",
    maxRequests: MAX_REFERENCE_REQUESTS,
  });
  return new Map(
    logs.reverse().flatMap(({ topics: [, ref], txHash }) => (ref === undefined ? [] : [[ref, txHash]])),
  );
}
