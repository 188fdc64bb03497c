import type { Prices, TokenPrice } from "./price.ts";

/**
 * Tolerated difference between a feed price and a market price, in addition to their own errors, in basis points: 2%,
 * and 1% for dollar stablecoins.
 */
const DISPUTE_BPS = 200;
const PEGGED_DISPUTE_BPS = 100;
const ALL_BPS = 10_000n;

/**
 * Combines feed and market prices. Of two, the feed price counts, unless only the market price may check offers
 * (`judges`). If both may and differ by more than 2% (1% for dollar stablecoins) plus their errors, the price is marked
 * as disputed, with bounds that span both.
 */
export function combinePrices(feeds: Prices, market: Prices): Map<string, TokenPrice> {
  const keys = new Set([...feeds.keys(), ...market.keys()]);
  const combined = new Map<string, TokenPrice>();
  for (const key of keys) {
    const price = combinePrice(feeds.get(key) ?? null, market.get(key) ?? null);
    if (price !== null) combined.set(key, price);
  }
  return combined;
}

function combinePrice(feed: TokenPrice | null, market: TokenPrice | null): TokenPrice | null {
  if (feed === null || market === null) return feed ?? market;
  const unit = feed.unit;
  if (!feed.judges && market.judges) return { ...market, unit };
  if (!feed.judges || !market.judges || !areDisputed(feed, market)) return feed;
  const [low, high] = feed.usd < market.usd ? [feed.usd, market.usd] : [market.usd, feed.usd];
  return { ...feed, low, high, disputed: true };
}

function areDisputed(feed: TokenPrice, market: TokenPrice): boolean {
  const allowed = (feed.unit === "USD" ? PEGGED_DISPUTE_BPS : DISPUTE_BPS) + feed.errorBps + market.errorBps;
  const difference = feed.usd > market.usd ? feed.usd - market.usd : market.usd - feed.usd;
  return difference * ALL_BPS > feed.usd * BigInt(allowed);
}
