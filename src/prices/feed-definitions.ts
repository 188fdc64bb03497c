import type { Address } from "viem";

/** A price feed with Chainlink's interface, and what it must say about itself on chain before it is used. */
export interface FeedDefinition {
  proxy: Address;
  /** Decimals of the feed's answers. */
  decimals: number;
  /** The pairs that `description()` may name, in uppercase, such as `ETH/USD`. */
  pairs: readonly string[];
  /** Longest time between two updates that the operator states, in seconds. */
  heartbeatS: number;
  /** Deviation at which the operator updates the feed, in basis points. */
  deviationBps: number;
}

/** A token with the feeds whose answers, multiplied, are its price in US dollars. */
export interface TokenFeed {
  /** The zero address for the chain's native currency. */
  token: Address;
  /** What the token is worth one of, or close to one of, such as `USD` or `ETH`; null if nothing. */
  unit: string | null;
  feeds: readonly FeedDefinition[];
  /**
   * True if one of the feeds is a contract's exchange rate, or the price of what the token stands for: such a price
   * cannot see the token lose its value and judges no offer. Absent where the feeds observe this very token's markets.
   */
  nominal?: true;
}

/** The feeds of one chain. */
export interface ChainFeeds {
  /** Chainlink's sequencer uptime feed, or null if the chain has none. */
  sequencer: Address | null;
  tokens: readonly TokenFeed[];
}
