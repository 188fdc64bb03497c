import { describe, expect, test } from "vitest";
import { disguises, harmless } from "../support/economics/disguises.ts";
import { findUnfairness } from "../support/economics/judge.ts";
import { honest } from "../support/economics/lies.ts";
import { type Providers, tradeWith } from "../support/economics/world.ts";

const whoOf = (providers: Providers): string =>
  Object.entries(providers)
    .flatMap(([name, lie]) => (lie === null ? [] : [name]))
    .join();
const REFUSALS = ["price_unsafe", "upstream_rejected", "no_route", "would_revert"];

describe(`${disguises.length} attacks that hide in one field are refused:`, () => {
  test.each(disguises.map((disguise) => [disguise.name, disguise] as const))(
    "%s",
    async (_name, disguise) => {
      const { trade, providers, ...options } = disguise;
      const verdict = await tradeWith(trade, providers, options);
      expect([verdict.code, verdict.refusals]).toEqual([expect.toBeOneOf(REFUSALS), expect.anything()]);
    },
  );

  const plain = new Map(
    disguises
      .filter(({ lie }) => lie.quoted === honest.quoted && lie.built === honest.built && lie.onTop === 0n)
      .map(({ trade, providers }) => [
        `${trade.name}: ${trade.tools.join()}, ${whoOf(providers)}`,
        { trade, providers },
      ]),
  );
  test.each([...plain])("without its disguise, it is accepted: %s", async (_name, { trade, providers }) => {
    expect((await tradeWith(trade, providers)).code).toBeNull();
  });
});

describe("beside an honest provider, or about what nobody is paid by, a lie takes nothing:", () => {
  test.each(harmless.map((disguise) => [disguise.name, disguise] as const))("%s", async (_name, disguise) => {
    const { trade, providers, lie, ...options } = disguise;
    const { routed, code } = await tradeWith(trade, providers, options);
    const wrong = routed === null ? null : findUnfairness(trade, lie, routed);
    expect([wrong, code]).toEqual([null, null]);
  });
});
