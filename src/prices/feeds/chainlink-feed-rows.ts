import type { Address } from "viem";
import type { ChainFeeds, FeedDefinition } from "./price-feed.ts";

/** A feed: proxy, heartbeat in seconds, deviation in basis points, and decimals if they are not 8. */
type FeedRow = readonly [proxy: Address, heartbeatS: number, deviationBps: number, decimals?: number];
/**
 * A token: its address; the unit that it is pegged to or tracks (empty for none; the prefix `nominal` marks a price
 * that would not reflect a depeg); and the feeds whose answers are multiplied to give its price, separated by spaces.
 */
type TokenRow = readonly [token: Address, unit: string, pairs: string];

/**
 * Builds the price feeds of a chain from compact rows. A key of `feeds` names the pairs that the feed's description may
 * name, separated by `|`; a token names its feeds by these keys. Throws an Error for an unknown key.
 */
export function chainFeeds(chain: {
  sequencer: Address | null;
  feeds: Readonly<Record<string, FeedRow>>;
  tokens: readonly TokenRow[];
}): ChainFeeds {
  const feeds = new Map<string, FeedDefinition>();
  for (const [names, [proxy, heartbeatS, deviationBps, decimals = 8]] of Object.entries(chain.feeds)) {
    feeds.set(names, { proxy, decimals, pairs: names.split("|"), heartbeatS, deviationBps });
  }
  const feedOf = (pair: string): FeedDefinition => {
    const feed = feeds.get(pair);
    if (feed === undefined) throw new Error(`no feed of ${pair}`);
    return feed;
  };
  const tokens = chain.tokens.map(([token, kind, pairs]) => {
    const unit = kind.replace(/^nominal ?/, "");
    const row = { token, unit: unit === "" ? null : unit, feeds: pairs.split(" ").map(feedOf) };
    return kind.startsWith("nominal") ? ({ ...row, nominal: true } as const) : row;
  });
  return { sequencer: chain.sequencer, tokens };
}
