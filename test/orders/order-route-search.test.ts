import { describe, expect, test } from "vitest";
import { AppError, failure } from "../../src/errors.ts";
import { unfairOffer } from "../../src/orders/order-route-fairness.ts";
import type { Provider } from "../../src/providers/provider.ts";
import { testChain } from "../support/chains/rpc-node.ts";
import { type Build, distrusted, FAIR, providerOf, quoteOf, search } from "../support/orders/route-search.ts";

const lied = unfairOffer({ rule: "test", why: "a lie" });

describe("searchRoutes() of a provider that lies", () => {
  test("gives no second chance, and goes on with the other provider", async () => {
    const build: Build = async ({ option }) => {
      if (option.provider === "liar") throw lied;
      return "honest";
    };
    const providers = [
      providerOf("liar", [quoteOf("liar", { toAmountMin: FAIR })]),
      providerOf("honest", [quoteOf("honest")]),
    ];
    const { found, tried, logged } = await search(providers, { build });
    expect((await found).built).toBe("honest");
    expect(tried).toEqual(["liar swap one_step", "honest swap one_step"]);
    expect(distrusted(logged)).toEqual(["liar"]);
    expect((await found).ranking.quotes.map(({ provider }) => provider)).toEqual(["honest"]);
  });

  test.each([
    ["upstream_rejected", failure("upstream_rejected", "another receiver"), 1],
    ["would_revert", failure("would_revert", "reverts", { revert: null }), 2],
    ["no_route", failure("no_route", "none", { reasons: [] }), 2],
  ] as const)("takes %s for a lie, or not", async (_code, error, attempts) => {
    const build: Build = async () => {
      throw error;
    };
    const { found, tried } = await search([providerOf("one", [quoteOf("one")])], { build });
    await expect(found).rejects.toBeInstanceOf(AppError);
    expect(tried).toHaveLength(attempts);
  });

  test("counts attempts per provider", async () => {
    const failing = Array.from({ length: 9 }, (_, at) =>
      quoteOf("slow", { bridge: `bridge ${at}`, toAmountMin: FAIR }),
    );
    const build: Build = async ({ option }) => {
      if (option.provider === "slow") throw failure("would_revert", "reverts", { revert: null });
      return "honest";
    };
    const providers = [providerOf("slow", failing), providerOf("honest", [quoteOf("honest")])];
    const { found, tried } = await search(providers, { build });
    expect((await found).built).toBe("honest");
    expect(tried.filter((one) => one.startsWith("slow"))).toHaveLength(4);
  });
});

test("searchRoutes() takes no bridge that wraps native currency for an account with code", async () => {
  const wrapping = quoteOf("wrapping", { toAmountMin: FAIR, wrapsNative: true });
  const providers = [providerOf("wrapping", [wrapping]), providerOf("other", [quoteOf("other")])];
  // This chain shows no account's code.
  const { found, tried, logged } = await search(providers, { callable: false });
  expect([(await found).built, tried]).toEqual(["other", ["other swap two_step"]]);
  // A Router call takes the wrapped token.
  const called = await search(providers);
  expect((await called.found).built).toBe("wrapping");
  expect(distrusted(logged)).toEqual([]);
  expect((await found).reasons.map(({ code }) => code)).toEqual(["recipient_unsupported"]);
});

