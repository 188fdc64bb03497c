import { type Address, encodeEventTopics, erc20Abi, type Hex } from "viem";
import type { ChainClient } from "../chains/chain-client.ts";
import { type ChainLog, compareLogs } from "../chains/chain-logs.ts";
import { RpcError } from "../chains/json-rpc.ts";
import { toTopicLists } from "../chains/log-filter.ts";
import { type LogReading, searchLogs } from "../chains/log-reader.ts";
import type { Context } from "../context.ts";
import {
  type BlockRange,
  countBlocks,
  intersectRange,
  subtractRanges,
  uniteRanges,
} from "../lib/block-ranges.ts";
import { readSearchedBlocks, rememberSearch } from "./track-searched-blocks.ts";

/** Maximum number of blocks, from the head down, that every search reads. */
const NEWEST_BLOCKS = 16_000;
/** Maximum number of blocks in one request for older blocks, unless the node is known to accept fewer. */
const OLDER_WINDOW = 10_000;
/** Maximum number of RPC requests for the newest blocks, and again for older ones, including rejected requests. */
const MAX_REQUESTS = 10;
/** Number of the newest blocks that are searched again each time, because a reorg may replace them. */
const REORG_BLOCKS = 128;

/**
 * Maximum number of found transactions that one check reads where any amount is searched for (for a withdrawal, besides
 * those that settle it): anyone can send the user tokens, and each transaction takes three of a check's requests.
 */
export const MAX_UNPROVING = 40;
/** Number of log positions of a block: more than any block has logs. */
const POSITIONS_PER_BLOCK = 2 ** 20;

/** A search for token transfers of one account that may belong to a deposit or withdrawal. */
export interface TransferSearch {
  client: Pick<ChainClient, "onOneNode" | "definition">;
  /** Tracking id of the deposit or withdrawal, or a key of the untracked request, to which the transfers may belong. */
  trackingId: string;
  tokens: readonly Address[];
  /** The account that sends or receives the tokens. */
  party: { to: Address } | { from: Address };
  /** Amounts to search for, in the token's smallest unit, or null for any amount. */
  amounts: readonly bigint[] | null;
  /**
   * What the transactions are looked through for, as text: what one reading passed over, another may recognize. Absent if
   * that never changes.
   */
  lookFor?: string;
  /** First block to search. */
  from: number;
  /** Last block to search: the chain's head block. */
  head: number;
}

/** The result of a search for token transfers: the transactions that it found. */
export interface FoundTransfers {
  /** Hashes of the transactions, oldest first; of more than `MAX_UNPROVING` only those that were not judged before. */
  hashes: Hex[];
  /** False if blocks remain that a later search will read. True also if nodes returned no older blocks this time. */
  complete: boolean;
  /** True if all blocks were read, now or by earlier searches, so that what was not found did not happen. */
  gapless: boolean;
  /**
   * Records where a later search goes on, which finds again what proves something or was not read. Throws
   * `store_unavailable`; a failure of Redis is only logged.
   */
  noteSearched(judged?: Judged): Promise<void>;
}

/** What a check made of the transactions that a search found. */
interface Judged {
  /** The transactions that prove something: further searches find them again. Absent if none does. */
  proving?: readonly Hex[];
  /** The first of `hashes` that the check did not read. Absent if it read all. */
  next?: Hex | undefined;
}

/**
 * Finds transactions with matching ERC-20 transfers from block `from` to the head. A search may read only some of the
 * blocks, for the next one to continue, and skips what nodes refuse. Throws `upstream_unavailable`, `upstream_timeout`.
 */
