import type { Address } from "viem";
import { describe, expect, test } from "vitest";
import { createQuery } from "../../src/chains/chain-reads.ts";
import { priceKey } from "../../src/prices/price.ts";
import { PriceBook } from "../../src/prices/price-book.ts";
import {
  feedsOf,
  hasUnreadFeed,
  learnFeedPrices,
  pricesOfRequest,
  readPrices,
  readWithFeeds,
  requestMarketPrices,
} from "../../src/prices/read-prices.ts";
import { contractsClient, head } from "../support/chains/multicall.ts";
import { testContext } from "../support/context.ts";
import { holdTimeouts, sendSlowly, serve } from "../support/local-server.ts";
import {
  ETH_FEED,
  ETHER,
  type FakeFeed,
  feedContracts,
  STABLE,
  STAKED,
  testFeeds,
  USD_FEED,
} from "../support/prices/fake-feeds.ts";

const { chainId, timestamp } = head;
const USD = 10n ** 18n;
const UNLISTED: Address = "0x9999999999999999999999999999999999999999";
const ether = { chainId, token: ETHER };
const stable = { chainId, token: STABLE };
const staked = { chainId, token: STAKED };
const unlisted = { chainId, token: UNLISTED };
const nothing = createQuery({}, () => "own");

/** A deployment with the feeds of the tests and, if `coins` is given, a price API that knows these prices. */
async function deployment(
  world: { changes?: Readonly<Record<Address, FakeFeed>>; coins?: Readonly<Record<Address, number>> } = {},
) {
  const coins = Object.fromEntries(
    Object.entries(world.coins ?? {}).map(([token, price]) => [
      `${chainId}:${token.toLowerCase()}`,
      { price, timestamp: timestamp - 30, confidence: 0.99 },
    ]),
  );
  const api = await serve((_, response) => response.end(JSON.stringify({ coins })));
  const client = contractsClient(feedContracts(world.changes));
  const prices = {
    apiUrl: world.coins === undefined ? null : api.url,
    feeds: new Map([[chainId, testFeeds]]),
  };
  return { client, api, ctx: testContext({ clients: [client], config: { prices } as never }) };
}

const dollars = (prices: Awaited<ReturnType<typeof pricesOfRequest>>) =>
  Object.fromEntries(
    [...prices].map(([key, { usd, source }]) => [key.split(":")[1], `${source} ${Number(usd) / 1e18}`]),
  );

describe("readWithFeeds()", () => {
  test("reads feeds in the request of the query", async () => {
    const { ctx, client } = await deployment();
    const { value, block } = await readWithFeeds(ctx, { chainId, tokens: [ETHER, STABLE], query: nothing });
    expect([value, block.number, client.calls.length]).toEqual(["own", head.number, 1]);
    expect(dollars(await pricesOfRequest(ctx, [ether, stable]))).toEqual({
      [ETHER]: "feed 2000",
      [STABLE]: "feed 1",
    });
    expect(client.calls).toHaveLength(1);
  });

  test("confirms a feed once, and reports one that is not what the table says", async () => {
    const { ctx, client } = await deployment({ changes: { [USD_FEED]: { description: "USDT / USD" } } });
    const read = () => readWithFeeds(ctx, { chainId, tokens: [ETHER, STABLE], query: nothing });
    await read();
    const before = JSON.stringify(client.calls[0]?.params).length;
    await read();
    expect(JSON.stringify(client.calls[1]?.params).length).toBeLessThan(before);
    expect(dollars(await pricesOfRequest(ctx, [ether, stable]))).toEqual({ [ETHER]: "feed 2000" });
    expect(ctx.logged.filter(({ event }) => event === "price_feed_unused")).toMatchObject([
      { chain_id: chainId, feed: USD_FEED.toLowerCase(), problem: "description" },
    ]);
  });

  test("does not keep an earlier price of a feed that has become unusable", async () => {
    const changes: Record<Address, FakeFeed> = {};
    const { ctx } = await deployment({ changes });
    const read = () => readWithFeeds(ctx, { chainId, tokens: [ETHER], query: nothing });
    await read();
    changes[ETH_FEED] = { answer: 0n };
    await read();
    expect(dollars(await pricesOfRequest(ctx, [ether]))).toEqual({});
  });

  test("throws chain_unsupported for a chain that is not served", async () => {
    const { ctx } = await deployment();
    const read = readWithFeeds(ctx, { chainId: 5, tokens: [], query: nothing });
    await expect(read).rejects.toMatchObject({ code: "chain_unsupported" });
  });
});

describe("learnFeedPrices()", () => {
  test("reads the feeds in one request", async () => {
    const { ctx, client } = await deployment();
    await learnFeedPrices(ctx, { chainId, tokens: [ETHER, STABLE] });
    expect(dollars(await pricesOfRequest(ctx, [ether, stable]))).toEqual({
      [ETHER]: "feed 2000",
      [STABLE]: "feed 1",
    });
    expect(client.calls).toHaveLength(1);
  });

  test("changes nothing if the chain is not served", async () => {
    const { ctx } = await deployment();
    await learnFeedPrices(ctx, { chainId: 5, tokens: [ETHER] });
    expect(await pricesOfRequest(ctx, [ether])).toEqual(new Map());
    expect(ctx.logged.map(({ event }) => event)).toEqual(["price_feeds_unreadable"]);
  });
});

