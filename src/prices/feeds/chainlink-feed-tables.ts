import { ethereumFeeds } from "./ethereum-feeds.ts";
import type { ChainFeeds } from "./price-feed.ts";
import { rollupFeeds } from "./rollup-feeds.ts";
import { sovereignChainFeeds } from "./sovereign-chain-feeds.ts";

/**
 * The price feeds of the chains that the code supports, by chain id. Where no source states them, the heartbeat is
 * assumed to be one day and the deviation 1%. A bridged token is `nominal` if its feed prices the token on its home
 * chain.
 */
export const feedTables: Readonly<Record<number, ChainFeeds>> = {
  ...ethereumFeeds,
  ...rollupFeeds,
  ...sovereignChainFeeds,
};