describe("searchRoutes() of a provider that takes the others' time", () => {
  /** Nine routes that rank first; each build takes `ms` and then finds no route. */
  const slowly = async (ms: number, quotesMs: number) => {
    let time = 1_700_000_000_000;
    const failing = Array.from({ length: 9 }, (_, at) =>
      quoteOf("slow", { bridge: `bridge ${at}`, toAmountMin: FAIR }),
    );
    const slow = providerOf("slow", failing);
    const quoting: Provider = {
      ...slow,
      async quote(...given) {
        time += quotesMs;
        return slow.quote(...given);
      },
    };
    const starts: number[] = [];
    const build: Build = async ({ option, deadline }) => {
      if (option.provider === "honest") {
        starts.push(deadline - time);
        return "honest";
      }
      time = Math.min(time + ms, deadline);
      throw failure("no_route", "none", { reasons: [] });
    };
    const providers = [quoting, providerOf("honest", [quoteOf("honest")])];
    const { found, tried } = await search(providers, { build, now: () => time });
    return { built: (await found).built, by: tried.at(-1), tried: tried.length - 1, left: starts[0] };
  };

  test.each([
    ["that fails just before its timeout", 2_400, 2_990, { tried: 1, left: 1_500 }],
    ["that always fails at its timeout", 9_000, 2_990, { tried: 1, left: 1_500 }],
    ["whose routes fail one after the other", 1_100, 500, { tried: 3, left: 3_500 }],
    ["that fails at once", 0, 0, { tried: 4, left: 6_500 }],
  ] as const)("still builds the other's: one %s", async (_how, ms, quotesMs, expected) => {
    expect(await slowly(ms, quotesMs)).toEqual({ built: "honest", by: "honest swap one_step", ...expected });
  });

  test("tries its other routes when nobody else has one", async () => {
    let time = 1_700_000_000_000;
    const build: Build = async ({ option, deadline }) => {
      if (option.bridge === "third") return "third";
      time = Math.min(time + 1_300, deadline);
      throw failure("would_revert", "reverts", { revert: null });
    };
    const first = ["first", "second", "third"].map((bridge) => quoteOf("one", { bridge, toAmountMin: FAIR }));
    const providers = [providerOf("one", first), providerOf("other", [quoteOf("other")])];
    const { found, tried } = await search(providers, { build, now: () => time, callable: false });
    expect((await found).built).toBe("third");
    expect(tried.map((one) => one.split(" ").slice(0, 2).join(" "))).toEqual([
      ...["one first", "one second", "other swap", "one third"],
    ]);
  });
});

describe("searchRoutes() of an offer whose amount the vault refuses", () => {
  const above = (max: bigint | null) =>
    failure("above_maximum", "too much", { max_deposit: max?.toString() ?? null });
  const below = (min: bigint | null) =>
    failure("below_minimum", "too little", { min_deposit: min?.toString() ?? null });
  const more = FAIR + FAIR / 50n;
  const less = FAIR - FAIR / 50n;
  const least = (FAIR * 98n) / 100n;

  test.each([
    ["more than it takes", more, above(FAIR)],
    ["more than it takes, whose limit is unknown", more, above(null)],
    ["less than it takes", less, below(FAIR)],
    ["less than it takes, whose limit is unknown", less, below(null)],
  ] as const)("tries the other's: %s", async (_what, toAmount, error) => {
    const offers = [
      quoteOf("first", { toAmount, toAmountMin: least }),
      quoteOf("first", { bridge: "b", toAmount }),
    ];
    const build: Build = async ({ option }) => {
      if (option.provider === "first") throw error;
      return "honest";
    };
    const honest = quoteOf("honest", { supportsCall: false });
    const { found, tried } = await search([providerOf("first", offers), providerOf("honest", [honest])], {
      build,
    });
    expect((await found).built).toBe("honest");
    expect(tried).toEqual([expect.stringContaining("first"), "honest swap two_step"]);
  });

  test.each([
    ["as much", FAIR, above(FAIR - 1n)],
    ["more than the limit", FAIR - 10n, above(FAIR / 2n)],
    ["as little", FAIR, below(FAIR + 1n)],
    ["less than the limit", FAIR + 10n, below(2n * FAIR)],
  ] as const)("does not try one of %s", async (_what, toAmount, error) => {
    const build: Build = async () => {
      throw error;
    };
    const providers = [
      providerOf("first", [quoteOf("first", { toAmountMin: FAIR })]),
      providerOf("other", [quoteOf("other", { toAmount, toAmountMin: (toAmount * 98n) / 100n })]),
    ];
    const { found, tried } = await search(providers, { build });
    await expect(found).rejects.toMatchObject({ code: error.code, members: error.members });
    expect(tried).toHaveLength(1);
  });
});

