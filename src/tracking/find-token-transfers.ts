import { type Address, encodeEventTopics, erc20Abi, type Hex } from "viem";
import type { ChainClient } from "../chains/chain-client.ts";
import { type ChainLog, compareLogs } from "../chains/chain-logs.ts";
import { RpcError } from "../chains/json-rpc.ts";
import { toTopicLists } from "../chains/log-filter.ts";
import { type LogReading, searchLogs } from "../chains/log-reader.ts";
import type { Context } from "../context.ts";
import { type BlockRange, countBlocks, subtractRanges, uniteRanges } from "../lib/block-ranges.ts";
import { readSearchedBlocks, rememberSearch } from "./deposits/track-searched-blocks.ts";

/** Maximum number of blocks below the head block that every search reads. */
const NEWEST_BLOCKS = 16_000;
/** Maximum number of blocks in one request for older blocks, unless the node is known to accept fewer. */
const OLDER_WINDOW = 10_000;
/** Maximum number of RPC requests for the newest blocks, and again for older ones, including rejected requests. */
const MAX_REQUESTS = 10;
/** Number of the newest blocks that are searched again each time, because a reorg may replace them. */
const REORG_BLOCKS = 128;

/** A search for token transfers of one account that may belong to a deposit or withdrawal. */
export interface TransferSearch {
  client: Pick<ChainClient, "onOneNode" | "definition">;
  /** The deposit or withdrawal to which the transfers may belong. */
  trackingId: string;
  tokens: readonly Address[];
  /** The account that sends or receives the tokens. */
  party: { to: Address } | { from: Address };
  /** Amounts to search for, in the token's smallest unit, or null for any amount. */
  amounts: readonly bigint[] | null;
  /** First block to search. */
  from: number;
  /** Last block to search: the chain's head block. */
  head: number;
}

/** The result of a search for token transfers: the transactions that it found. */
export interface FoundTransfers {
  /** Hashes of the transactions, oldest first. */
  hashes: Hex[];
  /** False if blocks remain that a later search will read. True also if this search could read none of them. */
  complete: boolean;
  /** Records which blocks were searched. Call it once the transactions prove nothing. Throws `store_unavailable`. */
  noteSearched(): Promise<void>;
}

/**
 * Finds transactions with matching ERC-20 transfers from block `from` to the head. A search may read only some of the
 * blocks, for the next one to continue, and skips what nodes refuse. Throws `upstream_unavailable`, `upstream_timeout`.
 */
export async function findTransfers(ctx: Context, search: TransferSearch): Promise<FoundTransfers> {
  const { from, head } = search;
  const newest = { from: Math.max(from, head - NEWEST_BLOCKS + 1), to: head };
  const recent = await readTransfers(search, { range: newest });
  const noteNothing = async (): Promise<void> => undefined;
  if (from === newest.from && recent.complete)
    return {
      ...{ hashes: hashesIn(recent.logs.sort(compareLogs), search), complete: true },
      noteSearched: noteNothing,
    };
  const before = await readSearchedBlocks(ctx, keyOf(search));
  const gap = subtractRanges({ from, to: head }, uniteRanges([...before, ...rangesOf(recent)])).at(-1);
  const further =
    gap === undefined ? NOTHING_READ : await readTransfers(search, { range: gap, maxBlocks: OLDER_WINDOW });
  const read = [...rangesOf(recent), ...rangesOf(further)];
  const covered = uniteRanges([...before, ...read.flatMap((range) => belowReorgs(range, head))]);
  const isLeft =
    read.length > 0 && countBlocks(subtractRanges({ from, to: head - REORG_BLOCKS }, covered)) > 0;
  return {
    hashes: hashesIn([...further.logs, ...recent.logs].sort(compareLogs), search),
    complete: !isLeft || !rangesOf(further).some((range) => belowReorgs(range, head).length > 0),
    noteSearched: () =>
      rememberSearch(ctx, { key: keyOf(search), covered, trackingId: isLeft ? search.trackingId : null }),
  };
}

const NOTHING_READ: LogReading = { logs: [], read: null, complete: true };
const rangesOf = ({ read }: LogReading): BlockRange[] => (read === null ? [] : [read]);
/** Returns the part of a range that a reorg is not expected to replace; empty if there is none. */
const belowReorgs = ({ from, to }: BlockRange, head: number): BlockRange[] =>
  from > head - REORG_BLOCKS ? [] : [{ from, to: Math.min(to, head - REORG_BLOCKS) }];

/** Reads a range of blocks, newest first, within the request limit of one search. */
function readTransfers(
  search: TransferSearch,
  reading: { range: BlockRange; maxBlocks?: number },
): Promise<LogReading> {
  const filters = [filterOf(search)];
  return searchLogs(search.client, {
    ...{ ...reading, filters, order: "newest_first", maxRequests: MAX_REQUESTS },
  }).catch(emptyWhenRefused);
}

function filterOf({ tokens, party }: TransferSearch) {
  const topics = toTopicLists(encodeEventTopics({ abi: erc20Abi, eventName: "Transfer", args: party }));
  return { addresses: tokens.map((token) => token.toLowerCase()), topics };
}

function hashesIn(logs: readonly ChainLog[], search: TransferSearch): Hex[] {
  // No word has the digits of an amount above uint256.
  const amounts = search.amounts?.map((amount) => `0x${amount.toString(16).padStart(64, "0")}`) ?? null;
  const fitting = logs.filter(({ data }) => amounts === null || amounts.some((amount) => amount === data));
  return [...new Set(fitting.map(({ txHash }) => txHash))];
}

function emptyWhenRefused(error: unknown): LogReading {
  if (error instanceof RpcError) return { logs: [], read: null, complete: false };
  throw error;
}

/**
 * Key under which the searched blocks are remembered. It differs by row and by amounts, because transactions that prove
 * nothing for one row, or have another amount, may still belong to another search.
 */
function keyOf({ client, trackingId, party, tokens, amounts, from }: TransferSearch): string {
  const [[side, account] = []] = Object.entries(party);
  const what = `${tokens.join()}:${amounts?.join() ?? "any"}:${from}`;
  return `searched:${trackingId}:${client.definition.chainId}:${side}:${account}:${what}`.toLowerCase();
}
