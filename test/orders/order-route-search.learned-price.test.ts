import { describe, expect, test } from "vitest";
import { knownChains } from "../../src/chains/chain-definitions.ts";
import { planLoss } from "../../src/orders/order-route-fairness.ts";
import { searchRoutes } from "../../src/orders/order-route-search.ts";
import { priceKey } from "../../src/prices/price.ts";
import type { Provider, TransferQuote } from "../../src/providers/provider.ts";
import { testContext } from "../support/context.ts";
import { USER } from "../support/deposits/fixtures.ts";
import { simulatedChain } from "../support/deposits/simulated-chain.ts";
import { priceOfToken } from "../support/economics/trades.ts";

const FAIR = 2_700_000_000n;
const ETHER = 10n ** 18n;
const WETH = "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2";
/** A dollar of the destination chain that no bridge carries, so that only feeds there know its price. */
const DOLLAR = "0x00000000000000000000000000000000000d011a";

const definitionOf = (chainId: number) => {
  const definition = knownChains.find((chain) => chain.chainId === chainId);
  if (definition === undefined) throw new Error(`no chain ${chainId}`);
  return definition;
};

function providerOf(name: string, ...changes: Partial<TransferQuote>[]): Provider {
  const quotes = changes.map(
    (change): TransferQuote => ({
      ...{ provider: name, bridge: name, bridgeName: name, bridgeLogo: null },
      ...{ toAmount: FAIR, toAmountMin: (FAIR * 97n) / 100n, declaredFee: 0n, nativeFee: 0n },
      ...{ estimatedSeconds: null, gas: null, supportsCall: true, supportsPlain: true },
      ...change,
    }),
  );
  const unexpected = (): never => {
    throw new Error("nobody asks for this");
  };
  return {
    name,
    capabilities: () => ({
      bridges: changes.map(({ bridge = name }) => ({ key: bridge ?? name, name, chains: [1, 8453] })),
      swaps: false,
      destinationCall: true,
    }),
    quote: async () => quotes,
    spenders: () => [],
    assets: () => [],
    build: unexpected,
    status: unexpected,
  };
}

/** A dollar of the destination chain with a feed in the chain's table. */
const USDC = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";

/** The dollar of the destination chain: its price in US dollars by the market, if it has one, and by the feed. */
interface Dollar {
  address: `0x${string}`;
  marketUsd: bigint | null;
  feedUsd: bigint;
}

/** Finds a route for one WETH of Ethereum; the dollar's feed on Base is read while the route is built. */
async function search(
  providers: readonly Provider[],
  { address, marketUsd, feedUsd }: Dollar = { address: DOLLAR, marketUsd: null, feedUsd: ETHER },
  preferredBridge: string | null = null,
) {
  const [source, destination] = [1, 8453].map(
    (id) => simulatedChain({ answers: { decimals: 18 }, definition: definitionOf(id) }).client,
  );
  if (source === undefined || destination === undefined) throw new Error("two chains");
  const base = testContext({ clients: [source, destination] });
  const ctx = { ...base, providers: { ...base.providers, all: async () => providers } };
  const learn = (token: { chainId: number; address: `0x${string}`; usd: bigint; decimals: number }) => {
    const price = priceOfToken({ ...token, unit: token.address });
    ctx.prices.book.feeds.set(priceKey({ chainId: token.chainId, token: token.address }), price);
  };
  ctx.prices.book.feeds.delete = () => false;
  const key = priceKey({ chainId: 8453, token: address });
  if (marketUsd !== null) {
    const price = priceOfToken({ chainId: 8453, address, usd: marketUsd, decimals: 6, unit: "USD" });
    ctx.prices.book.market.set(key, Promise.resolve(new Map([[key, { ...price, source: "market" }]])));
  }
  learn({ chainId: 1, address: WETH, usd: 2_700n * ETHER, decimals: 18 });
  return searchRoutes(ctx, {
    order: {
      from: { client: source, chainId: 1, token: WETH, amount: ETHER },
      ...{ client: destination, user: USER, slippage: 0.03, preferredBridge },
    },
    targets: [{ address, symbol: "USD", decimals: 6 }],
    callable: () => true,
    isTargetRefusal: () => false,
    async build(_ctx, { option, offer }) {
      ctx.prices.book.read.add(key);
      learn({ chainId: 8453, address, usd: feedUsd, decimals: 6 });
      planLoss(await offer());
      return option.bridge;
    },
  });
}

test.each([
  ["half of the value", { toAmount: FAIR / 2n, toAmountMin: FAIR / 2n }],
  ["ten times the value, of which it guarantees little", { toAmount: 10n * FAIR, toAmountMin: FAIR / 2n }],
] as const)("a price that was learned late hides an offer of %s", async (_what, change) => {
  const { built, ranking } = await search([providerOf("honest", {}), providerOf("other", change)]);
  expect([built, ranking.quotes.map(({ provider }) => provider)]).toEqual(["honest", ["honest"]]);
});

test("and keeps what is fair by it", async () => {
  const { ranking } = await search([
    providerOf("honest", {}),
    providerOf("other", { toAmount: FAIR - FAIR / 100n, toAmountMin: (FAIR * 96n) / 100n }),
  ]);
  expect(ranking.quotes.map(({ provider }) => provider)).toEqual(["honest", "other"]);
});

describe("a market that stands a tenth above, before the feed of the destination chain is read,", () => {
  const above = { address: USDC, marketUsd: ETHER + ETHER / 10n } as const;
  const found = (feedUsd: bigint, change: Partial<TransferQuote> = {}) =>
    search([providerOf("honest", {}), providerOf("other", change)], { ...above, feedUsd });

  test("refuses no offer that is fair by the feed", async () => {
    const { built, ranking } = await found(ETHER);
    expect([built, ranking.quotes.length]).toEqual(["honest", 2]);
  });

  test("does not let an offer through that is too good by both", async () => {
    const { built, ranking } = await found(ETHER, { toAmount: 2n * FAIR });
    expect([built, ranking.quotes.map(({ provider }) => provider)]).toEqual(["honest", ["honest"]]);
  });

  test("refuses all offers if the feed says the same", async () => {
    await expect(found(above.marketUsd)).rejects.toMatchObject({
      code: "price_unsafe",
      members: { subject: "route" },
    });
  });
});

describe("a quote that a price learned during the build shows to be too low", () => {
  const low = { bridge: "low", toAmount: FAIR / 2n, toAmountMin: FAIR / 2n };
  const searchWith = (change: Partial<TransferQuote>) =>
    search([providerOf("only", { ...low, ...change }, { bridge: "fair" })], undefined, "low");

  test("does not hide the fair ones of its provider", async () => {
    const { built, ranking } = await searchWith({});
    expect([built, ranking.quotes.map(({ bridge }) => bridge)]).toEqual(["fair", ["fair"]]);
  });

  test("hides them if it promises too much", async () => {
    await expect(searchWith({ toAmount: 10n * FAIR })).rejects.toMatchObject({ code: "price_unsafe" });
  });
});
