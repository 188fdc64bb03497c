import { expect, test } from "vitest";
import { signalRules } from "../../src/signals/list-signal-rules.ts";
import type { VaultFacts } from "../../src/signals/signal-facts.ts";
import { type At, factsOf, growingPrices, NOW, pointAt, usd } from "../support/signals/facts.ts";

/** Returns the first finding of a rule. */
const raised = (ruleId: string, facts: VaultFacts) =>
  signalRules.find(({ rule_id }) => rule_id === ruleId)?.find(facts, NOW)[0];

test.each([
  ["limited", 5n, true],
  ["unlimited", 2n ** 256n - 1n, false],
])("capacity_opened says of a %s capacity whether it may be used up", (_what, maxDeposit, isLimited) => {
  const facts = factsOf({
    at: (age) => ({ ...growingPrices(0.0001)(age), maxDeposit: age > 300 ? 0n : maxDeposit }),
  });
  const one = raised("capacity_opened", facts);
  expect(one?.summary.endsWith("Any room under a cap is often used up quickly.")).toBe(isLimited);
});

test.each([
  ["capacity_opened", (age: number) => (age > 300 ? 0n : 1n), "into Steady USDC is less than 0.0001 USDC;"],
  ["capacity_exhausted", (age: number) => (age > 300 ? 1n : 0n), "earlier it was less than 0.0001 USDC."],
])("%s does not call a tiny capacity zero", (ruleId, capacity, text) => {
  const at: At = (age) => ({ ...growingPrices(0.0001)(age), maxDeposit: capacity(age) });
  expect(raised(ruleId, { ...factsOf({ at }), assetDecimals: 18 })?.summary).toContain(text);
});

test("liquidity_thin says how snapshots without a known limit count", () => {
  const one = raised(
    "liquidity_thin",
    factsOf({ at: (age) => (age <= 600 ? { liquidity: usd(20_000) } : {}) }),
  );
  expect(one?.summary).toMatch(
    /The median of the \d+ earlier hourly snapshots was 100\.00%; a snapshot without a known limit counts as 100%\./,
  );
});

test("share_price_loss names a fall that rounds to zero", () => {
  const sharePrice = 10n ** 18n + 3n;
  const fallBy = (fall: bigint) =>
    raised("share_price_loss", {
      ...factsOf({
        at: (age) => ({ totalAssets: 10n ** 24n, sharePrice: age > 300 ? sharePrice : sharePrice - fall }),
      }),
      assetDecimals: 18,
    });
  expect(fallBy(2n)).toBeUndefined();
  expect(fallBy(3n)?.title).toMatch(/: share price less than 0\.0001% below its 24-hour high$/);
  expect(fallBy(2n * 10n ** 12n)?.title).toContain("share price 0.0002% below");
  expect(fallBy(3n)?.summary).toMatch(
    /^The share price of Steady USDC is 1 USDC, less than 0\.0001% below its 24-hour high\. On all shares that now exist, the fall amounts to less than 0\.0001 USDC\./,
  );
  expect(fallBy(10n ** 16n)?.summary).toContain(
    "is 0.99 USDC, 1.00% below its 24-hour high of 1 USDC. On all shares that now exist, the fall amounts to about 10,101.0101 USDC.",
  );
});

test("price_stale names the time of the last change, which does not age as a duration does", () => {
  const at: At = (age) => growingPrices(0.0001)(Math.max(age, 5 * 86_400));
  const one = raised("price_stale", factsOf({ at }));
  expect(one?.title).toMatch(/: share price unchanged since \d{4}-\d\d-\d\d \d\d:\d\d UTC$/);
  expect(one?.summary).toMatch(
    / USDC since \d{4}-\d\d-\d\d \d\d:\d\d UTC\. Daily snapshots of the last 90 days show \d+ changes, with a median interval of 1 day\. /,
  );
});

test("vault_added names the time", () => {
  expect(raised("vault_added", { ...factsOf(), addedAt: NOW - 60 })?.summary).toMatch(
    /^Steady USDC was added to this service at \d{4}-\d\d-\d\d \d\d:\d\d UTC\./,
  );
});

test("share_price_loss measures from the highest price of the day, not from the price of a day ago", () => {
  const at: At = (age) => ({
    sharePrice: 10n ** 16n * (age > 7_200 ? 100n : age > 300 ? 105n : 103n),
  });
  expect(raised("share_price_loss", factsOf({ at }))?.title).toMatch(
    /: share price 1\.9\d+% below its 24-hour high$/,
  );
});

test.each([
  ["unsupported", "candidate"],
  ["candidate", "refused"],
  ["candidate", "paused"],
])("registry_changed is silent about %s → %s, because deposits stay closed", (from, to) => {
  const change = { id: "a", seconds: NOW - 60, from, to, reason: "", byOperator: true };
  expect(raised("registry_changed", { ...factsOf(), registryChanges: [change] })).toBeUndefined();
});