describe("pricesOfRequest()", () => {
  test("takes feeds before the market, the market for the rest, and null for what neither knows", async () => {
    const { ctx, api, client } = await deployment({ coins: { [ETHER]: 2_010, [STAKED]: 2_390 } });
    requestMarketPrices(ctx, [ether, stable, staked, unlisted]);
    requestMarketPrices(ctx, [ether]);
    await readWithFeeds(ctx, { chainId, tokens: [ETHER, STABLE, STAKED], query: nothing });
    const prices = await pricesOfRequest(ctx, [ether, stable, staked, unlisted]);
    expect(dollars(prices)).toEqual({
      [ETHER]: "feed 2000",
      [STABLE]: "feed 1",
      [STAKED]: "market 2390",
    });
    expect([api.requests.length, client.calls.length]).toEqual([1, 1]);
  });

  test("spans feed and market where they disagree by a tenth", async () => {
    const { ctx } = await deployment({ coins: { [ETHER]: 2_200 } });
    requestMarketPrices(ctx, [ether]);
    await ctx.prices.book.market.get(priceKey(ether));
    await readWithFeeds(ctx, { chainId, tokens: [ETHER], query: nothing });
    expect([...(await pricesOfRequest(ctx, [ether])).values()]).toMatchObject([
      { usd: 2_000n * USD, low: 2_000n * USD, high: 2_200n * USD, disputed: true },
    ]);
  });

  test("uses a feed that another request of the isolate has just read", async () => {
    const { ctx } = await deployment();
    await readWithFeeds(ctx, { chainId, tokens: [ETHER], query: nothing });
    const next = { ...ctx, prices: { ...ctx.prices, book: new PriceBook() } };
    expect(dollars(await pricesOfRequest(next, [ether]))).toEqual({ [ETHER]: "feed 2000" });
    expect([hasUnreadFeed(ctx, ether), hasUnreadFeed(next, ether)]).toEqual([false, false]);
    const later = { ...next, now: () => ctx.now() + 30_000 };
    expect(dollars(await pricesOfRequest(later, [ether]))).toEqual({});
    expect([hasUnreadFeed(later, ether), hasUnreadFeed(later, unlisted)]).toEqual([true, false]);
  });

  test("uses a feed that another request of the isolate reads while this one waits for the market", async () => {
    const { ctx } = await deployment();
    const waiting = { ...ctx, prices: { ...ctx.prices, book: new PriceBook() } };
    const market = readWithFeeds(ctx, { chainId, tokens: [ETHER], query: nothing }).then(() => new Map());
    waiting.prices.book.market.set(priceKey(ether), market);
    expect(dollars(await pricesOfRequest(waiting, [ether]))).toEqual({ [ETHER]: "feed 2000" });
  });

  test("does not wait for a market that hangs where a feed is known", async () => {
    holdTimeouts();
    const hanging = await serve((_, response) => sendSlowly(response, 50));
    const { ctx } = await deployment();
    const config = { ...ctx.config, prices: { ...ctx.config.prices, apiUrl: hanging.url } };
    const slow = { ...ctx, config };
    requestMarketPrices(slow, [ether]);
    await readWithFeeds(slow, { chainId, tokens: [ETHER], query: nothing });
    expect(dollars(await pricesOfRequest(slow, [ether]))).toEqual({ [ETHER]: "feed 2000" });
    const market = slow.prices.book.market.get(priceKey(ether));
    expect(await Promise.race([market, Promise.resolve("still asked")])).toBe("still asked");
  });

  test("waits for a market that hangs once, then it costs nothing but its prices", async () => {
    const deadlines = holdTimeouts();
    const hanging = await serve(() => deadlines.expire());
    const { ctx } = await deployment();
    const slow = { ...ctx, config: { ...ctx.config, prices: { ...ctx.config.prices, apiUrl: hanging.url } } };
    for (const token of [unlisted, staked]) {
      requestMarketPrices(slow, [token]);
      expect(dollars(await pricesOfRequest(slow, [token]))).toEqual({});
    }
    expect(hanging.requests).toHaveLength(1);
  });
});

describe("readPrices()", () => {
  test("reads all feeds of a chain in one request and the market in one, and caches both", async () => {
    const { ctx, api, client } = await deployment({ coins: { [UNLISTED]: 3.5 } });
    const expected = { [ETHER]: "feed 2000", [UNLISTED]: "market 3.5" };
    for (let round = 0; round < 3; round += 1) {
      expect(dollars(await readPrices(ctx, [ether, unlisted]))).toEqual(expected);
    }
    expect([client.calls.length, api.requests.length]).toEqual([1, 1]);
  });

  test("loses only a dead source's prices", async () => {
    const { ctx } = await deployment({
      changes: { [ETH_FEED]: { reverts: true } },
      coins: { [UNLISTED]: 2 },
    });
    expect(dollars(await readPrices(ctx, [ether, unlisted]))).toEqual({ [UNLISTED]: "market 2" });
    const dead = { ...ctx, chains: { ...ctx.chains, client: () => null } };
    expect(dollars(await readPrices(dead, [stable, unlisted]))).toEqual({ [UNLISTED]: "market 2" });
    const { ctx: alone } = await deployment();
    expect(dollars(await readPrices(alone, [stable, unlisted]))).toEqual({ [STABLE]: "feed 1" });
  });

  test("returns nothing for chains that the deployment does not serve", async () => {
    const { ctx } = await deployment();
    expect(await readPrices(ctx, [{ chainId: 5, token: ETHER }])).toEqual(new Map());
  });
});

test("feedsOf() never takes feeds from the configuration for a chain that the code knows", () => {
  const prices = { apiUrl: null, feeds: new Map([[1, testFeeds]]) };
  const misled = testContext({ config: { prices } as never });
  expect(feedsOf(misled, 1).tokens.some(({ feeds }) => feeds[0]?.proxy === ETH_FEED)).toBe(false);
});
