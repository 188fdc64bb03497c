import { describe, expect, test } from "vitest";
import type { VaultFacts } from "../../src/signals/facts.ts";
import { signalRules } from "../../src/signals/list-rules.ts";
import { type At, factsOf, flowOf, growing, NOW, usd } from "../support/signals/facts.ts";

/** Every finding as `rule: tier`, the way a feed would show it. */
const found = (facts: VaultFacts): string[] =>
  signalRules.flatMap((rule) =>
    rule
      .find(facts, NOW)
      .map(({ tier, subject }) => `${rule.rule_id}${subject === "" ? "" : `(${subject})`}: ${tier}`),
  );
/** Something else from so many seconds ago on. */
const since =
  (secondsAgo: number, then: ReturnType<At>, before: At = growing(0.0001)): At =>
  (age) => ({ ...before(age), ...(age <= secondsAgo ? then : {}) });
const outflow = (whole: number) => ({ outflow: usd(whole), largest: [flowOf(-usd(whole))] });
const inflow = (whole: number) => ({ inflow: usd(whole), largest: [flowOf(usd(whole))] });
/** What the vault holds after the flows of the last day. */
const held = (whole: number) => since(3_600, { totalAssets: usd(whole) });
const price = (parts: bigint) => ({ sharePrice: (10n ** 18n * parts) / 1_000_000n });

describe("of a vault, rules find", () => {
  test.each<[string, VaultFacts, string[]]>([
    ["nothing when nothing happens", factsOf(), []],
    ["nothing when there is no snapshot", factsOf({ days: 0, hours: 0 }), []],
    [
      "a whale that leaves",
      factsOf({ at: held(700_000), flows: outflow(300_000) }),
      ["large_withdrawal: high", "net_outflow: high"],
    ],
    [
      "a withdrawal of a tenth",
      factsOf({ at: held(900_000), flows: outflow(100_000) }),
      ["large_withdrawal: medium", "net_outflow: medium"],
    ],
    ["nothing in small withdrawals", factsOf({ at: held(999_000), flows: outflow(1_000) }), []],
    [
      "a whale that comes",
      factsOf({ at: held(1_600_000), flows: inflow(600_000) }),
      ["large_deposit: high", "net_inflow: medium"],
    ],
    [
      "a slow drain, which no single withdrawal shows",
      factsOf({ at: held(850_000), flows: { outflow: usd(150_000), largest: [flowOf(-usd(2_000))] } }),
      ["net_outflow: medium"],
    ],
    [
      "nothing in a week of lively days, or in another one like them",
      factsOf({
        at: held(880_000),
        flows: outflow(120_000),
        flowed: (day) => ({ outflow: usd((day % 5) * 50_000), largestWithdrawal: usd((day % 5) * 50_000) }),
      }),
      [],
    ],
    [
      "half of a vault that leaves, however lively its days were",
      factsOf({
        at: held(450_000),
        flows: outflow(550_000),
        flowed: (day) => ({ outflow: usd((day % 5) * 120_000), largestWithdrawal: usd((day % 5) * 120_000) }),
      }),
      ["large_withdrawal: high", "net_outflow: medium"],
    ],
    ["nothing about flows without a week of history", factsOf({ flows: outflow(300_000), days: 8 }), []],
    [
      "flows with a week of history",
      factsOf({ at: held(700_000), flows: outflow(300_000), days: 9 }),
      ["large_withdrawal: high", "net_outflow: high"],
    ],
    [
      "nothing in dust",
      factsOf({
        at: (age) => ({ totalAssets: usd(age <= 3_600 ? 101 : 200), totalSupply: usd(200) }),
        flows: outflow(99),
      }),
      [],
    ],
    [
      "nothing in a price that begins again with an empty vault",
      factsOf({ at: since(600, { ...price(900_000n), totalSupply: 0n }), days: 5, flows: null }),
      [],
    ],
    [
      "nothing about a day of which the beginning is missing",
      (() => {
        const facts = factsOf({ at: held(700_000), flows: outflow(300_000) });
        return {
          ...facts,
          hours: facts.hours.filter(({ seconds }) => Math.abs(NOW - seconds - 26 * 3_600) > 6 * 3_600),
        };
      })(),
      [],
    ],
    ["nothing about flows that are not all stored", factsOf({ at: held(700_000), flows: null }), []],
    ["a donation", factsOf({ at: held(1_300_000) }), ["tvl_jump: medium"]],
    [
      "a loss of two per cent",
      factsOf({ at: since(600, { ...price(980_000n), totalAssets: usd(980_000) }) }),
      ["share_price_loss: high", "apy_break: high"],
    ],
    [
      "a loss of a thousandth",
      factsOf({ at: since(600, price(999_000n)), days: 5 }),
      ["share_price_loss: medium"],
    ],
    [
      "the smallest loss beyond rounding",
      factsOf({ at: since(600, price(999_980n), () => ({})), days: 5 }),
      ["share_price_loss: low"],
    ],
    [
      "nothing in a rounding",
      factsOf({ at: since(600, { sharePrice: 10n ** 18n - 2n * 10n ** 12n }, () => ({})) }),
      [],
    ],
    ["a rate that broke", factsOf({ at: since(0, price(1_001_000n)) }), ["apy_break: high"]],
    [
      "no break where the price is set once a week",
      factsOf({ at: (age) => growing(0.001)(Math.ceil(age / 604_800) * 604_800) }),
      [],
    ],
    ["no break without a history", factsOf({ at: since(0, price(1_001_000n)), days: 10 }), []],
    ["a pause", factsOf({ at: since(300, { paused: true, maxDeposit: 0n }) }), ["paused: high"]],
    [
      "the end of a pause",
      factsOf({
        at: (age) =>
          age > 300 ? { ...growing(0.0001)(age), paused: true, maxDeposit: 0n } : growing(0.0001)(age),
      }),
      ["unpaused: medium"],
    ],
    [
      "a cap that is reached",
      factsOf({ at: since(300, { maxDeposit: 0n }) }),
      ["capacity_exhausted: medium"],
    ],
    [
      "a cap that was raised",
      factsOf({ at: (age) => ({ ...growing(0.0001)(age), maxDeposit: age > 300 ? 0n : 5n }) }),
      ["capacity_opened: medium"],
    ],
    [
      "nothing about a limit that nobody tells",
      factsOf({ at: (age) => ({ ...growing(0.0001)(age), maxDeposit: age > 300 ? 0n : null }) }),
      [],
    ],
    ["thin liquidity", factsOf({ at: since(600, { liquidity: usd(20_000) }) }), ["liquidity_thin: medium"]],
    [
      "liquidity all but gone",
      factsOf({ at: since(600, { liquidity: usd(100) }) }),
      ["liquidity_thin: high"],
    ],
    [
      "nothing in liquidity that was always thin",
      factsOf({ at: (age) => ({ ...growing(0.0001)(age), liquidity: usd(20_000) }) }),
      [],
    ],
    [
      "no thin liquidity without a history",
      factsOf({ at: since(600, { liquidity: usd(100) }), hours: 8 }),
      [],
    ],
    [
      "another owner and fee",
      factsOf({ at: since(300, { controls: { owner: "0x02", fee: "6" } }) }),
      ["control_changed(owner): high", "control_changed(fee): medium"],
    ],
    [
      "nothing in a view that failed once",
      factsOf({ at: (age) => ({ ...growing(0.0001)(age), ...(age === 300 ? { controls: {} } : {}) }) }),
      [],
    ],
    [
      "a price that stands still",
      factsOf({ at: (age) => growing(0.0001)(Math.max(age, 5 * 86_400)) }),
      ["apy_break: high", "price_stale: high"],
    ],
    ["a new vault", { ...factsOf(), addedAt: NOW - 60 }, ["vault_added: low"]],
    [
      "a change of the registry",
      {
        ...factsOf(),
        registryChanges: [{ id: "a", seconds: NOW - 60, from: "active", to: "paused", reason: "incident" }],
      },
      ["registry_changed: medium"],
    ],
  ])("%s", (_what, facts, expected) => {
    expect(found(facts)).toEqual(expected);
  });
});

