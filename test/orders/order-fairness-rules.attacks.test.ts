import { describe, expect, test } from "vitest";
import { type Attack, attacks } from "../support/economics/attacks.ts";
import { findUnfairness } from "../support/economics/judge.ts";
import { honest } from "../support/economics/lies.ts";
import { exchangeOf, trades } from "../support/economics/trades.ts";
import { tradeWith } from "../support/economics/world.ts";

describe("honest offers are accepted:", () => {
  test.each(trades)("$name", async (trade) => {
    const verdict = await tradeWith(trade, { lifi: honest, across: null });
    expect([verdict.code, verdict.distrusted, verdict.refusals]).toEqual([null, [], []]);
    if (verdict.routed === null) throw new Error("refused");
    expect(findUnfairness(trade, honest, verdict.routed)).toBeNull();
  });
});

const onOneChain = trades.flatMap((trade) => {
  const exchange = exchangeOf(trade);
  return exchange === null ? [] : [{ ...trade, exchange }];
});

describe("honest offers of KyberSwap and Velora are accepted:", () => {
  test.each(onOneChain)("$name", async ({ exchange, ...trade }) => {
    const verdict = await tradeWith(trade, { lifi: null, across: null, [exchange]: honest });
    expect([verdict.code, verdict.distrusted, verdict.refusals]).toEqual([null, [], []]);
    if (verdict.routed === null) throw new Error("refused");
    expect(verdict.routed.route.provider).toBe(exchange);
    expect(findUnfairness(trade, honest, verdict.routed)).toBeNull();
  });
});

describe("without prices, a second opinion", () => {
  const unpriced = { priced: false };
  const slippage = 0.005;

  test.each(onOneChain)("of $exchange lets an honest one pass, with a warning: $name", async (it) => {
    const { exchange, ...trade } = it;
    const both = { lifi: honest, across: null, [exchange]: honest };
    const { code, routed } = await tradeWith({ ...trade, slippage }, both, unpriced);
    expect(code).toBeNull();
    expect(routed?.warnings.map((warning) => warning.code)).toContain("price_unverified");
  });

  test.each(
    onOneChain.flatMap((trade) =>
      ([1, 5_000, 9_000, 9_500, 20_000] as const).map((bps) => [trade.name, bps, trade] as const),
    ),
  )("that differs lets neither pass: %s, %d basis points", async (_name, bps, { exchange, ...trade }) => {
    const lie = { ...honest, quoted: bps, built: bps };
    for (const providers of [
      { lifi: lie, across: null, [exchange]: honest },
      { lifi: honest, across: null, [exchange]: lie },
    ]) {
      const { code } = await tradeWith({ ...trade, slippage }, providers, unpriced);
      expect(code).toBe("price_unsafe");
    }
  });
});

describe("without prices", () => {
  test.each(trades.filter(({ same }) => same))("$name needs none: the same asset", async (trade) => {
    const verdict = await tradeWith(trade, { lifi: honest, across: null }, { priced: false });
    expect([verdict.code, verdict.refusals]).toEqual([null, []]);
  });

  test.each(trades.filter(({ same }) => !same))("$name is refused: nobody else quotes it", async (trade) => {
    const verdict = await tradeWith(trade, { lifi: honest, across: null }, { priced: false });
    expect(verdict.code).toBe("price_unsafe");
  });
});

const REFUSALS = ["price_unsafe", "upstream_rejected", "no_route", "would_revert"];

describe(`${attacks.length} economic attacks are refused:`, () => {
  test.each(attacks.map((attack) => [`${attack.name}: ${attack.trade.name}`, attack] as const))(
    "%s",
    async (_name, { trade, lie, providers }: Attack) => {
      const verdict = await tradeWith(trade, providers);
      const wrong = verdict.routed === null ? null : findUnfairness(trade, lie, verdict.routed);
      expect([verdict.code, wrong, verdict.refusals]).toEqual([
        expect.toBeOneOf(REFUSALS),
        null,
        expect.anything(),
      ]);
    },
  );
});
