import type { Address } from "viem";

/**
 * A price feed with Chainlink's interface, and what it must return on chain (decimals, description) to be used. Source:
 * Chainlink, AggregatorV3Interface.
 */
export interface FeedDefinition {
  proxy: Address;
  /** Decimals of the feed's answers. */
  decimals: number;
  /** The pairs that `description()` may name, in uppercase, such as `ETH/USD`. */
  pairs: readonly string[];
  /** Longest time between two updates that the operator states or that is assumed, in seconds. */
  heartbeatS: number;
  /** Deviation at which the operator updates the feed, stated or assumed, in basis points. */
  deviationBps: number;
}

/** A token, and the feeds whose answers are multiplied to give its price in US dollars. */
export interface TokenFeed {
  /** Address of the token; the zero address for the chain's native currency. */
  token: Address;
  /** Unit that the token is pegged to or tracks closely, such as `USD` or `ETH`, or null if there is none. */
  unit: string | null;
  feeds: readonly FeedDefinition[];
  /**
   * True if the price counts as unable to show a depeg of the token, because a feed is a contract's exchange rate, or
   * the price of what the token is backed by or pegged to. No offer is checked against such a price.
   */
  nominal?: true;
}

/** The price feeds of one chain, listed by token. */
export interface ChainFeeds {
  /** Chainlink's sequencer uptime feed, or null if the chain has none or it is unknown. */
  sequencer: Address | null;
  tokens: readonly TokenFeed[];
}
