import type { ChainClient, NodeSession } from "./chain-client.ts";

/**
 * Limits of one log reading: the remaining number of requests to nodes, the deadline, and the size of one `eth_getLogs`
 * request.
 */
export interface RequestBudget {
  requests: number;
  /** Minimum number of remaining requests for which a further node is tried. */
  readonly requestsPerNode: number;
  /** Number of blocks in one request. */
  blocks: number;
  /**
   * Number of blocks in the last full-width request that succeeded, while indexing; 0 if there is none, or the width
   * was reduced since after a request of that width or less.
   */
  lastGranted: number;
  /** Number of successful full-width requests before a wider range is tried, while indexing; 16 after a reduction. */
  answersBeforeWidening: number;
  /** Maximum number of contracts in one request. */
  addresses: number;
  /** Maximum number of topics in one list of a request. */
  topics: number;
  /** Returns true if the time for reading is over. */
  late: () => boolean;
}

/** Maximum number of contracts in one log request; some nodes reject requests with more. */
const MAX_FILTER_ADDRESSES = 500;
/** Maximum number of topics in one list of a log request; more than all vault families need together. */
const MAX_FILTER_TOPICS = 100;
/** Minimum number of requests for reading logs from one node, including those that confirm what was read. */
const MIN_REQUESTS_PER_NODE = 10;

/** Returns true if enough requests and time are left to start again on another node. */
export const affordsAnotherNode = ({ requests, requestsPerNode, late }: RequestBudget): boolean =>
  requests >= requestsPerNode && !late();

/**
 * Creates the request budget of a log reading. `blocks` is the number of blocks of the first request; `topics` is the
 * longest topic list that the nodes accept, or null if no limit is known (then 100). By default, there is no deadline
 * and a further node is tried with at least ten requests left.
 */
export function createBudget(limits: {
  requests: number;
  blocks: number;
  topics: number | null;
  requestsPerNode?: number;
  late?: () => boolean;
}): RequestBudget {
  const { topics, requestsPerNode = MIN_REQUESTS_PER_NODE, late = () => false } = limits;
  return {
    requests: limits.requests,
    requestsPerNode,
    blocks: limits.blocks,
    lastGranted: 0,
    answersBeforeWidening: 0,
    addresses: MAX_FILTER_ADDRESSES,
    topics: topics ?? MAX_FILTER_TOPICS,
    late,
  };
}

/**
 * Calls `work` like `onOneNode`, on a further node only if the budget allows it, and deducts each request. The budget
 * keeps the request sizes of the node that succeeded. Throws the errors of `onOneNode`.
 */
export function onOneNodeWithinBudget<T>(
  client: Pick<ChainClient, "onOneNode">,
  budget: RequestBudget,
  work: (node: NodeSession, own: RequestBudget) => Promise<T>,
): Promise<T> {
  let last: unknown;
  return client.onOneNode(async (node) => {
    // The same error again ends the tries, and is not held against this node.
    if (last !== undefined && !affordsAnotherNode(budget)) throw last;
    const own = { ...budget };
    const request: NodeSession["request"] = (method, params) => {
      own.requests -= 1;
      return node.request(method, params);
    };
    try {
      const done = await work({ ...node, request }, own);
      Object.assign(budget, own);
      return done;
    } catch (error) {
      last = error;
      throw error;
    } finally {
      budget.requests = own.requests;
    }
  });
}
