import { zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import { knownChains } from "../../src/chains/chain-definitions.ts";
import { splitSlippage } from "../../src/orders/order-floors.ts";
import {
  type OfferSet,
  planLoss,
  pricedTokens,
  type RouteEnd,
  type RouteOrder,
  toOffer,
  valueOffers,
  warningsOf,
} from "../../src/orders/order-route-fairness.ts";
import { priceKey } from "../../src/prices/price.ts";
import { createAcross } from "../../src/providers/across/across-provider.ts";
import type { TransferQuote } from "../../src/providers/provider.ts";
import { testContext } from "../support/context.ts";
import { simulatedChain } from "../support/deposits/simulated-chain.ts";
import { priceOfToken } from "../support/economics/trades.ts";
import { tokens, USER } from "../support/lifi/parts.ts";

const clientOf = (chainId: number) => {
  const definition = knownChains.find((chain) => chain.chainId === chainId);
  if (definition === undefined) throw new Error(`no chain ${chainId}`);
  return simulatedChain({ definition }).client;
};
const [base, arbitrum] = [clientOf(8453), clientOf(42161)];
const usdc = { symbol: "USDC", decimals: 6 };

/** An order that pays WETH on Base for USDC on Base or Arbitrum. */
const orderTo = (client: typeof base): RouteOrder => ({
  from: { client: base, chainId: 8453, token: tokens.weth[8453], amount: 10n ** 18n },
  ...{ client, user: USER, slippage: 0.03, preferredBridge: null },
});
const quote = (provider: string, toAmount: bigint): TransferQuote => ({
  ...{ provider, toAmount, toAmountMin: toAmount, declaredFee: 0n, nativeFee: 0n },
  ...{ bridge: null, bridgeName: null, bridgeLogo: null, estimatedSeconds: null, gas: null },
  ...{ supportsCall: true, supportsPlain: true },
});

function setOf(client: typeof base, quotes: readonly TransferQuote[] = []): OfferSet {
  const address = client === base ? tokens.usdc[8453] : tokens.usdc[42161];
  const tables = [createAcross({ apiUrl: "https://across.test/api" })];
  return { order: orderTo(client), token: { ...usdc, address }, paidDecimals: 18, tables, quotes };
}

describe("toOffer()", () => {
  const half = 30_000_000n;
  test.each<[string, typeof base, RouteEnd, object]>([
    ["of a swap and deposit in one transaction", base, "one_step", { transfer: half, vault: 0n }],
    ["of a swap before a deposit", base, "two_step", splitSlippage(half)],
    ["of a bridge into a deposit", arbitrum, "one_step", splitSlippage(half)],
    ["of a bridge before a deposit", arbitrum, "two_step", splitSlippage(half)],
  ])("allows the slippage %s", async (_what, client, ends, loss) => {
    const ctx = testContext({ clients: [base, arbitrum] });
    const offers = await valueOffers(ctx, setOf(client));
    expect(toOffer(offers, { option: quote("one", 1n), ends }).loss).toEqual(loss);
  });

  test.each<[string, readonly TransferQuote[], bigint | null]>([
    ["nobody else", [], null],
    ["the same provider again", [quote("one", 1_001_000n)], null],
    ["another provider", [quote("two", 990_000n)], 990_000n],
    ["two others, of which the higher counts", [quote("two", 990_000n), quote("three", 995_000n)], 995_000n],
    ["two others, the higher first", [quote("three", 995_000n), quote("two", 990_000n)], 995_000n],
    ["one that agrees and one that does not", [quote("two", 990_000n), quote("three", 1_500_000n)], 990_000n],
    ["one that is too low", [quote("two", 969_999n)], null],
    ["one that is too high", [quote("two", 1_030_928n)], null],
    ["one at the limit", [quote("two", 970_000n)], 970_000n],
  ])("without prices takes the opinion of %s", async (_who, others, output) => {
    const option = quote("one", 1_000_000n);
    const offers = await valueOffers(testContext({ clients: [base] }), setOf(base, [option, ...others]));
    const offer = toOffer(offers, { option, ends: "two_step" });
    expect(offer.fair?.output ?? null).toBe(output);
    expect(warningsOf(offer).map(({ code }) => code)).toEqual(output === null ? [] : ["price_unverified"]);
  });
});

describe("planLoss()", () => {
  const offerOf = async (toAmount: bigint, other: bigint) => {
    const option = quote("one", toAmount);
    const set = setOf(base, [option, quote("two", other)]);
    const offer = toOffer(await valueOffers(testContext({ clients: [base] }), set), {
      option,
      ends: "two_step",
    });
    return { ...offer, fair: offer.fair && { ...offer.fair, excess: 10_000_000n } };
  };

  test("is the transfer's part of the slippage, for a fair offer", async () => {
    expect(planLoss(await offerOf(1_000_000n, 1_000_000n))).toEqual(splitSlippage(30_000_000n));
  });

  test.each([
    ["is too good", 1_020_000n, 1_000_000n],
    ["is not confirmed", 1_020_000n, 1n],
  ])("throws price_unsafe for an offer that %s", async (_what, toAmount, other) => {
    const offer = await offerOf(toAmount, other);
    expect(() => planLoss(offer)).toThrow(
      expect.objectContaining({ code: "price_unsafe", members: { subject: "route" } }),
    );
  });
});

describe("pricedTokens()", () => {
  const native = [8453, zeroAddress];
  const paid = [[8453, tokens.weth[8453]], native];
  const fee = [native, [8453, tokens.weth[8453]]];
  const listed = (client: typeof base) =>
    pricedTokens(setOf(client)).map(({ chainId, token }) => [chainId, token]);

  test("are both tokens and native money, each in all its forms", () => {
    expect(listed(base)).toEqual([...paid, [8453, tokens.usdc[8453]], ...fee]);
  });

  test("are also the requested asset's on the source chain", () => {
    const asked = [42161, tokens.usdc[42161]];
    expect(listed(arbitrum)).toEqual([...paid, asked, ...fee, [8453, tokens.usdc[8453]]]);
  });
});

test("a token without a price is valued by the same asset on the source chain", async () => {
  const ctx = testContext({ clients: [base, arbitrum] });
  const known = { decimals: 6, usd: 10n ** 18n, unit: "USD" };
  const price = priceOfToken({ chainId: 8453, address: tokens.usdc[8453], ...known });
  ctx.prices.book.feeds.set(priceKey({ chainId: 8453, token: tokens.usdc[8453] }), price);
  const { payment } = await valueOffers(ctx, setOf(arbitrum));
  expect([payment.from.price, payment.to.price, payment.native.price]).toEqual([null, price, null]);
});
