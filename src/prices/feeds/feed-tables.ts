import type { ChainFeeds } from "../feed-definitions.ts";
import { ethereumFeeds } from "./ethereum-feeds.ts";
import { rollupFeeds } from "./rollup-feeds.ts";
import { sovereignChainFeeds } from "./sovereign-chain-feeds.ts";

/**
 * The price feeds of the chains that the code supports, by chain id. A heartbeat that no source states is taken for a
 * day, an unknown deviation for 1 %. A token of a bridge is `nominal` where the feed is of what the token stands for.
 */
export const feedTables: Readonly<Record<number, ChainFeeds>> = {
  ...ethereumFeeds,
  ...rollupFeeds,
  ...sovereignChainFeeds,
};
