import { describe, expect, test } from "vitest";
import type { Provider, TransferQuote } from "../../src/providers/provider.ts";
import {
  type QuotePreference,
  rankingRules,
  rankQuotes,
  requestQuotes,
} from "../../src/providers/provider-quotes.ts";
import { requestOf, scopeOf } from "../support/across/stage.ts";

const base: TransferQuote = {
  provider: "p",
  bridge: "across",
  bridgeName: "Across",
  bridgeLogo: null,
  toAmount: 100n,
  toAmountMin: 99n,
  declaredFee: 0n,
  nativeFee: 0n,
  estimatedSeconds: 10,
  gas: null,
  supportsCall: true,
  supportsPlain: true,
};
const option = (change: Partial<TransferQuote>): TransferQuote => ({ ...base, ...change });
const nothing: QuotePreference = { bridge: null, call: true };

/** The providers of the ranked options, and the rule that decided. */
function ranked(options: readonly TransferQuote[], preference = nothing) {
  const { quotes: order, decidedBy } = rankQuotes(options, preference);
  return [...order.map(({ provider }) => provider), decidedBy?.name ?? null];
}

describe("rankQuotes()", () => {
  test("has named rules, each with a reason", () => {
    expect(rankingRules.map(({ name }) => name)).toEqual([
      "preferred_bridge",
      "destination_call",
      "best_guarantee",
      "fastest",
    ]);
    for (const { reason } of rankingRules) expect(reason).not.toBe("");
  });

  const cheap = option({ provider: "cheap", toAmountMin: 99n, bridge: "stargate" });
  const rich = option({ provider: "rich", toAmountMin: 98n });
  const plain = option({ provider: "plain", toAmountMin: 1_000n, supportsCall: false, bridge: "cctp" });
  const slow = option({ provider: "slow", estimatedSeconds: 600, toAmountMin: 98n });
  const unknown = option({ provider: "unknown", estimatedSeconds: null, toAmountMin: 98n });

  test("ranks the preferred bridge first, even with the worst output", () => {
    expect(ranked([rich, cheap, plain], { bridge: "cctp", call: true })).toEqual([
      "plain",
      "cheap",
      "rich",
      "preferred_bridge",
    ]);
  });

  test("ranks a destination call above a better output", () => {
    expect(ranked([plain, rich])).toEqual(["rich", "plain", "destination_call"]);
  });

  test("ignores destination calls when the vault cannot be called", () => {
    expect(ranked([rich, plain], { bridge: null, call: false })).toEqual(["plain", "rich", "best_guarantee"]);
  });

  test("compares the guaranteed minimum output, not the expected one", () => {
    const hopeful = option({ provider: "hopeful", toAmount: 1_000n, toAmountMin: 97n });
    expect(ranked([hopeful, rich])).toEqual(["rich", "hopeful", "best_guarantee"]);
  });

  test("then compares the estimated time; an unknown time ranks last", () => {
    expect(ranked([unknown, slow, rich])).toEqual(["rich", "slow", "unknown", "fastest"]);
  });

  test("keeps the order of equal quotes and names no deciding rule", () => {
    const [a, b] = [option({ provider: "a" }), option({ provider: "b" })];
    expect(ranked([a, b])).toEqual(["a", "b", null]);
    expect(ranked([b, a])).toEqual(["b", "a", null]);
    expect(ranked([a])).toEqual(["a", null]);
    expect(ranked([])).toEqual([null]);
  });

  test("returns the same order for every input order", () => {
    const all = [plain, slow, rich, cheap, unknown];
    const order = ranked(all);
    expect(ranked([...all].reverse())).toEqual(order);
    expect(order).toEqual(["cheap", "rich", "slow", "unknown", "plain", "best_guarantee"]);
  });
});

describe("requestQuotes()", () => {
  const asked: string[] = [];
  const provider = (name: string, kinds: { swaps: boolean; bridges: boolean }): Provider => ({
    name,
    capabilities: () => ({
      swaps: kinds.swaps,
      bridges: kinds.bridges ? [{ key: "across", name: "Across", chains: [1, 10] }] : [],
      destinationCall: false,
    }),
    quote: async () => {
      asked.push(name);
      if (name === "broken") throw new Error("a defect");
      return [option({ provider: name })];
    },
    spenders: () => [],
    assets: () => [],
    build: () => Promise.reject(new Error("unused")),
    status: () => Promise.reject(new Error("unused")),
  });
  const providers = [
    provider("bridge", { swaps: false, bridges: true }),
    provider("exchange", { swaps: true, bridges: false }),
    provider("broken", { swaps: true, bridges: true }),
    provider("both", { swaps: true, bridges: true }),
  ];

  test.each([
    ["a swap on one chain", 1, ["exchange", "broken", "both"]],
    ["a transfer to another chain", 10, ["bridge", "broken", "both"]],
  ])("asks the providers that serve %s, and blames the one that fails", async (_kind, toChainId, names) => {
    asked.length = 0;
    const request = requestOf({ fromChainId: 1, toChainId });
    const { quotes, failures } = await requestQuotes(providers, { scope: scopeOf(), request });
    expect(asked).toEqual(names);
    expect(quotes.map((quote) => quote.provider)).toEqual(names.filter((name) => name !== "broken"));
    expect([...failures].map(([name, { code }]) => [name, code])).toEqual([
      ["broken", "upstream_unavailable"],
    ]);
  });

  test("does not ask a provider for a swap on a chain where it has none", async () => {
    asked.length = 0;
    const gnosis = provider("gnosis", { swaps: true, bridges: false });
    const own = { ...gnosis, capabilities: () => ({ ...gnosis.capabilities(), swapChains: [100] }) };
    const at = (id: number) => ({ scope: scopeOf(), request: requestOf({ fromChainId: id, toChainId: id }) });
    expect((await requestQuotes([own], at(1))).failures.size).toBe(0);
    expect(asked).toEqual([]);
    expect((await requestQuotes([own], at(100))).quotes).toHaveLength(1);
  });
});
