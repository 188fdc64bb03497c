import { encodeEventTopics, type Hex, parseEventLogs } from "viem";
import type { ChainClient } from "../../../chains/chain-client.ts";
import { toTopicLists } from "../../../chains/log-filter.ts";
import { searchLogs } from "../../../chains/log-reader.ts";
import { readBlock } from "../../../chains/read-block.ts";
import { type ChainLog, toViemLog } from "../../../chains/request-logs.ts";
import type { BlockTime } from "../../../lib/block-ranges.ts";
import { spokePoolAbi } from "../across-abi.ts";
import type { AcrossDeployment } from "../across-deployments.ts";
import { isSameRelay } from "./across-fill.ts";
import type { AcrossDeposit } from "./across-spoke-pool.ts";

/** Bounds of a search: blocks per request, blocks below the head, and requests. */
const MAX_RANGE = 10_000;
const MAX_LOOKBACK = 100_000;
const MAX_REQUESTS = 8;
/** Number of blocks over which the chain's block time is measured. */
const PACE_BLOCKS = 1_000;

interface FillSearch {
  deposited: AcrossDeposit;
  destination: AcrossDeployment;
  head: BlockTime;
}

/**
 * Searches the destination chain for the transaction that filled a deposit, from the time of the deposit on. Null
 * when not found, which is no proof of absence: the search is bounded. Throws the chain client's failures, except for
 * refusals of too large requests.
 */
export async function searchFill(client: ChainClient, search: FillSearch): Promise<Hex | null> {
  const { deposited, destination, head } = search;
  const args = { originChainId: BigInt(deposited.originChainId), depositId: deposited.depositId };
  const topics = encodeEventTopics({ abi: spokePoolAbi(), eventName: "FilledRelay", args }).slice(0, 3);
  const { logs } = await searchLogs(client, {
    range: { from: await firstPossibleBlock(client, search), to: head.number },
    filters: [{ addresses: [destination.spokePool.toLowerCase()], topics: toTopicLists(topics) }],
    until: (found) => findFillTransaction(found, deposited) !== null,
    maxRequests: MAX_REQUESTS,
    maxBlocks: MAX_RANGE,
  });
  return findFillTransaction(logs, deposited);
}

function findFillTransaction(logs: readonly ChainLog[], deposited: AcrossDeposit): Hex | null {
  const fills = parseEventLogs({
    abi: spokePoolAbi(),
    eventName: "FilledRelay",
    logs: logs.map(toViemLog),
  });
  return fills.find(({ args }) => isSameRelay(args, deposited))?.transactionHash ?? null;
}

/**
 * Returns the first block to search: the deposit's, estimated by the average block time, less 20 % and 100 blocks.
 */
async function firstPossibleBlock(client: ChainClient, { deposited, head }: FillSearch): Promise<number> {
  if (head.number <= PACE_BLOCKS) return 0;
  const oldest = Math.max(0, head.number - MAX_LOOKBACK);
  const past = await readBlock(client, head.number - PACE_BLOCKS);
  const seconds = head.timestamp - past.timestamp;
  const age = head.timestamp - deposited.quoteTimestamp;
  if (seconds <= 0 || age < 0) return oldest;
  return Math.max(oldest, head.number - Math.floor((age * PACE_BLOCKS * 6) / (seconds * 5)) - 100);
}
