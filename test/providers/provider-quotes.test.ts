import { describe, expect, test } from "vitest";
import type { TransferQuote } from "../../src/providers/provider.ts";
import { type QuotePreference, rankingRules, rankQuotes } from "../../src/providers/provider-quotes.ts";

const base: TransferQuote = {
  provider: "p",
  bridge: "across",
  bridgeName: "Across",
  bridgeLogo: null,
  toAmount: 100n,
  toAmountMin: 99n,
  estimatedSeconds: 10,
  gasCostUsd: null,
  fromAmountUsd: null,
  toAmountUsd: null,
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

describe("the rules, in their order", () => {
  test("are named, each with a reason", () => {
    expect(rankingRules.map(({ name }) => name)).toEqual([
      "preferred_bridge",
      "destination_call",
      "best_output",
      "fastest",
    ]);
    for (const { reason } of rankingRules) expect(reason).not.toBe("");
  });

  const cheap = option({ provider: "cheap", toAmountMin: 99n, bridge: "stargate" });
  const rich = option({ provider: "rich", toAmountMin: 98n });
  const plain = option({ provider: "plain", toAmountMin: 1_000n, supportsCall: false, bridge: "cctp" });
  const slow = option({ provider: "slow", estimatedSeconds: 600, toAmountMin: 98n });
  const unknown = option({ provider: "unknown", estimatedSeconds: null, toAmountMin: 98n });

  test("a preferred bridge beats everything, were it the worst", () => {
    expect(ranked([rich, cheap, plain], { bridge: "cctp", call: true })).toEqual([
      "plain",
      "cheap",
      "rich",
      "preferred_bridge",
    ]);
  });

  test("one transaction beats a better output", () => {
    expect(ranked([plain, rich])).toEqual(["rich", "plain", "destination_call"]);
  });

  test("where no call can be made, that does not count", () => {
    expect(ranked([rich, plain], { bridge: null, call: false })).toEqual(["plain", "rich", "best_output"]);
  });

  test("what is guaranteed counts, not what is hoped for", () => {
    const hopeful = option({ provider: "hopeful", toAmount: 1_000n, toAmountMin: 97n });
    expect(ranked([hopeful, rich])).toEqual(["rich", "hopeful", "best_output"]);
  });

  test("then time; one that is not known is the slowest", () => {
    expect(ranked([unknown, slow, rich])).toEqual(["rich", "slow", "unknown", "fastest"]);
  });

  test("equals stay as they came, and nothing decided", () => {
    const [a, b] = [option({ provider: "a" }), option({ provider: "b" })];
    expect(ranked([a, b])).toEqual(["a", "b", null]);
    expect(ranked([b, a])).toEqual(["b", "a", null]);
    expect(ranked([a])).toEqual(["a", null]);
    expect(ranked([])).toEqual([null]);
  });

  test("the order does not depend on how options came", () => {
    const all = [plain, slow, rich, cheap, unknown];
    const order = ranked(all);
    expect(ranked([...all].reverse())).toEqual(order);
    expect(order).toEqual(["cheap", "rich", "slow", "unknown", "plain", "best_output"]);
  });
});