export async function findTransfers(ctx: Context, search: TransferSearch): Promise<FoundTransfers> {
  const { from, head } = search;
  const newest = { from: Math.max(from, head - NEWEST_BLOCKS + 1), to: head };
  const recent = await readTransfers(search, { range: newest });
  if (from === newest.from && recent.complete) {
    const { hashes, noteJudged } = await findUnjudged(ctx, { search, readings: [recent] });
    return { hashes, complete: true, gapless: true, noteSearched: noteJudged };
  }
  const before = await readSearchedBlocks(ctx, keyOf(search));
  const gap = subtractRanges({ from, to: head }, uniteRanges([...before, ...rangesOf(recent)])).at(-1);
  const further =
    gap === undefined ? NOTHING_READ : await readTransfers(search, { range: gap, maxBlocks: OLDER_WINDOW });
  const read = [...rangesOf(recent), ...rangesOf(further)];
  const covered = uniteRanges([...before, ...read.flatMap((range) => belowReorgs(range, head))]);
  const isLeft =
    read.length > 0 && countBlocks(subtractRanges({ from, to: head - REORG_BLOCKS }, covered)) > 0;
  const { hashes, noteJudged } = await findUnjudged(ctx, { search, readings: [further, recent] });
  return {
    hashes,
    complete: !isLeft || !rangesOf(further).some((range) => belowReorgs(range, head).length > 0),
    gapless: subtractRanges({ from, to: head }, uniteRanges([...before, ...read])).length === 0,
    async noteSearched(judged = {}) {
      await noteJudged(judged);
      if (judged.next !== undefined || (judged.proving ?? []).length > 0) return;
      const trackingId = isLeft ? search.trackingId : null;
      await rememberSearch(ctx, { key: keyOf(search), covered, trackingId });
    },
  };
}

/**
 * Returns the transactions that a search found; if these are more than one check reads, without those judged before.
 * `noteJudged` remembers those before `next`, except for the proving ones; it does nothing if there is no `next`.
 */
async function findUnjudged(
  ctx: Context,
  { search, readings }: { search: TransferSearch; readings: readonly LogReading[] },
): Promise<{ hashes: Hex[]; noteJudged(judged?: Judged): Promise<void> }> {
  const { head, trackingId } = search;
  const logs = readings.flatMap((reading) => reading.logs).sort(compareLogs);
  // By positions of logs, because one block may contain more transactions than one check reads.
  const key = `${keyOf(search)}:judged`;
  const before = hashesIn(logs, search).length > MAX_UNPROVING ? await readSearchedBlocks(ctx, key) : [];
  const open = logs.filter((log) => intersectRange(before, positionOf(log)).length === 0);
  const noteJudged = async ({ proving = [], next }: Judged = {}): Promise<void> => {
    const first = open.find(({ txHash }) => txHash === next);
    if (first === undefined) return;
    const until = { from: 0, to: positionOf(first).from - 1 };
    const kept = uniteRanges(open.filter(({ txHash }) => proving.includes(txHash)).map(positionOf));
    const judged = readings
      .flatMap(rangesOf)
      .flatMap((range) => belowReorgs(range, head))
      .flatMap((range) => intersectRange([positionsIn(range)], until))
      .flatMap((range) => subtractRanges(range, kept));
    await rememberSearch(ctx, { key, covered: uniteRanges([...before, ...judged]), trackingId });
  };
  return { hashes: hashesIn(open, search), noteJudged };
}

/** Returns the position of a log among all logs of its chain, as a range. */
function positionOf({ blockNumber, logIndex }: ChainLog): BlockRange {
  const at = blockNumber * POSITIONS_PER_BLOCK + logIndex;
  return { from: at, to: at };
}

/** Returns the positions of all logs that the blocks of a range can have. */
const positionsIn = ({ from, to }: BlockRange): BlockRange => ({
  from: from * POSITIONS_PER_BLOCK,
  to: (to + 1) * POSITIONS_PER_BLOCK - 1,
});

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
 * Key under which the searched blocks are remembered. It differs by row, by amounts and by what is looked for, because
 * transactions that prove nothing for one row, or have another amount, may still belong to another search.
 */
function keyOf({ client, trackingId, party, tokens, amounts, from, lookFor }: TransferSearch): string {
  const [[side, account] = []] = Object.entries(party);
  const sought = lookFor === undefined ? "" : `:${lookFor}`;
  const what = `${tokens.join()}:${amounts?.join() ?? "any"}:${from}${sought}`;
  return `searched:${trackingId}:${client.definition.chainId}:${side}:${account}:${what}`.toLowerCase();
}
