import { expect, test } from "vitest";
import { signalRules } from "../../src/signals/list-signal-rules.ts";
import { pointDayAgo } from "../../src/signals/signal-facts.ts";
import { factsOf, flowOf, NOW, usd } from "../support/signals/facts.ts";

const withdrawal = { outflow: usd(300_000), largest: [flowOf(-usd(300_000))] };
const held = (whole: number) => (age: number) => ({
  sharePrice: 10n ** 18n,
  totalAssets: usd(age <= 3_600 ? whole : 1_000_000),
});

test.each([
  ["net_outflow", factsOf({ at: held(700_000), flows: withdrawal })],
  ["large_withdrawal", factsOf({ at: held(700_000), flows: withdrawal })],
  ["tvl_jump", factsOf({ at: held(1_300_000) })],
])("%s states how old the snapshot is since which it counts", (ruleId, facts) => {
  const rule = signalRules.find(({ rule_id }) => rule_id === ruleId);
  const hour = 3_600;
  for (const hours of [24, 27, 30]) {
    const stored = facts.hours.filter(({ seconds }) => {
      const age = NOW - seconds;
      return age < 24 * hour || age >= hours * hour;
    });
    const before = pointDayAgo({ ...facts, hours: stored });
    const indexedDay = facts.indexedDay === null || before === null ? null : { ...facts.indexedDay, before };
    const [finding] = rule?.find({ ...facts, hours: stored, indexedDay }, NOW) ?? [];
    expect(finding?.summary).toMatch(
      new RegExp(`(in the ${hours} hours before \\d{4}-|in ${hours} hours: )`),
    );
    if (ruleId === "net_outflow") expect(finding?.title).toMatch(new RegExp(`in ${hours} hours$`));
  }
});

test("flows count for no day while a vault has no new snapshots, because they go on", () => {
  const { recent, hours } = factsOf();
  expect(pointDayAgo({ recent, hours })).not.toBeNull();
  expect(pointDayAgo({ recent: [], hours })).toBeNull();
});
