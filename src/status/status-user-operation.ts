import { encodeEventTopics, type Hex, slice } from "viem";
import type { ChainClient } from "../chains/chain-client.ts";
import { toTopicLists } from "../chains/log-filter.ts";
import { searchLogs } from "../chains/log-reader.ts";
import { readHeadNumber } from "../chains/read-block.ts";
import type { Context } from "../context.ts";
import { describeError } from "../lib/logger.ts";
import { entryPoints, userOperationAbi } from "../tracking/deposits/track-deposit-source.ts";

/** Number of newest blocks that are searched for a user operation. */
const SEARCHED_BLOCKS = 20_000;
/** Maximum number of blocks in one log request: the event is indexed by the hash, so that a wide range costs little. */
const WINDOW_BLOCKS = 10_000;
/** Maximum number of log requests of one search, including rejected ones. */
const MAX_REQUESTS = 3;

/** A user operation: the hash of its transaction, which may contain others, and its account in lowercase. */
interface FoundOperation {
  hash: Hex;
  account: Hex;
}

/**
 * Searches up to 20,000 newest blocks of a chain for a user operation and returns its transaction, to be verified by
 * the caller. Null if none was found or the search failed, which is logged. Source: ERC-4337, `UserOperationEvent`.
 */
export async function findUserOperation(
  ctx: Context,
  { client, operationHash }: { client: ChainClient; operationHash: Hex },
): Promise<FoundOperation | null> {
  const { chainId } = client.definition;
  const [abi, eventName] = [userOperationAbi(), "UserOperationEvent"] as const;
  const topics = encodeEventTopics({ abi, eventName, args: { userOpHash: operationHash } });
  try {
    const head = await readHeadNumber(client);
    const { logs } = await searchLogs(client, {
      range: { from: Math.max(0, head - SEARCHED_BLOCKS + 1), to: head },
      filters: [
        { addresses: entryPoints.map((address) => address.toLowerCase()), topics: toTopicLists(topics) },
      ],
      order: "newest_first",
      maxBlocks: WINDOW_BLOCKS,
      until: (found) => found.length > 0,
      maxRequests: MAX_REQUESTS,
    });
    const [log] = logs;
    const sender = log?.topics[2];
    return log === undefined || sender === undefined
      ? null
      : { hash: log.txHash, account: slice(sender, 12) };
  } catch (error) {
    ctx.log.warn("user_operation_unsearched", { chain_id: chainId, error: describeError(error) });
    return null;
  }
}
