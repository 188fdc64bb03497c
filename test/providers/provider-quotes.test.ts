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
  declaredFee: 0n,
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

describe("rankQuotes()", () => {
  test("has named rules, each with a reason", () => {
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
    expect(ranked([rich, plain], { bridge: null, call: false })).toEqual(["plain", "rich", "best_output"]);
  });

  test("compares the guaranteed minimum output, not the expected one", () => {
    const hopeful = option({ provider: "hopeful", toAmount: 1_000n, toAmountMin: 97n });
    expect(ranked([hopeful, rich])).toEqual(["rich", "hopeful", "best_output"]);
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
    expect(order).toEqual(["cheap", "rich", "slow", "unknown", "plain", "best_output"]);
  });
});
