import type { Address } from "viem";
import { describe, expect, test } from "vitest";
import { toEstimate } from "../../src/deposits/describe-built-deposit.ts";
import { getQuote, toRouteOptions } from "../../src/deposits/get-deposit-quote.ts";
import { buildOneStep } from "../../src/deposits/one-step-deposit.ts";
import type { BuiltRoute, PreparedDeposit } from "../../src/deposits/prepared-deposit.ts";
import { buildTwoStep } from "../../src/deposits/two-step-deposit.ts";
import type { TransferQuote } from "../../src/providers/provider.ts";
import type { BuildInput } from "../../src/schemas/build-input-schema.ts";
import { USDC, USER, VAULT, WETH } from "../support/deposits/fixtures.ts";
import { createRoutedOrder, option, type RoutedOrderFixture } from "../support/deposits/routed-fixtures.ts";
import { balanceKey, sharesFor } from "../support/deposits/simulated-chain.ts";

const unpriced = { fees: new Map(), prices: new Map() };

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
  const optionsOf = ({ attempt }: RoutedOrderFixture, built: BuiltRoute) => {
    const ranking = { quotes: [option, slower], decidedBy: null };
    const routed = {
      ...built,
      token: attempt.token,
      fromDecimals: 18,
      ranking,
      reasons: [],
      warnings: [],
      authorization: null,
    };
    const prepared: PreparedDeposit = { kind: "routed", order: attempt.order, routed };
    return toRouteOptions(prepared, unpriced).map(({ bridge, deposit_amount, tags }) => [
      bridge,
      deposit_amount,
      tags,
    ]);
  };

  test("states the expected amount for one step and for two steps", async () => {
    const world = await createRoutedOrder({
      atVault: { rises: { [balanceKey(VAULT, USER)]: sharesFor(toAmount) } },
    });
    expect(optionsOf(world, await buildOneStep(world.ctx, world.attempt))).toEqual([
      ["bridge", String(toAmount), ["recommended", "fastest", "one_transaction"]],
      ["slower", String(toAmount + 2n), ["best_output", "two_step"]],
    ]);
  });

  test("names the provider, and tags the highest expected amount, not the highest minimum", async () => {
    const world = await createRoutedOrder({
      atVault: { rises: { [balanceKey(VAULT, USER)]: sharesFor(toAmount) } },
    });
    const built = await buildOneStep(world.ctx, world.attempt);
    const hopeful = { ...option, provider: "other", toAmount: toAmount + 1n, toAmountMin: toAmountMin - 1n };
    const ranking = { quotes: [option, hopeful], decidedBy: null };
    const routed = {
      ...built,
      token: world.attempt.token,
      fromDecimals: 18,
      ranking,
      reasons: [],
      warnings: [],
      authorization: null,
    };
    const options = toRouteOptions({ kind: "routed", order: world.attempt.order, routed }, unpriced);
    expect(
      options.map(({ provider, bridge, tags }) => [provider, bridge, tags.includes("best_output")]),
    ).toEqual([
      [option.provider, "bridge", false],
      ["other", "bridge", true],
    ]);
  });

  test("lists two-step routes only when the vault requires the user as caller", async () => {
    const shares = { [balanceKey(VAULT, USER)]: sharesFor(toAmountMin) };
    const world = await createRoutedOrder({ caller: "user", atVault: { rises: shares } });
    const callable = { ...slower, supportsCall: true };
    const built = await buildTwoStep(world.ctx, world.attempt);
    const ranked = {
      ...built,
      token: world.attempt.token,
      fromDecimals: 18,
      reasons: [],
      warnings: [],
      authorization: null,
    };
    const routed = { ...ranked, ranking: { quotes: [option, callable], decidedBy: null } };
    const prepared: PreparedDeposit = { kind: "routed", order: world.attempt.order, routed };
    const options = toRouteOptions(prepared, unpriced);
    expect(options[0]?.deposit_amount).toBe(toEstimate(prepared).deposit_amount);
    expect(options.map(({ deposit_amount, tags }) => [deposit_amount, tags.at(-1)])).toEqual([
      [String(toAmount), "two_step"],
      [String(toAmount + 2n), "two_step"],
    ]);
  });
});

describe("getQuote()", () => {
  const minimumShown = async (checked: { asset: Address; minDeposit: bigint }) => {
    const world = await createRoutedOrder({
      atVault: { rises: { [balanceKey(VAULT, USER)]: sharesFor(option.toAmount) } },
    });
    const { attempt } = world;
    const built = await buildOneStep(world.ctx, attempt);
    if (built.end.kind !== "one_step") throw new Error("two steps");
    const terms = { ...built.end.checked?.terms, ...checked };
    const end = { ...built.end, checked: { ...built.end.checked, terms } } as BuiltRoute["end"];
    const ranking = { quotes: [option], decidedBy: null };
    const found = { token: attempt.token, fromDecimals: 18, ranking, reasons: [], warnings: [] };
    const routed = { ...built, ...found, end, authorization: null };
    const prepare = async () => ({ kind: "routed", order: attempt.order, routed }) as PreparedDeposit;
    const input = { from_chain_id: attempt.order.from.chainId, vault_id: attempt.order.vault };
    return (await getQuote(world.ctx, { input: input as unknown as BuildInput, prepare })).vault.min_deposit;
  };

  test("shows the vault's minimum only in the unit of its asset", async () => {
    expect(await minimumShown({ asset: USDC, minDeposit: 100n })).toBe("100");
    expect(await minimumShown({ asset: WETH, minDeposit: 10n ** 20n })).toBeNull();
  });
});
