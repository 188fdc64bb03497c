import { describe, expect, test } from "vitest";
import { variations } from "../support/economics/honest-variations.ts";
import { tradeWith } from "../support/economics/world.ts";

describe(`${variations.length} honest answers of other forms are accepted:`, () => {
  test.each(variations.map((one) => [one.name, one] as const))("%s", async (_name, variation) => {
    const { trade, providers, name, ...options } = variation;
    const { code, distrusted, refusals } = await tradeWith(trade, providers, options);
    expect([name, code, distrusted, refusals]).toEqual([name, null, [], []]);
  });
});
