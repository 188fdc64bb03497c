import { expect, test } from "vitest";
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

function providerOf(name: string, change: Partial<TransferQuote>): Provider {
  const quote: TransferQuote = {
    ...{ provider: name, bridge: name, bridgeName: name, bridgeLogo: null },
    ...{ toAmount: FAIR, toAmountMin: (FAIR * 97n) / 100n, declaredFee: 0n, nativeFee: 0n },
    ...{ estimatedSeconds: null, gas: null, supportsCall: true, supportsPlain: true },
    ...change,
  };
  const unexpected = (): never => {
    throw new Error("nobody asks for this");
  };
  return {
    name,
    capabilities: () => ({
      bridges: [{ key: name, name, chains: [1, 8453] }],
      swaps: false,
      destinationCall: true,
    }),
    quote: async () => [quote],
    spenders: () => [],
    assets: () => [],
    build: unexpected,
    status: unexpected,
  };
}

/** Finds a route for one WETH of Ethereum; the dollar's price on Base is read while the route is built. */
async function search(providers: readonly Provider[]) {
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
  learn({ chainId: 1, address: WETH, usd: 2_700n * ETHER, decimals: 18 });
  return searchRoutes(ctx, {
    order: {
      from: { client: source, chainId: 1, token: WETH, amount: ETHER },
      ...{ client: destination, user: USER, slippage: 0.03, preferredBridge: null },
    },
    targets: [{ address: DOLLAR, symbol: "USD", decimals: 6 }],
    callable: () => true,
    isTargetRefusal: () => false,
    async build(_ctx, { option, offer }) {
      learn({ chainId: 8453, address: DOLLAR, usd: ETHER, decimals: 6 });
      planLoss(await offer());
      return option.provider;
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
