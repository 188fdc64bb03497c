import { describe, expect, test } from "vitest";
import { buildOneStep } from "../../src/deposits/build/one-step-deposit.ts";
import type { BuiltRoute, PreparedDeposit } from "../../src/deposits/build/prepared-deposit.ts";
import { buildTwoStep } from "../../src/deposits/build/two-step-deposit.ts";
import { priceImpact, toRouteOptions } from "../../src/deposits/get-quote.ts";
import type { TransferQuote } from "../../src/providers/provider.ts";
import { USER, VAULT } from "../support/deposits/fixtures.ts";
import { type Moving, moving, option } from "../support/deposits/routed-fixtures.ts";
import { balanceKey, sharesFor } from "../support/deposits/simulated-chain.ts";

describe("priceImpact()", () => {
  const of = (fromAmountUsd: string | null, toAmountUsd: string | null) =>
    priceImpact({ fromAmountUsd, toAmountUsd });

  test("returns the route's cost as a share of the amount paid", () => {
    expect([of("200", "199.5"), of("100", "100"), of("80", "100"), of("100", "0")]).toEqual([
      "0.0025",
      "0.0000",
      "-0.2500",
      "1.0000",
    ]);
  });

  test("returns null without both USD figures", () => {
    expect([of(null, "1"), of("1", null), of("0", "1"), of("x", "1"), priceImpact(null)]).toEqual([
      null,
      null,
      null,
      null,
      null,
    ]);
  });
});

describe("toRouteOptions()", () => {
  const { toAmount, toAmountMin } = option;
  const slower: TransferQuote = {
    ...option,
    bridge: "slower",
    estimatedSeconds: 600,
    toAmount: toAmount + 2n,
    toAmountMin: toAmountMin + 1n,
    supportsCall: false,
  };
  const optionsOf = ({ attempt }: Moving, built: BuiltRoute) => {
    const ranking = { quotes: [option, slower], decidedBy: null };
    const routed = { ...built, token: attempt.token, ranking, reasons: [], warnings: [] };
    const prepared: PreparedDeposit = { kind: "routed", order: attempt.order, routed };
    return toRouteOptions(prepared).map(({ bridge, deposit_amount, tags }) => [bridge, deposit_amount, tags]);
  };

  test("deposits the expected amount in one step and the guaranteed amount in two steps", async () => {
    const world = await moving({ atVault: { rises: { [balanceKey(VAULT, USER)]: sharesFor(toAmount) } } });
    expect(optionsOf(world, await buildOneStep(world.ctx, world.attempt))).toEqual([
      ["bridge", String(toAmount), ["recommended", "fastest", "one_transaction"]],
      ["slower", String(toAmountMin + 1n), ["best_output", "two_step"]],
    ]);
  });

  test("names the provider, and tags the highest expected amount, not the highest minimum", async () => {
    const world = await moving({ atVault: { rises: { [balanceKey(VAULT, USER)]: sharesFor(toAmount) } } });
    const built = await buildOneStep(world.ctx, world.attempt);
    const hopeful = { ...option, provider: "other", toAmount: toAmount + 1n, toAmountMin: toAmountMin - 1n };
    const ranking = { quotes: [option, hopeful], decidedBy: null };
    const routed = { ...built, token: world.attempt.token, ranking, reasons: [], warnings: [] };
    const options = toRouteOptions({ kind: "routed", order: world.attempt.order, routed });
    expect(
      options.map(({ provider, bridge, tags }) => [provider, bridge, tags.includes("best_output")]),
    ).toEqual([
      [option.provider, "bridge", false],
      ["other", "bridge", true],
    ]);
  });

  test("lists two-step routes only when the vault requires the user as caller", async () => {
    const shares = { [balanceKey(VAULT, USER)]: sharesFor(toAmountMin) };
    const world = await moving({ caller: "user", atVault: { rises: shares } });
    const callable = { ...slower, supportsCall: true };
    const built = await buildTwoStep(world.ctx, world.attempt);
    const ranked = { ...built, token: world.attempt.token, reasons: [], warnings: [] };
    const routed = { ...ranked, ranking: { quotes: [option, callable], decidedBy: null } };
    const options = toRouteOptions({ kind: "routed", order: world.attempt.order, routed });
    expect(options.map(({ deposit_amount, tags }) => [deposit_amount, tags.at(-1)])).toEqual([
      [String(toAmountMin), "two_step"],
      [String(toAmountMin + 1n), "two_step"],
    ]);
  });
});
