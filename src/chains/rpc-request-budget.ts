import type { ChainClient, NodeSession } from "./chain-client.ts";

/** Limits of one run's reading: requests to nodes that are left, and the size of one `eth_getLogs` request. */
export interface RequestBudget {
  requests: number;
  /** A further node is tried only with at least so many requests left. */
  readonly requestsPerNode: number;
  /** Blocks of one request. */
  blocks: number;
  /** Blocks of the last request that was answered in full, 0 when as many were refused since. */
  lastGranted: number;
  /** Answers to wait for before a wider range is tried: many after a refusal. */
  answersBeforeWidening: number;
  /** Contracts of one request. */
  addresses: number;
  /** Topics in one list of a request. */
  topics: number;
  /** Returns true when the time for reading is over: then what was read is confirmed and stored. */
  late: () => boolean;
}

/** Contracts in one request: more make some nodes refuse. */
const MAX_FILTER_ADDRESSES = 500;
/** More topics than all vault families together have. */
const MAX_FILTER_TOPICS = 100;
/** Requests that reading on one node takes at least, with those that confirm what was read. */
const MIN_REQUESTS_PER_NODE = 10;

/** Returns true when requests and time are left to start again on another node. */
export const affordsAnotherNode = ({ requests, requestsPerNode, late }: RequestBudget): boolean =>
  requests >= requestsPerNode && !late();

/**
 * Creates the budget of a run before any node has refused anything. `topics`: the longest topic list that the chain's
 * nodes are known to accept, null when they name no limit.
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
 * Does work on the first node that succeeds, and pays each of its requests from the budget. Each node starts with the
 * original limits, because one node's refusals say nothing about another; requests spent on failing nodes stay spent,
 * and no further node is tried once too few are left. Throws as the client's `onOneNode`.
 */
export function onOneNodeWithinBudget<T>(
  client: Pick<ChainClient, "onOneNode">,
  budget: RequestBudget,
  work: (node: NodeSession, own: RequestBudget) => Promise<T>,
): Promise<T> {
  let last: unknown;
  return client.onOneNode(async (node) => {
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
