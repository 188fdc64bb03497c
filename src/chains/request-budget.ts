import type { ChainClient, NodeSession } from "./client.ts";

/** Bounds of one run's reading: requests to nodes that are left, and what one question about logs may hold. */
export interface RequestBudget {
  requests: number;
  /** Blocks. */
  span: number;
  /** Blocks of the last question that was answered in full, unless as many were refused since; 0: none. */
  granted: number;
  /** Questions to be answered before a longer one is tried: many, once one was refused. */
  contentFor: number;
  /** Contracts. */
  addresses: number;
  /** Kinds of events. */
  topics: number;
  /** Whether the time for reading is over: then what was read is confirmed and stored. */
  late: () => boolean;
}

/** Contracts in one question: more make some nodes refuse. */
const MAX_FILTER_ADDRESSES = 500;
/** More than all families know. */
const MAX_FILTER_TOPICS = 100;
/** A run that has less left does not begin anew on another node. */
const MIN_REQUESTS_PER_NODE = 10;

/** Whether a run may begin anew on another node. */
export const affordsAnotherNode = ({ requests, late }: RequestBudget): boolean =>
  requests >= MIN_REQUESTS_PER_NODE && !late();

/** What a run may spend, before any node has refused anything. `topics`: what the chain's nodes are known to grant. */
export function createBudget(of: {
  requests: number;
  span: number;
  topics: number | null;
  late?: () => boolean;
}): RequestBudget {
  const { requests, span, topics, late = () => false } = of;
  return {
    requests,
    span,
    granted: 0,
    contentFor: 0,
    addresses: MAX_FILTER_ADDRESSES,
    topics: topics ?? MAX_FILTER_TOPICS,
    late,
  };
}

/**
 * Does work on the first node that is well, every request of which the budget pays for. What one node refuses says
 * nothing of another, so each begins with the first grants; what was asked in vain is spent all the same, and once
 * too little is left no further node is tried. Throws as the client's `onOneNode`.
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
      const done = await work({ request }, own);
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
