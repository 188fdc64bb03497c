import { ethereumFeeds } from "./ethereum-feeds.ts";
import { otherLayer1Feeds } from "./other-layer-1-feeds.ts";
import type { ChainFeeds } from "./price-feed.ts";
import { rollupFeeds } from "./rollup-feeds.ts";

/** The price feeds of the chains that are defined in code, by chain id. */
export const feedTables: Readonly<Record<number, ChainFeeds>> = {
  ...ethereumFeeds,
  ...rollupFeeds,
  ...otherLayer1Feeds,
};
