import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { signalRules } from "../../src/signals/list-signal-rules.ts";
import { isNegligible } from "../../src/signals/negligible-signal-amount.ts";
import { baselineOf, MIN_BASELINE_DAYS, tierBeyond } from "../../src/signals/signal-baseline.ts";
import type { FlowDay, VaultFacts } from "../../src/signals/signal-facts.ts";
import { factsOf, flowOf, growingPrices, NOW, usd } from "../support/signals/facts.ts";

const RANKS = ["none", "low", "medium", "high"] as const;
const ruleIds = ["large_deposit", "large_withdrawal", "net_inflow", "net_outflow"] as const;
const isOut = (ruleId: string): boolean =>
  ruleId.endsWith("flow") ? ruleId === "net_outflow" : ruleId === "large_withdrawal";

/** Returns the tier that a rule finds; `none` when it finds nothing. */
function tierOf(ruleId: string, facts: VaultFacts): (typeof RANKS)[number] {
  const rule = signalRules.find(({ rule_id }) => rule_id === ruleId);
  return rule?.find(facts, NOW)[0]?.tier ?? "none";
}

/** A vault of a million dollars with a flow of `part` dollars in the last day, after daily flows of `days` dollars. */
function vaultOf(ruleId: string, of: { part: number; days: readonly number[] }): VaultFacts {
  const out = isOut(ruleId);
  const whole = (millionths: number): bigint => usd(millionths);
  const flowed = (day: number): Partial<FlowDay> => {
    const amount = whole(of.days[day % of.days.length] ?? 0);
    return out ? { outflow: amount, largestWithdrawal: amount } : { inflow: amount, largestDeposit: amount };
  };
  const amount = whole(of.part);
  const flows = out
    ? { outflow: amount, largest: [flowOf(-amount)] }
    : { inflow: amount, largest: [flowOf(amount)] };
  const facts = factsOf({ at: growingPrices(0), flows, flowed });
  return { ...facts, flowDays: facts.flowDays.slice(-of.days.length) };
}

const rule = fc.constantFrom(...ruleIds);
const parts = fc.array(fc.integer({ min: 0, max: 900_000 }), { minLength: MIN_BASELINE_DAYS, maxLength: 28 });

describe("rules for large flows and net flows", () => {
  test("find the same tier in any unit and with any decimals of the asset", () => {
    fc.assert(
      fc.property(
        rule,
        fc.record({ part: fc.integer({ min: 1_000, max: 1_500_000 }), days: parts }),
        fc.integer({ min: 1, max: 1_000 }),
        fc.integer({ min: 0, max: 24 }),
        (ruleId, of, factor, decimals) => {
          const facts = vaultOf(ruleId, of);
          const scale = (amount: bigint): bigint =>
            (amount * BigInt(factor) * 10n ** BigInt(decimals)) / 1_000_000n;
          expect(tierOf(ruleId, scaled(facts, scale, decimals))).toBe(tierOf(ruleId, facts));
        },
      ),
    );
  });

  test("say within the normal range that a part of total assets suffices, and not above it", () => {
    const days = [100_000, 300_000, 100_000, 300_000, 100_000, 300_000, 100_000, 300_000];
    const summaryOf = (ruleId: string, of: { part: number; days: readonly number[] }) =>
      signalRules.find(({ rule_id }) => rule_id === ruleId)?.find(vaultOf(ruleId, of), NOW)[0]?.summary;
    expect(summaryOf("large_withdrawal", { part: 260_000, days })).toMatch(
      /up to 60\.00% is normal for this vault\. This signal is raised from 25% of total assets, even if that is normal\./,
    );
    expect(summaryOf("net_outflow", { part: 310_000, days })).toContain("raised from 30% of total assets");
    const calm = days.map(() => 0);
    expect(summaryOf("large_withdrawal", { part: 260_000, days: calm })).not.toContain(
      "even if that is normal",
    );
  });

  test("find a tier that never falls as the flow grows", () => {
    fc.assert(
      fc.property(
        rule,
        parts,
        fc.tuple(fc.integer({ min: 0, max: 2_000_000 }), fc.integer({ min: 0, max: 2_000_000 })),
        (ruleId, days, [a, b]) => {
          const rank = (part: number): number =>
            RANKS.indexOf(tierOf(ruleId, vaultOf(ruleId, { part, days })));
          expect(rank(Math.max(a, b))).toBeGreaterThanOrEqual(rank(Math.min(a, b)));
        },
      ),
    );
  });

  test("find nothing within four median absolute deviations and below the unconditional bound", () => {
    fc.assert(
      fc.property(rule, parts, fc.double({ min: 0, max: 1, noNaN: true }), (ruleId, days, place) => {
        const baseline = baselineOf(days.map((day) => day / 1e6));
        if (baseline === null) throw new RangeError("too few days");
        const most = Math.min(baseline.median + 4 * baseline.mad, isOut(ruleId) ? 0.24 : 9);
        // A millionth below the edge, which floating point moves by less, in the rule and here.
        const part = Math.max(0, Math.floor(place * most * 1e6) - 1);
        expect(tierOf(ruleId, vaultOf(ruleId, { part, days }))).toBe("none");
      }),
      // An edge that floating point crossed.
      { examples: [["large_deposit", [0, 366854, 0, 619498, 0, 619498, 703788, 0, 701077, 619498], 1]] },
    );
  });

  test("find nothing below the least fraction of total assets, however quiet the earlier days were", () => {
    for (const [ruleId, least] of [
      ["large_deposit", 0.05],
      ["large_withdrawal", 0.05],
      ["net_inflow", 0.1],
      ["net_outflow", 0.05],
    ] as const) {
      const days = [0, 0, 0, 0, 0, 0, 0];
      expect(tierOf(ruleId, vaultOf(ruleId, { part: least * 1e6 - 1, days }))).toBe("none");
      expect(tierOf(ruleId, vaultOf(ruleId, { part: least * 1e6, days }))).toBe("low");
    }
  });

  test("find nothing with fewer days of history than a baseline needs", () => {
    fc.assert(
      fc.property(
        rule,
        fc.integer({ min: 0, max: MIN_BASELINE_DAYS - 1 }),
        fc.integer({ min: 0, max: 5_000_000 }),
        (ruleId, count, part) => {
          const facts = vaultOf(ruleId, { part, days: [0, 0, 0, 0, 0, 0, 0] });
          expect(tierOf(ruleId, { ...facts, flowDays: facts.flowDays.slice(0, count) })).toBe("none");
        },
      ),
    );
  });

  test("use a median, which a few outlier days do not shift", () => {
    const quiet = [1_000, 2_000, 3_000, 2_000, 1_000, 2_000, 3_000, 2_000, 1_000];
    expect(
      tierOf(
        "net_outflow",
        vaultOf("net_outflow", { part: 120_000, days: [...quiet, 800_000, 900_000, 700_000] }),
      ),
    ).toBe("medium");
  });
});

