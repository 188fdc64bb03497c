import type { ChainClient, NodeSession } from "../chains/client.ts";

/** Bounds of one run's reading: requests to nodes that are left, and what one question about logs may hold. */
export interface Budget {
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
const ADDRESSES = 500;
/** More than all families know. */
const TOPICS = 100;
/** A run that has less left does not begin anew on another node. */
const LEAST = 10;

/** Whether a run may begin anew on another node. */
export const affordsNode = ({ requests, late }: Budget): boolean => requests >= LEAST && !late();

/** What a run may spend, before any node has refused anything. `topics`: what the chain's nodes are known to grant. */
export function budgetOf(of: {
  requests: number;
  span: number;
  topics: number | null;
  late?: () => boolean;
}): Budget {
  const { requests, span, topics, late = () => false } = of;
  return { requests, span, granted: 0, contentFor: 0, addresses: ADDRESSES, topics: topics ?? TOPICS, late };
}

/**
 * Does work on the first node that is well, every request of which the budget pays for. What one node refuses says
 * nothing of another, so each begins with the first grants; what was asked in vain is spent all the same, and once
 * too little is left no further node is tried. Throws as the client's `onOneNode`.
 */
export function onOneNodeWithin<T>(
  client: Pick<ChainClient, "onOneNode">,
  budget: Budget,
  work: (node: NodeSession, own: Budget) => Promise<T>,
): Promise<T> {
  let last: unknown;
  return client.onOneNode(async (node) => {
    if (last !== undefined && !affordsNode(budget)) throw last;
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
