import { describe, expect, test } from "vitest";
import { type Attack, attacks } from "../support/economics/attacks.ts";
import { injustice } from "../support/economics/judge.ts";
import { honest } from "../support/economics/lies.ts";
import { trades } from "../support/economics/trades.ts";
import { tradeWith } from "../support/economics/world.ts";

describe("honest offers are accepted:", () => {
  test.each(trades)("$name", async (trade) => {
    const verdict = await tradeWith(trade, { lifi: honest, across: null });
    expect([verdict.code, verdict.distrusted, verdict.refusals]).toEqual([null, [], []]);
    if (verdict.routed === null) throw new Error("refused");
    expect(injustice(trade, honest, verdict.routed)).toBeNull();
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
      const wrong = verdict.routed === null ? null : injustice(trade, lie, verdict.routed);
      expect([verdict.code, wrong, verdict.refusals]).toEqual([
        expect.toBeOneOf(REFUSALS),
        null,
        expect.anything(),
      ]);
    },
  );
});