/** Converts all amounts of a vault to another unit. */
function scaled(facts: VaultFacts, scale: (amount: bigint) => bigint, decimals: number): VaultFacts {
  const point = (one: VaultFacts["hours"][number]) => ({
    ...one,
    totalAssets: one.totalAssets === null ? null : scale(one.totalAssets),
  });
  const day = (one: FlowDay): FlowDay => ({
    before: point(one.before),
    after: point(one.after),
    inflow: scale(one.inflow),
    outflow: scale(one.outflow),
    largestDeposit: scale(one.largestDeposit),
    largestWithdrawal: scale(one.largestWithdrawal),
  });
  return {
    ...facts,
    assetDecimals: decimals,
    recent: facts.recent.map(point),
    hours: facts.hours.map(point),
    days: facts.days.map(point),
    dayFlows:
      facts.dayFlows === null
        ? null
        : {
            inflow: scale(facts.dayFlows.inflow),
            outflow: scale(facts.dayFlows.outflow),
            largest: facts.dayFlows.largest.map((flow) => ({ ...flow, assets: scale(flow.assets) })),
          },
    indexedDay: facts.indexedDay === null ? null : day(facts.indexedDay),
    flowDays: facts.flowDays.map(day),
  };
}

describe("tierBeyond()", () => {
  const baseline = { median: 0.1, mad: 0.02, days: 20 };
  const bounds = [
    { tier: "high", least: 0.3, deviations: 10, always: 0.5, reason: "" },
    { tier: "low", least: 0.05, deviations: 4, always: null, reason: "" },
  ] as const;
  test.each([
    [0.18, null],
    [0.181, "low"],
    [0.3, "low"],
    [0.301, "high"],
    [0.9, "high"],
  ])("returns the tier of the highest bound: %f of the vault is %s", (part, tier) => {
    expect(tierBeyond(part, { baseline, bounds })).toBe(tier);
  });

  test("applies the unconditional bound to a vault with volatile days", () => {
    const wild = { median: 0.3, mad: 0.3, days: 20 };
    expect(tierBeyond(0.5, { baseline: wild, bounds })).toBe("high");
    expect(tierBeyond(0.49, { baseline: wild, bounds })).toBeNull();
  });
});

describe("isNegligible()", () => {
  test.each([
    ["USDC", 6, "99999999", true],
    ["USDC", 6, "100000000", false],
    ["USDC", 6, "-100000000", false],
    ["wstETH", 18, "29999999999999999", true],
    ["wstETH", 18, "30000000000000000", false],
    ["cbBTC", 8, "99999", true],
    ["cbBTC", 8, "100000", false],
    ["HOLES", 0, "99", true],
    ["HOLES", 0, "100", false],
  ])(
    "compares %s with %i decimals with its threshold: %s is %s",
    (assetSymbol, assetDecimals, amount, dust) => {
      expect(isNegligible({ assetSymbol, assetDecimals }, BigInt(amount))).toBe(dust);
    },
  );
});
