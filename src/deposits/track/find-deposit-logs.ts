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
import { routerDepositTopics } from "../../router/router-codec.ts";

/** Blocks below the head that are searched for transfers: more than pass between two checks of a deposit. */
const TRANSFER_BLOCKS = 16_000;
/** Requests of one search for transfers, refused ones included. */
const MAX_TRANSFER_REQUESTS = 10;

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
 * Returns the transactions of ERC-20 transfers that match, the oldest first, from block `from` but at most 16,000 blocks
 * below the head. Empty when the last node refuses the request. Throws `upstream_unavailable`, `upstream_timeout`.
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

/** Blocks below the head that are searched for Router deposits: they are sent soon after they were built. */
const REFERENCE_BLOCKS = 1_000;
/** Requests of one search for Router deposits, refused ones included. */
const MAX_REFERENCE_REQUESTS = 4;

/**
 * Searches the newest blocks of each chain for Router deposits of these rows, one search a chain. Returns transaction
 * hashes by reference; a chain that does not answer is logged and left out.
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
 * Searches the last `blocks` blocks for deposits through the Router. Returns the newest transaction of each reference
 * that was found; a node's answer is a hint for the caller to verify. Throws what the chain client throws.
 */
export async function findRouterDeposits(
  client: ChainClient,
  { refs, blocks }: { refs: readonly Hex[]; blocks: number },
): Promise<Map<Hex, Hex>> {
  const head = RpcNumber.parse(await client.request("eth_blockNumber", []));
  const { logs } = await searchLogs(client, {
    range: { from: Math.max(0, head - blocks), to: head },
    filters: [{ addresses: [depositRouterAddress.toLowerCase()], topics: routerDepositTopics(refs) }],
    order: "newest_first",
    maxRequests: MAX_REFERENCE_REQUESTS,
  });
  return new Map(
    logs.reverse().flatMap(({ topics: [, ref], txHash }) => (ref === undefined ? [] : [[ref, txHash]])),
  );
}
