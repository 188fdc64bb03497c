import type { Address } from "viem";
import { describe, expect, test } from "vitest";
import { planLoss } from "../../src/orders/order-route-fairness.ts";
import { searchRoutes } from "../../src/orders/order-route-search.ts";
import { priceKey } from "../../src/prices/price.ts";
import type { Provider } from "../../src/providers/provider.ts";
import { contractsClient, head } from "../support/chains/multicall.ts";
import { testContext } from "../support/context.ts";
import { USER } from "../support/deposits/fixtures.ts";
import { simulatedChain } from "../support/deposits/simulated-chain.ts";
import { priceOfToken } from "../support/economics/trades.ts";
import { type FakeFeed, feedContracts, STABLE, testFeeds, USD_FEED } from "../support/prices/fake-feeds.ts";

const ETHER = 10n ** 18n;
const WETH: Address = "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2";
const SOURCE_CHAIN = 1;
const FAIR = 2_700_000_000n;

const provider: Provider = {
  name: "honest",
  capabilities: () => ({
    bridges: [{ key: "bridge", name: "Bridge", chains: [SOURCE_CHAIN, head.chainId] }],
    ...{ swaps: false, destinationCall: true },
  }),
  quote: async () => [
    {
      ...{ provider: "honest", bridge: "bridge", bridgeName: "Bridge", bridgeLogo: null },
      ...{ toAmount: FAIR, toAmountMin: (FAIR * 97n) / 100n, declaredFee: 0n, nativeFee: 0n },
      ...{ estimatedSeconds: null, gas: null, supportsCall: true, supportsPlain: true },
    },
  ],
  spenders: () => [],
  assets: () => [],
  build: () => Promise.reject(new Error("nothing is built")),
  status: () => Promise.reject(new Error("nothing is followed")),
};

/**
 * Finds a route for one WETH to a dollar whose market price is a tenth above its feed. `isRead` says when another
 * request of the isolate reads the feed: while this one waits for the market, or never.
 */
async function search(of: { isRead: boolean; callable: boolean; feed?: FakeFeed }) {
  const definition = { ...simulatedChain({}).client.definition, chainId: SOURCE_CHAIN };
  const source = simulatedChain({ answers: { decimals: 18 }, definition }).client;
  const destination = contractsClient(feedContracts({ [USD_FEED]: of.feed ?? {} }));
  const config = { prices: { apiUrl: null, feeds: new Map([[head.chainId, testFeeds]]) } } as never;
  const base = testContext({ clients: [source, destination], config });
  const ctx = { ...base, providers: { ...base.providers, all: async () => [provider] } };
  const { book, memory } = ctx.prices;
  const key = priceKey({ chainId: head.chainId, token: STABLE });
  const dollar = { chainId: head.chainId, address: STABLE, decimals: 6, unit: "USD" };
  const weth = { chainId: SOURCE_CHAIN, address: WETH, usd: 2_700n * ETHER, decimals: 18, unit: "ETH" };
  book.feeds.set(priceKey({ chainId: SOURCE_CHAIN, token: WETH }), priceOfToken(weth));
  book.feeds.delete = () => false;
  const market = { ...priceOfToken({ ...dollar, usd: (11n * ETHER) / 10n }), source: "market" as const };
  const answer = Promise.resolve().then(() => {
    if (of.isRead) memory.notePrices(new Map([[key, priceOfToken({ ...dollar, usd: ETHER })]]), ctx.now());
    return new Map([[key, market]]);
  });
  book.market.set(key, answer);
  const found = await searchRoutes(ctx, {
    order: {
      from: { client: source, chainId: SOURCE_CHAIN, token: WETH, amount: ETHER },
      ...{ client: destination, user: USER, slippage: 0.03, preferredBridge: null },
    },
    targets: [{ address: STABLE, symbol: "USD", decimals: 6 }],
    callable: () => of.callable,
    isTargetRefusal: () => false,
    async build(_ctx, { ends, offer }) {
      planLoss(await offer());
      return ends;
    },
  });
  return [found.built, destination.calls.length];
}

describe("a market that stands a tenth above the feed of the destination chain", () => {
  test("refuses no fair offer because another request reads the feed in the meantime", async () => {
    expect(await search({ isRead: true, callable: true })).toEqual(["one_step", 0]);
  });

  test("refuses no fair delivery to the user, whose build reads no feed itself", async () => {
    expect(await search({ isRead: false, callable: false })).toEqual(["two_step", 1]);
  });

  test("refuses a delivery that is too good by both", async () => {
    const refused = search({ isRead: false, callable: false, feed: { answer: 110_000_000n } });
    await expect(refused).rejects.toMatchObject({ code: "price_unsafe", members: { subject: "route" } });
  });
});
