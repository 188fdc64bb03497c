import { zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import { attacks } from "../support/economics/attacks.ts";
import { disguises, harmless } from "../support/economics/disguises.ts";
import { type ExitWay, exitWith } from "../support/economics/exit-world.ts";
import { findExitUnfairness } from "../support/economics/judge.ts";
import { honest } from "../support/economics/lies.ts";
import { exchangeOf, type Trade, trades } from "../support/economics/trades.ts";

/** The lies of the deposits' attacks, told about the swap or bridge of what a vault has paid. */
const WAYS = ["second_step", "one_order"] as const satisfies readonly ExitWay[];
const REFUSALS = ["price_unsafe", "upstream_rejected", "no_route", "would_revert"];

/** Disguises of the call that deposits what a bridge delivers. A withdrawal has none. */
const OF_DEPOSIT_CALLS = /before the deposit|the deposit takes half|the failed deposit/;

/**
 * Returns the attacks that a withdrawal can meet. No vault pays native currency into an order of the Router, and Across
 * pays wallets native currency in place of WETH.
 */
const leaving = <T extends { name: string; trade: Trade }>(all: readonly T[], way: ExitWay): T[] =>
  all.filter(({ name, trade }) => {
    const paysNative = trade.from.address === zeroAddress && way === "one_order";
    return !paysNative && !trade.name.startsWith("WETH bridged") && !OF_DEPOSIT_CALLS.test(name);
  });

const named = <T extends { name: string; trade: Trade }>(all: readonly T[], way: ExitWay) =>
  leaving(all, way).map((one) => [`${one.name}: ${one.trade.name}`, one] as const);

describe.each(WAYS)("%s:", (way) => {
  const honestTrades = trades.map((trade) => ({ name: "honest", trade }));

  test.each(named(honestTrades, way))("LI.FI's offer is accepted, %s", async (_name, { trade }) => {
    const { code, built, refusals } = await exitWith(trade, { lifi: honest, across: null }, { way });
    expect([code, refusals]).toEqual([null, []]);
    expect(built && findExitUnfairness(trade, honest, built)).toBeNull();
  });

  const others = honestTrades.flatMap((one) => {
    const by = exchangeOf(one.trade) ?? (one.trade.across ? "across" : null);
    return by === null ? [] : [{ ...one, by }];
  });

  test.each(named(others, way))("the offer of others is accepted, %s", async (_name, { trade, by }) => {
    const lie = { ...honest, takenFee: 0 };
    const { code, built, refusals } = await exitWith(trade, { lifi: null, across: null, [by]: lie }, { way });
    expect([code, refusals, built?.provider]).toEqual([null, [], by]);
    expect(built && findExitUnfairness(trade, honest, built)).toBeNull();
  });

  test.each(named(attacks, way))("refused is %s", async (_name, { trade, lie, providers }) => {
    const { code, built, refusals } = await exitWith(trade, providers, { way });
    const wrong = built === null ? null : findExitUnfairness(trade, lie, built);
    expect([code, wrong, refusals]).toEqual([expect.toBeOneOf(REFUSALS), null, expect.anything()]);
  });

  test.each(named(disguises, way))("refused is %s", async (_name, disguise) => {
    const { trade, providers, lie, name, ...options } = disguise;
    const { code, built } = await exitWith(trade, providers, { ...options, way });
    const wrong = built === null ? null : findExitUnfairness(trade, lie, built);
    expect([name, code, wrong]).toEqual([name, expect.toBeOneOf(REFUSALS), null]);
  });

  test.each(named(harmless, way))("takes nothing: %s", async (_name, disguise) => {
    const { trade, providers, lie, name, ...options } = disguise;
    const { built, code } = await exitWith(trade, providers, { ...options, way });
    const wrong = built === null ? null : findExitUnfairness(trade, lie, built);
    expect([name, code, wrong]).toEqual([name, null, null]);
  });
});