test("every rule says what it needs, and why its thresholds are what they are", () => {
  expect(new Set(signalRules.map(({ rule_id }) => rule_id)).size).toBe(signalRules.length);
  for (const { needs, tiers, description } of signalRules) {
    expect(
      Math.min(needs.length, description.length, ...tiers.map(({ reason }) => reason.length)),
    ).toBeGreaterThan(5);
  }
});

test("what is found tells a person what to do", () => {
  const [withdrawal] = signalRules.flatMap((rule) =>
    rule.find(factsOf({ at: held(700_000), flows: outflow(300_000) }), NOW),
  );
  expect(withdrawal).toMatchObject({
    title: "Steady USDC: 300,000 USDC withdrawn at once",
    txHash: "0xaa",
    keys: ["0xaa:1"],
    metrics: [
      { value: "300000000000", unit: "USDC" },
      { value: "0.300000", unit: "fraction" },
    ],
  });
  expect(withdrawal?.summary).toBe(
    "0x00000000000000000000000000000000000a0001 withdrew 300,000 USDC in one transaction within the last 24 hours, " +
      "30.00 % of the 1,000,000 USDC that Steady USDC held a day ago. Over 28 earlier days the largest single " +
      "withdrawal was 0.00 % in the middle; up to 4.00 % is usual here. Check how much you could withdraw at once " +
      "now, and find out why a large holder left, before others ask for it.",
  );
});