describe("searchRoutes() shows and builds only fair options:", () => {
  test("ten times too good is a lie at once", async () => {
    const providers = [
      providerOf("liar", [quoteOf("liar", { toAmount: 10n * FAIR }), quoteOf("liar", { bridge: "fair" })]),
      providerOf("honest", [quoteOf("honest")]),
    ];
    const { found, tried, logged } = await search(providers);
    expect((await found).ranking.quotes.map(({ provider }) => provider)).toEqual(["honest"]);
    expect(tried).toEqual(["honest swap one_step"]);
    expect(distrusted(logged)).toEqual(["liar"]);
  });

  test("a bad price is no lie: another option of the provider is used", async () => {
    const bad = quoteOf("one", { toAmount: (FAIR * 9n) / 10n, toAmountMin: (FAIR * 9n) / 10n });
    const { found, logged } = await search([providerOf("one", [bad, quoteOf("one", { bridge: "fair" })])]);
    expect((await found).ranking.quotes.map(({ bridge }) => bridge)).toEqual(["fair"]);
    expect(distrusted(logged)).toEqual([]);
  });

  test("price_unsafe if nothing else is left", async () => {
    const bad = quoteOf("one", { toAmount: FAIR / 2n, toAmountMin: FAIR / 2n });
    const { found, tried } = await search([providerOf("one", [bad])]);
    await expect(found).rejects.toMatchObject({ code: "price_unsafe", members: { subject: "route" } });
    expect(tried).toEqual([]);
  });

  test("an option shows the least amount that a build would ask for", async () => {
    const loose = quoteOf("one", { toAmountMin: 1n });
    const { found } = await search([providerOf("one", [loose])]);
    expect((await found).ranking.quotes[0]?.toAmountMin).toBe((FAIR * 97n) / 100n);
  });

  test("the offer of an attempt has the figures to plan and to judge by", async () => {
    const offers: unknown[] = [];
    const build: Build = async ({ offer }) => {
      const { fair, relation, loss } = await offer(10n ** 15n);
      offers.push({ basis: fair?.basis, output: fair?.output, relation, loss });
      return "built";
    };
    await (await search([providerOf("one", [quoteOf("one")])], { build })).found;
    // The chain's native token is its wrapped form: the fee on top is valued.
    const output = FAIR + (testChain.wrappedNative === null ? 0n : 2_700_000n);
    expect(offers).toEqual([
      { basis: "price", output, relation: "swap", loss: { transfer: 30_000_000n, vault: 0n } },
    ]);
  });
});

describe("searchRoutes() without a price", () => {
  const other = (toAmount: bigint) =>
    providerOf("other", [quoteOf("other", { toAmount, supportsCall: false })]);

  test("needs a second provider that agrees within the slippage, and warns", async () => {
    const providers = [providerOf("one", [quoteOf("one")]), other((FAIR * 98n) / 100n)];
    const { found } = await search(providers, { priced: false });
    expect((await found).warnings).toEqual([{ code: "price_unverified", detail: expect.any(String) }]);
  });

  test.each([
    ["there is none", []],
    ["it disagrees", [other((FAIR * 96n) / 100n)]],
    ["it finds the offer too good", [other(FAIR / 10n)]],
  ])("price_unsafe if a second provider is needed and %s", async (_why, others) => {
    const offered = { toAmount: FAIR, toAmountMin: (FAIR * 99n) / 100n };
    const { found, tried } = await search([providerOf("one", [quoteOf("one", offered)]), ...others], {
      priced: false,
    });
    await expect(found).rejects.toMatchObject({ code: "price_unsafe", members: { subject: "route" } });
    expect(tried).toEqual([]);
  });

  test("a second quote of the same provider is no opinion", async () => {
    const twice = providerOf("one", [quoteOf("one"), quoteOf("one", { bridge: "other" })]);
    const { found } = await search([twice], { priced: false });
    await expect(found).rejects.toMatchObject({ code: "price_unsafe" });
  });

  test("warns of nothing with a price", async () => {
    expect((await (await search([providerOf("one", [quoteOf("one")])])).found).warnings).toEqual([]);
  });
});
