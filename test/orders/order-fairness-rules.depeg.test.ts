import { describe, expect, test } from "vitest";
import { combinePrices } from "../../src/prices/combine-prices.ts";
import { priceKey, type TokenPrice } from "../../src/prices/price.ts";
import { findUnfairness } from "../support/economics/judge.ts";
import { honest, type Lie } from "../support/economics/lies.ts";
import { priceOfToken, type Trade, type TradedToken, trades } from "../support/economics/trades.ts";
import { tradeWith } from "../support/economics/world.ts";

const BPS = 10_000;
/** Error of market prices, in basis points. */
const MARKET_ERROR_BPS = 100;

/** The trades into a dollar token, paid in another asset. */
const swaps = trades.filter(({ same, to }) => !same && to.unit === "USD");
const bridged = trades.filter(({ same, to }) => same && to.unit === "USD");

/** A trade in which a dollar token is worth something else than a dollar. */
const worth = (trade: Trade, side: "from" | "to", bps: number): Trade => ({
  ...trade,
  [side]: { ...trade[side], usd: (trade[side].usd * BigInt(bps)) / 10_000n },
});

/** What feed and market together say of a token, the market being off by `bps`. */
function combined(token: TradedToken, bps: number): TokenPrice {
  const key = priceKey({ chainId: token.chainId, token: token.address });
  const feed = priceOfToken(token);
  const usd = (token.usd * BigInt(bps)) / 10_000n;
  const market = {
    ...feed,
    ...{ usd, low: usd, high: usd },
    source: "market" as const,
    errorBps: MARKET_ERROR_BPS,
  };
  const price = combinePrices(new Map([[key, feed]]), new Map([[key, market]])).get(key);
  if (price === undefined) throw new Error("no price");
  return price;
}

/** An honest provider whose figures are a part of the fair ones, in basis points. */
const giving = (bps: number): Lie => ({
  ...honest,
  quoted: Math.floor((honest.quoted * bps) / BPS),
  built: Math.floor((honest.built * bps) / BPS),
});

describe.each([9_700, 9_000, 5_000, 11_000])("a dollar token at %i hundredths of a cent", (bps) => {
  test.each(swaps)("is bought at its price, not at its peg: $name", async (trade) => {
    const off = worth(trade, "to", bps);
    const { code, routed } = await tradeWith(off, { lifi: honest, across: null });
    expect(code).toBeNull();
    if (routed === null) throw new Error("refused");
    expect(findUnfairness(off, honest, routed)).toBeNull();
  });

  // Within the bands, three hundredths of a dollar may be missing.
  test.runIf(Math.abs(bps - BPS) > 400).each(swaps)("is not bought as a dollar: $name", async (trade) => {
    const off = worth(trade, "to", bps);
    // As many tokens as there would be at the peg: too few below it, and too many to be true above it.
    const { code } = await tradeWith(off, { lifi: giving(bps), across: null });
    expect(code).toBe("price_unsafe");
  });

  test.each(bridged)("crosses unit for unit, whatever it is worth: $name", async (trade) => {
    const off = worth(worth(trade, "from", bps), "to", bps);
    const { code } = await tradeWith(off, { lifi: honest, across: null });
    expect(code).toBeNull();
  });
});

describe("feed and market disagree", () => {
  test.each([9_000, 9_500, 9_700])("on the token asked for, at %i: the lower price judges", async (bps) => {
    for (const trade of swaps) {
      const priceOf = (token: TradedToken) =>
        token.address === trade.to.address ? combined(token, bps) : priceOfToken(token);
      expect(priceOf(trade.to)).toMatchObject({ disputed: true, high: trade.to.usd });
      // Fair by the feed alone: too little if the market is right.
      const byFeed = await tradeWith(trade, { lifi: giving(BPS - 200), across: null }, { priceOf });
      expect(byFeed.code).toBe("price_unsafe");
      // Fair by the market: accepted, although the feed finds it too good.
      const byMarket = await tradeWith(
        trade,
        { lifi: giving(Math.ceil((BPS * BPS) / bps)), across: null },
        { priceOf },
      );
      expect(byMarket.code).toBeNull();
    }
  });

  test.each([11_000, 10_500])("on the token paid, at %i: the higher price judges", async (bps) => {
    for (const trade of swaps) {
      const priceOf = (token: TradedToken) =>
        token.address === trade.from.address ? combined(token, bps) : priceOfToken(token);
      expect(priceOf(trade.from)).toMatchObject({ disputed: true, low: trade.from.usd });
      const byFeed = await tradeWith(trade, { lifi: giving(BPS - 100), across: null }, { priceOf });
      expect(byFeed.code).toBe("price_unsafe");
      const byMarket = await tradeWith(trade, { lifi: giving(bps), across: null }, { priceOf });
      expect(byMarket.code).toBeNull();
    }
  });

  test("by less than their errors and a hundredth: nothing is disputed, and the feed judges", async () => {
    for (const trade of swaps) {
      const priceOf = (token: TradedToken) => combined(token, 9_900);
      expect(priceOf(trade.to)).toMatchObject({ disputed: false, low: trade.to.usd, high: trade.to.usd });
      const { code } = await tradeWith(trade, { lifi: honest, across: null }, { priceOf });
      expect(code).toBeNull();
    }
  });

  test("does not concern what crosses unit for unit", async () => {
    for (const trade of bridged) {
      const priceOf = (token: TradedToken) => combined(token, 9_000);
      const { code } = await tradeWith(trade, { lifi: honest, across: null }, { priceOf });
      expect(code).toBeNull();
    }
  });
});
