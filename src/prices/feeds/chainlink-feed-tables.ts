import { ethereumFeeds } from "./ethereum-feeds.ts";
import type { ChainFeeds } from "./price-feed.ts";
import { rollupFeeds } from "./rollup-feeds.ts";
import { sovereignChainFeeds } from "./sovereign-chain-feeds.ts";

/**
 * The price feeds of the chains that are defined in code, by chain id. A heartbeat that no source states is assumed to
 * be one day, and a deviation 1%.
 */
export const feedTables: Readonly<Record<number, ChainFeeds>> = {
  ...ethereumFeeds,
  ...rollupFeeds,
  ...sovereignChainFeeds,
};