test.each([
  ["metamorpho", "fee", "The performance fee of Steady USDC changed from 5.00% to 10.00% within"],
  ["euler_earn", "fee", "The performance fee of Steady USDC changed from 5.00% to 10.00% within"],
  ["erc4626", "fee", "The fee of Steady USDC changed from 50000000000000000 to 100000000000000000 (raw"],
])("control_changed of %s says the %s in the unit that the vault has", (adapter, control, text) => {
  const at: At = (age) => ({
    controls: { [control]: age > 300 ? "50000000000000000" : "100000000000000000" },
  });
  const one = raised("control_changed", { ...factsOf({ at }), adapter });
  expect(one?.summary.startsWith(text), one?.summary).toBe(true);
});

test("control_changed says a timelock in its largest whole unit", () => {
  const at: At = (age) => ({ controls: { timelock: age > 300 ? "259200" : "1800" } });
  expect(raised("control_changed", factsOf({ at }))?.summary).toContain("from 3 days to 30 minutes within");
});

const thresholdOf = (ruleId: string, tier: string): string | undefined =>
  signalRules.find(({ rule_id }) => rule_id === ruleId)?.tiers.find((one) => one.tier === tier)?.threshold;

test("a threshold states the least deviation, and a bound in any case only in the highest tier that has it", () => {
  const floor = "(a deviation below 1% of total assets counts as 1%)";
  expect(thresholdOf("large_withdrawal", "medium")).toContain(`${floor}, or at least 25% in any case. `);
  expect(thresholdOf("large_withdrawal", "low")).toContain(`days ${floor}. `);
  expect(thresholdOf("tvl_jump", "high")).toContain("At least 50% of total assets. ");
  expect(thresholdOf("tvl_jump", "medium")).not.toContain("in any case");
  expect(thresholdOf("apy_break", "high")).toContain(
    "; a median absolute deviation below 0.1 percentage points counts as 0.1",
  );
});

test("apy_break counts a small deviation as 0.1 percentage points", () => {
  // 5% a year with hardly any deviation, then 6.5%: 15 times 0.1 percentage points.
  const daily = (apy: number) => (1 + apy) ** (1 / 365) - 1;
  const steady = growingPrices(daily(0.05));
  const last = BigInt(Math.round(1e9 * (daily(0.065) - daily(0.05))));
  const at: At = (age) => {
    const point = steady(age);
    return age > 0
      ? point
      : { ...point, sharePrice: ((point.sharePrice ?? 0n) * (10n ** 9n + last)) / 10n ** 9n };
  };
  expect(raised("apy_break", factsOf({ at }))?.tier).toBe("medium");
});

test.each([
  [2, "before"],
  [16, "after"],
])(
  "apy_break leaves out today's snapshot %i hours after midnight, %s a daily update of the price",
  (hour) => {
    const facts = factsOf();
    // The price rises by the same amount at 15:00 UTC of each day; daily snapshots are taken at 23:55.
    const priceAt = (seconds: number) =>
      10n ** 18n + 10n ** 14n * BigInt(Math.floor((seconds - 15 * 3_600) / 86_400));
    const midnight = Math.floor(NOW / 86_400) * 86_400;
    const days = Array.from({ length: 30 }, (_, index) => midnight - index * 86_400 - 300).reverse();
    const points = [...days, midnight + hour * 3_600].map((seconds) => ({
      ...pointAt(NOW - seconds),
      sharePrice: priceAt(seconds),
    }));
    expect(raised("apy_break", { ...facts, days: points })).toBeUndefined();
  },
);

test("a share price too small for six decimals does not read as zero", () => {
  const at: At = (age) => ({ totalAssets: 10n ** 24n, sharePrice: age > 300 ? 2n * 10n ** 11n : 10n ** 11n });
  expect(raised("share_price_loss", { ...factsOf({ at }), assetDecimals: 18 })?.summary).toContain(
    "is less than 0.000001 USDC, 50.00% below",
  );
});

test("tvl_jump takes what a day's own deposits earn for explained", () => {
  const rule = signalRules.find(({ rule_id }) => rule_id === "tvl_jump");
  const facts = factsOf();
  const [before, after] = [facts.indexedDay?.before, facts.indexedDay?.after];
  if (before === undefined || after === undefined) throw new Error("the facts lack a day");
  const filled = (totalAssets: number) => {
    const day = {
      ...{ inflow: usd(5_000_000), outflow: 0n, largestDeposit: usd(5_000_000), largestWithdrawal: 0n },
      before: { ...before, totalAssets: usd(1_000), sharePrice: 10n ** 18n },
      after: { ...after, totalAssets: usd(totalAssets), sharePrice: 1_000_200_000_000_000_000n },
    };
    return rule?.find({ ...facts, indexedDay: day }, NOW) ?? [];
  };
  // A price that rose by 0.02% explains up to 1,000 USDC more on 5,000,000 that were deposited in the same day.
  expect(filled(5_002_000)).toEqual([]);
  expect(filled(5_003_000)).toMatchObject([{ tier: "high" }]);
});
