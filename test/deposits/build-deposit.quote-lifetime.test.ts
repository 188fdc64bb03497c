import { expect, test } from "vitest";
import { quoteLifetimeMs } from "../../src/deposits/build-deposit.ts";
import { buildOneStep } from "../../src/deposits/one-step-deposit.ts";
import { USER, VAULT } from "../support/deposits/fixtures.ts";
import { createRoutedOrder, option } from "../support/deposits/routed-fixtures.ts";
import { balanceKey, sharesFor } from "../support/deposits/simulated-chain.ts";

const rises = { [balanceKey(VAULT, USER)]: sharesFor(option.toAmount) };

test.each([
  [60, 60_000],
  [300, 300_000],
  [3_600, 300_000],
])(
  "quoteLifetimeMs() of a provider's quote valid for %d seconds is %d ms",
  async (validSeconds, lifetime) => {
    const { ctx, attempt } = await createRoutedOrder({ atVault: { rises }, made: { validSeconds } });
    const built = await buildOneStep(ctx, attempt);
    const routed = {
      ...built,
      token: attempt.token,
      fromDecimals: 18,
      ranking: { quotes: [], decidedBy: null },
      reasons: [],
      warnings: [],
      authorization: null,
    };
    expect(quoteLifetimeMs({ kind: "routed", order: attempt.order, routed })).toBe(lifetime);
  },
);
