import { PARTS_PER_BILLION } from "../lib/amount.ts";
import type { Prices, TokenPrice } from "./price.ts";

/** How far feed and market may differ besides their errors: 2 %, and 1 % for dollar stablecoins. In basis points. */
const DISPUTE_BPS = 200;
const PEGGED_DISPUTE_BPS = 100;
const ALL_BPS = 10_000n;

/**
 * Combines the prices of feeds and of the market. A token's price is the feed's if there is one that may judge, else
 * the market's. If both may judge and differ by more than their errors allow, the price is disputed and spans both.
 * Pure.
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

/** Price of a dollar stablecoin at its peg. */
const PEG_USD = 10n ** 18n;

/**
 * Returns how far a dollar stablecoin is from its peg, as parts per billion of a dollar: negative below it. Null for
 * other tokens. A disputed price counts with the bound that is farther off.
 */
export function depegOf({ unit, low, high }: Pick<TokenPrice, "unit" | "low" | "high">): bigint | null {
  if (unit !== "USD") return null;
  const [below, above] = [PEG_USD - low, high - PEG_USD];
  const off = below > above ? -below : above;
  return (off * PARTS_PER_BILLION) / PEG_USD;
}
