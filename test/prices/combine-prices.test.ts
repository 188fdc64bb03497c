import { describe, expect, test } from "vitest";
import { combinePrices } from "../../src/prices/combine-prices.ts";
import type { TokenPrice } from "../../src/prices/price.ts";
import { feedPriceOf } from "../support/prices/fake-feeds.ts";

const USD = 10n ** 18n;
const marketPriceOf = (usd: bigint, change: Partial<TokenPrice> = {}): TokenPrice =>
  feedPriceOf(usd, { source: "market", confidence: 0.99, ...change });
const combine = (feed: TokenPrice | null, market: TokenPrice | null): TokenPrice | undefined =>
  combinePrices(
    new Map(feed === null ? [] : [["a", feed]]),
    new Map(market === null ? [] : [["a", market]]),
  ).get("a");

describe("combinePrices()", () => {
  test("takes the feed, then the market, then nothing", () => {
    const [feed, market] = [feedPriceOf(USD), marketPriceOf(USD)];
    expect(combine(feed, market)).toBe(feed);
    expect(combine(feed, null)).toBe(feed);
    expect(combine(null, market)).toBe(market);
    expect(combine(null, null)).toBeUndefined();
  });

  test("takes the market where the feed cannot see a depeg, with the feed's unit", () => {
    const feed = feedPriceOf(USD, { judges: false, unit: "USD" });
    expect(combine(feed, marketPriceOf(USD / 2n))).toEqual(marketPriceOf(USD / 2n, { unit: "USD" }));
    expect(combine(feed, marketPriceOf(USD / 2n, { judges: false }))).toBe(feed);
  });

  test("spans both prices where they differ by a tenth", () => {
    for (const other of [(USD * 11n) / 10n, (USD * 9n) / 10n]) {
      const disputed = combine(feedPriceOf(USD), marketPriceOf(other));
      const [low, high] = other < USD ? [other, USD] : [USD, other];
      expect(disputed).toEqual(feedPriceOf(USD, { low, high, disputed: true }));
    }
  });

  test("tolerates 2 % and the errors of both, and 1 % for dollar stablecoins", () => {
    const disputed = (difference: bigint, unit: string | null) =>
      combine(feedPriceOf(USD, { unit }), marketPriceOf(USD + difference))?.disputed;
    for (const [bps, unit] of [
      [300n, null],
      [200n, "USD"],
    ] as const) {
      const most = (USD * bps) / 10_000n;
      expect([disputed(most, unit), disputed(most + 1n, unit)]).toEqual([false, true]);
      expect([disputed(-most, unit), disputed(-most - 1n, unit)]).toEqual([false, true]);
    }
  });

  test("does not dispute a feed by a market price that may not judge", () => {
    expect(combine(feedPriceOf(USD), marketPriceOf(2n * USD, { judges: false }))?.disputed).toBe(false);
  });
});
