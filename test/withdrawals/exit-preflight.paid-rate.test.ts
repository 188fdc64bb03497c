import type { Hex } from "viem";
import { describe, expect, test } from "vitest";
import { priceKey } from "../../src/prices/price.ts";
import { type ExitFacts, type ExitWay, judgePaidRate } from "../../src/withdrawals/exit-preflight.ts";
import { testContext } from "../support/context.ts";
import { USDC, vault, WETH } from "../support/deposits/fixtures.ts";
import { exitWayOf, orderOf, paying } from "../support/withdrawals/fixtures.ts";

describe("judgePaidRate()", () => {
  /** Judges a payment in WETH, at 2,500 USD, for shares worth 125 USDC. */
  const judge = (
    paid: bigint,
    change: Partial<ExitWay> & { price?: ExitFacts["price"] } = {},
    prices: readonly Hex[] = [USDC, WETH],
  ) => {
    const { price = { assets: 1_250_000n, shares: 10n ** 18n }, ...way } = change;
    const ctx = testContext();
    for (const token of prices) {
      const usd = (token === USDC ? 1n : 2_500n) * 10n ** 18n;
      ctx.prices.book.feeds.set(priceKey({ chainId: vault.chainId, token }), {
        ...{ usd, low: usd, high: usd, source: "feed", at: 0, confidence: null, disputed: false },
        ...{ errorBps: 0, judges: true, unit: null },
      });
    }
    const terms = { ...paying, grossAssets: paid, previewAssets: paid };
    const token = { address: WETH, symbol: "WETH", decimals: 18 };
    const order = orderOf();
    const facts = { shares: 100n * 10n ** 18n, price };
    return judgePaidRate(ctx, { order, facts, way: exitWayOf(order, { token, terms, ...way }) });
  };
  const WHOLE = 10n ** 18n;
  const unverified = [{ code: "rate_unverified" }];

  test("refuses a vault that pays another token than its asset far below its price", async () => {
    await expect(judge(WHOLE / 20n)).resolves.toEqual([]);
    await expect(judge((WHOLE * 97n) / 2_000n)).resolves.toEqual([]);
    const refused = { code: "price_unsafe", members: { subject: "vault" } };
    await expect(judge((WHOLE * 96n) / 2_000n)).rejects.toMatchObject(refused);
    await expect(judge(1n, { mode: "request" })).rejects.toMatchObject(refused);
    // What is priced later is estimated at the rate of today, which several contracts record for the payment.
    const later = { ...paying, grossAssets: 1n, previewAssets: 1n, priced: "later" as const };
    await expect(judge(1n, { mode: "request", terms: later })).rejects.toMatchObject(refused);
  });

  test("warns where a price, the payment or the shares' worth is unknown", async () => {
    await expect(judge(1n, {}, [WETH])).resolves.toMatchObject(unverified);
    await expect(judge(1n, { price: null })).resolves.toMatchObject(unverified);
    await expect(judge(1n, { price: { assets: 0n, shares: 1n } })).resolves.toMatchObject(unverified);
    await expect(
      judge(1n, { terms: { ...paying, grossAssets: null, previewAssets: null } }),
    ).resolves.toMatchObject(unverified);
  });

  test("says nothing of the asset itself, or of a request without an estimate that is priced later", async () => {
    await expect(judge(1n, { token: vault.asset })).resolves.toEqual([]);
    const later = { ...paying, grossAssets: null, previewAssets: null, priced: "later" as const };
    await expect(judge(1n, { mode: "request", terms: later })).resolves.toEqual([]);
    await expect(judge(1n, { terms: later })).resolves.toMatchObject(unverified);
  });
});
