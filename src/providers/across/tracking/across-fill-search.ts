import { encodeEventTopics, type Hex, parseEventLogs } from "viem";
import type { ChainClient } from "../../../chains/chain-client.ts";
import { type ChainLog, toViemLog } from "../../../chains/chain-logs.ts";
import { toTopicLists } from "../../../chains/log-filter.ts";
import { searchLogs } from "../../../chains/log-reader.ts";
import { readBlock } from "../../../chains/read-block.ts";
import type { BlockTime } from "../../../lib/block-ranges.ts";
import { spokePoolAbi } from "../across-abi.ts";
import type { AcrossDeployment } from "../across-deployments.ts";
import type { AcrossDeposit } from "./across-deposit-tracking.ts";
import { isSameRelay } from "./across-fill.ts";

/** Maximum number of blocks per log request in a search for a fill. */
const MAX_RANGE = 10_000;
/** Maximum number of blocks below the head that a search for a fill covers. */
const MAX_LOOKBACK = 100_000;
/** Maximum number of log requests per search for a fill. */
const MAX_REQUESTS = 8;
/** Number of recent blocks from which the average block time is computed. */
const PACE_BLOCKS = 1_000;

/** The inputs of a search for a fill: the Across deposit, and the destination chain's contracts and head. */
interface FillSearch {
  deposited: AcrossDeposit;
  destination: AcrossDeployment;
  head: BlockTime;
}

/**
 * Searches the destination chain's logs for the transaction that filled an Across deposit, and returns its hash.
 * Returns null if none was found, which does not prove that there is no fill. Errors of the nodes propagate.
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

/** Returns the hash of the transaction whose logs show a fill of the deposit, or null if there is none. */
function findFillTransaction(logs: readonly ChainLog[], deposited: AcrossDeposit): Hex | null {
  const fills = parseEventLogs({
    abi: spokePoolAbi(),
    eventName: "FilledRelay",
    logs: logs.map(toViemLog),
  });
  return fills.find(({ args }) => isSameRelay(args, deposited))?.transactionHash ?? null;
}

/**
 * Returns the first block to search: that of the deposit's quote time, estimated from the average block time, less a
 * margin; at most `MAX_LOOKBACK` blocks below the head, and exactly that if the times allow no estimate. 0 on a chain
 * with few blocks.
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
