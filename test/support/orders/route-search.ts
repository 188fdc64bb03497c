import type { Address } from "viem";
import { AppError } from "../../../src/errors.ts";
import type { RouteAttempt } from "../../../src/orders/order-route-attempts.ts";
import { searchRoutes } from "../../../src/orders/order-route-search.ts";
import { priceKey } from "../../../src/prices/price.ts";
import type { Provider, TransferQuote } from "../../../src/providers/provider.ts";
import { testChain } from "../chains/rpc-node.ts";
import { testContext } from "../context.ts";
import { USDC, USER, WETH } from "../deposits/fixtures.ts";
import { simulatedChain } from "../deposits/simulated-chain.ts";
import { priceOfToken } from "../economics/trades.ts";

const ETHER = 10n ** 18n;
/** A fair price of one WETH in smallest units of USDC. */
export const FAIR = 2_700_000_000n;
const token = { address: USDC, symbol: "USDC", decimals: 6 };

/** An offer of a provider to swap one WETH at a fair price. */
export function quoteOf(provider: string, change: Partial<TransferQuote> = {}): TransferQuote {
  return {
    provider,
    bridge: null,
    bridgeName: null,
    bridgeLogo: null,
    toAmount: FAIR,
    toAmountMin: (FAIR * 97n) / 100n,
    declaredFee: 0n,
    nativeFee: 0n,
    estimatedSeconds: null,
    gas: null,
    supportsCall: true,
    supportsPlain: true,
    ...change,
  };
}

const unexpected = (): never => {
  throw new Error("nobody asks for this");
};

/** A provider that makes these offers, or fails. */
export function providerOf(name: string, quotes: readonly TransferQuote[] | AppError): Provider {
  return {
    name,
    capabilities: () => ({ bridges: [], swaps: true, destinationCall: true }),
    async quote() {
      if (quotes instanceof AppError) throw quotes;
      return [...quotes];
    },
    spenders: () => [],
    assets: () => [],
    build: unexpected,
    status: unexpected,
  };
}

/** Builds an attempt of the search. */
export type Build = (attempt: RouteAttempt) => Promise<string>;

/** Searches a route for one WETH into USDC on one chain. */
export async function search(
  providers: readonly Provider[],
  options: {
    build?: Build;
    isFinal?: (error: unknown) => boolean;
    priced?: boolean;
    callable?: boolean;
    now?: () => number;
  } = {},
) {
  const { client } = simulatedChain({ answers: { decimals: 18 } });
  const base = testContext({ clients: [client] });
  const ctx = {
    ...base,
    now: options.now ?? base.now,
    providers: { ...base.providers, all: async () => providers },
  };
  const price = (address: Address, usd: bigint, decimals: number) =>
    ctx.prices.book.feeds.set(
      priceKey({ chainId: testChain.chainId, token: address }),
      priceOfToken({ chainId: testChain.chainId, address, decimals, usd, unit: String(decimals) }),
    );
  if (options.priced !== false) {
    price(WETH, 2_700n * ETHER, 18);
    price(USDC, ETHER, 6);
  }
  const tried: string[] = [];
  const found = searchRoutes(ctx, {
    order: {
      from: { client, chainId: testChain.chainId, token: WETH, amount: ETHER },
      client,
      user: USER,
      slippage: 0.03,
      preferredBridge: null,
    },
    targets: [token],
    callable: () => options.callable ?? true,
    isTargetRefusal: ({ code }) => code === "above_maximum" || code === "below_minimum",
    isFinal: options.isFinal ?? (() => false),
    async build(_ctx, attempt) {
      tried.push(`${attempt.option.provider} ${attempt.option.bridge ?? "swap"} ${attempt.ends}`);
      return (await options.build?.(attempt)) ?? attempt.option.provider;
    },
  });
  return { found, tried, logged: ctx.logged };
}

/** The providers that the log says are distrusted. */
export const distrusted = (logged: readonly Record<string, unknown>[]) =>
  logged.filter(({ event }) => event === "provider_distrusted").map(({ provider }) => provider);
