import { describe, expect, test } from "vitest";
import { signalRules } from "../../src/signals/list-signal-rules.ts";
import type { RegistryChange, VaultFacts } from "../../src/signals/signal-facts.ts";
import { wholeAmount } from "../../src/signals/signal-finding.ts";
import { type At, factsOf, flowOf, growingPrices, NOW, usd } from "../support/signals/facts.ts";

/** Returns every finding as `rule: tier`. */
const found = (facts: VaultFacts): string[] =>
  signalRules.flatMap((rule) =>
    rule
      .find(facts, NOW)
      .map(({ tier, subject }) => `${rule.rule_id}${subject === "" ? "" : `(${subject})`}: ${tier}`),
  );
/** Snapshots that change at an age, in seconds. */
const since =
  (secondsAgo: number, then: ReturnType<At>, before: At = growingPrices(0.0001)): At =>
  (age) => ({ ...before(age), ...(age <= secondsAgo ? then : {}) });
const outflow = (whole: number) => ({ outflow: usd(whole), largest: [flowOf(-usd(whole))] });
const inflow = (whole: number) => ({ inflow: usd(whole), largest: [flowOf(usd(whole))] });
/** Total assets after the flows of the last day, in whole dollars. */
const held = (whole: number) => since(3_600, { totalAssets: usd(whole) });
/** A change of a vault's registry status a minute ago. */
const statusChange = ([from, to]: readonly [string, string], byOperator: boolean): RegistryChange => ({
  id: "a",
  seconds: NOW - 60,
  from,
  to,
  reason: "incident",
  byOperator,
});
const price = (parts: bigint) => ({ sharePrice: (10n ** 18n * parts) / 1_000_000n });

test.each([
  ["withdrawal", factsOf({ at: held(700_000), flows: outflow(300_000) }), 2],
  ["deposit", factsOf({ at: held(1_600_000), flows: inflow(600_000) }), 2],
  ["donation", factsOf({ at: held(1_300_000) }), 1],
])("every amount of a %s has the unit that the text shows, after its decimals", (_what, facts, count) => {
  const findings = signalRules.flatMap((rule) => rule.find(facts, NOW));
  const amounts = findings.flatMap(({ metrics, title, summary }) =>
    metrics
      .filter(({ unit }) => unit === facts.assetSymbol)
      .map(({ value, unit }) => ({ text: `${title} ${summary}`, value, unit })),
  );
  expect(amounts).toHaveLength(count);
  for (const { text, value, unit } of amounts) {
    const size = BigInt(value.replace("-", ""));
    expect(text).toContain(`${wholeAmount(size, facts.assetDecimals)} ${unit}`);
  }
});

describe("signal rules", () => {
  test.each<[string, VaultFacts, string[]]>([
    ["no signal for a quiet vault", factsOf(), []],
    ["no signal without a snapshot", factsOf({ days: 0, hours: 0 }), []],
    [
      "a withdrawal of 30% is large_withdrawal and net_outflow high",
      factsOf({ at: held(700_000), flows: outflow(300_000) }),
      ["large_withdrawal: high", "net_outflow: high"],
    ],
    [
      "a withdrawal of 10% is large_withdrawal and net_outflow medium",
      factsOf({ at: held(900_000), flows: outflow(100_000) }),
      ["large_withdrawal: medium", "net_outflow: medium"],
    ],
    ["no signal for a withdrawal of 0.1%", factsOf({ at: held(999_000), flows: outflow(1_000) }), []],
    [
      "a deposit of 60% is large_deposit high and net_inflow medium",
      factsOf({ at: held(1_600_000), flows: inflow(600_000) }),
      ["large_deposit: high", "net_inflow: medium"],
    ],
    [
      "many small withdrawals are a net_outflow without a large_withdrawal",
      factsOf({ at: held(850_000), flows: { outflow: usd(150_000), largest: [flowOf(-usd(2_000))] } }),
      ["net_outflow: medium"],
    ],
    [
      "no signal for an outflow that is normal for a volatile vault",
      factsOf({
        at: held(880_000),
        flows: outflow(120_000),
        flowed: (day) => ({ outflow: usd((day % 5) * 50_000), largestWithdrawal: usd((day % 5) * 50_000) }),
      }),
      [],
    ],
    [
      "a withdrawal of half of the vault is a signal even for a volatile vault",
      factsOf({
        at: held(450_000),
        flows: outflow(550_000),
        flowed: (day) => ({ outflow: usd((day % 5) * 120_000), largestWithdrawal: usd((day % 5) * 120_000) }),
      }),
      ["large_withdrawal: high", "net_outflow: medium"],
    ],
    ["no flow signal without a week of history", factsOf({ flows: outflow(300_000), days: 8 }), []],
    [
      "flow signals with a week of history",
      factsOf({ at: held(700_000), flows: outflow(300_000), days: 9 }),
      ["large_withdrawal: high", "net_outflow: high"],
    ],
    [
      "no signal for negligible amounts",
      factsOf({
        at: (age) => ({ totalAssets: usd(age <= 3_600 ? 101 : 200), totalSupply: usd(200) }),
        flows: outflow(99),
      }),
      [],
    ],
    [
      "no share_price_loss for a vault without shares",
      factsOf({ at: since(600, { ...price(900_000n), totalSupply: 0n }), days: 5, flows: null }),
      [],
    ],
    [
      "no flow signal when the snapshot of a day ago is missing",
      (() => {
        const facts = factsOf({ at: held(700_000), flows: outflow(300_000) });
        return {
          ...facts,
          hours: facts.hours.filter(({ seconds }) => Math.abs(NOW - seconds - 26 * 3_600) > 6 * 3_600),
        };
      })(),
      [],
    ],
    ["no flow signal when not all flows are stored", factsOf({ at: held(700_000), flows: null }), []],
    ["a donation is a tvl_jump", factsOf({ at: held(1_300_000) }), ["tvl_jump: medium"]],
    [
      "a share price loss of 2% is high",
      factsOf({ at: since(600, { ...price(980_000n), totalAssets: usd(980_000) }) }),
      ["share_price_loss: high", "apy_break: high"],
    ],
    [
      "a share price loss of 0.1% is medium",
      factsOf({ at: since(600, price(999_000n)), days: 5 }),
      ["share_price_loss: medium"],
    ],
    [
      "the smallest share price loss beyond rounding is low",
      factsOf({ at: since(600, price(999_980n), () => ({})), days: 5 }),
      ["share_price_loss: low"],
    ],
    [
      "no share_price_loss for rounding",
      factsOf({ at: since(600, { sharePrice: 10n ** 18n - 2n * 10n ** 12n }, () => ({})) }),
      [],
    ],
    [
      "a yield far above its history is an apy_break",
      factsOf({ at: since(0, price(1_001_000n)) }),
      ["apy_break: high"],
    ],
    [
      "no apy_break when the share price is updated once a week",
      factsOf({ at: (age) => growingPrices(0.001)(Math.ceil(age / 604_800) * 604_800) }),
      [],
    ],
    ["no apy_break without 14 earlier days", factsOf({ at: since(0, price(1_001_000n)), days: 10 }), []],
    [
      "paused deposits are high",
      factsOf({ at: since(300, { paused: true, maxDeposit: 0n }) }),
      ["paused: high"],
    ],
    [
      "lifted pause",
      factsOf({
        at: (age) =>
          age > 300
            ? { ...growingPrices(0.0001)(age), paused: true, maxDeposit: 0n }
            : growingPrices(0.0001)(age),
      }),
      ["unpaused: medium"],
    ],
    ["deposit cap reached", factsOf({ at: since(300, { maxDeposit: 0n }) }), ["capacity_exhausted: medium"]],
    [
      "deposit cap raised",
      factsOf({ at: (age) => ({ ...growingPrices(0.0001)(age), maxDeposit: age > 300 ? 0n : 5n }) }),
      ["capacity_opened: medium"],
    ],
    [
      "no capacity signal when the deposit limit is unknown",
      factsOf({ at: (age) => ({ ...growingPrices(0.0001)(age), maxDeposit: age > 300 ? 0n : null }) }),
      [],
    ],
    [
      "withdrawal liquidity of 2% is liquidity_thin medium",
      factsOf({ at: since(600, { liquidity: usd(20_000) }) }),
      ["liquidity_thin: medium"],
    ],
    [
      "withdrawal liquidity of 0.01% is liquidity_thin high",
      factsOf({ at: since(600, { liquidity: usd(100) }) }),
      ["liquidity_thin: high"],
    ],
    [
      "no liquidity_thin for a vault whose liquidity was always low",
      factsOf({ at: (age) => ({ ...growingPrices(0.0001)(age), liquidity: usd(20_000) }) }),
      [],
    ],
    [
      "no liquidity_thin without enough hourly snapshots",
      factsOf({ at: since(600, { liquidity: usd(100) }), hours: 8 }),
      [],
    ],
    [
      "changed owner and fee",
      factsOf({ at: since(300, { controls: { owner: "0x02", fee: "6" } }) }),
      ["control_changed(owner): high", "control_changed(fee): medium"],
    ],
    [
      "no control_changed when a view failed once",
      factsOf({ at: (age) => ({ ...growingPrices(0.0001)(age), ...(age === 300 ? { controls: {} } : {}) }) }),
      [],
    ],
    [
      "a share price that stopped changing is price_stale",
      factsOf({ at: (age) => growingPrices(0.0001)(Math.max(age, 5 * 86_400)) }),
      ["apy_break: high", "price_stale: medium"],
    ],
    [
      "no signal for a share price that is unread since yesterday",
      factsOf({ at: (age) => (age < 86_400 ? { sharePrice: null } : growingPrices(0.0001)(age)) }),
      [],
    ],
    [
      "no price_stale for a share price that is unread for five days",
      factsOf({ at: (age) => (age < 5 * 86_400 ? { sharePrice: null } : growingPrices(0.0001)(age)) }),
      [],
    ],
    ["new vault", { ...factsOf(), addedAt: NOW - 60 }, ["vault_added: low"]],
    [
      "vault paused in the registry",
      {
        ...factsOf(),
        registryChanges: [statusChange(["active", "paused"], true)],
      },
      ["registry_changed: medium"],
    ],
  ])("%s", (_what, facts, expected) => {
    expect(found(facts)).toEqual(expected);
  });
});

test.each([
  [
    ["paused", "active"],
    true,
    "resumed",
    /^An operator resumed deposits into Steady USDC through this service at 20\d\d-\d\d-\d\d \d\d:\d\d UTC\. Reason: /,
  ],
  [
    ["paused", "active"],
    false,
    "resumed",
    /^The automatic check resumed deposits into Steady USDC through this service at 20/,
  ],
  [["candidate", "active"], false, "opened", /Deposits through this service are allowed now\.$/],
  [
    ["active", "paused"],
    false,
    "paused",
    /Reason: incident\. The vault holds 1,000,000 USDC\. Deposits through/,
  ],
  [
    ["active", "unsupported"],
    true,
    "closed",
    /Assets already in the vault are not affected by this; check whether you can withdraw them\.$/,
  ],
] as const)(
  "registry_changed says who changed the status %j, operator: %s",
  (states, byOperator, verb, text) => {
    const facts = {
      ...factsOf({ at: held(1_000_000) }),
      registryChanges: [statusChange(states, byOperator)],
    };
    const [one] = signalRules.flatMap((rule) =>
      rule.rule_id === "registry_changed" ? rule.find(facts, NOW) : [],
    );
    expect(one?.title).toBe(`Steady USDC: deposits through this service ${verb}`);
    expect(one?.summary).toMatch(text);
  },
);

test.each([
  ["owner", "The vault has no owner any more."],
  ["curator", "The vault no longer has a curator"],
  ["guardian", "The vault no longer has a guardian that could veto pending changes"],
])("control_changed says what the removal of the %s means", (control, expected) => {
  const zero = `0x${"0".repeat(40)}`;
  const before = { controls: { [control]: `0x${"1".repeat(40)}` } };
  const facts = factsOf({
    at: (age) => ({ ...before, ...(age <= 300 ? { controls: { [control]: zero } } : {}) }),
  });
  const [one] = signalRules.flatMap((rule) =>
    rule.rule_id === "control_changed" ? rule.find(facts, NOW) : [],
  );
  expect(one?.title).toBe(`Steady USDC: ${control} removed`);
  expect(one?.summary).toContain("to none (the zero address) within");
  expect(one?.summary).toContain(expected);
});

test("control_changed shows Morpho Vault V2's management fee for a year", () => {
  const feeOf = (fee: string) => ({ controls: { management_fee: fee } });
  const facts = factsOf({ at: (age) => feeOf(age <= 300 ? "317097919" : "0") });
  const [one] = signalRules.flatMap((rule) =>
    rule.rule_id === "control_changed" ? rule.find({ ...facts, adapter: "morpho_v2" }, NOW) : [],
  );
  expect(one?.summary).toContain("changed from 0.00% a year to 1.00% a year within");
});

test("every rule has a unique id, a description, its needs and a reason for each threshold", () => {
  expect(new Set(signalRules.map(({ rule_id }) => rule_id)).size).toBe(signalRules.length);
  for (const { needs, tiers, description } of signalRules) {
    expect(
      Math.min(needs.length, description.length, ...tiers.map(({ reason }) => reason.length)),
    ).toBeGreaterThan(5);
  }
});

test("large_withdrawal states amount, fraction, normal range and consequence", () => {
  const [withdrawal] = signalRules.flatMap((rule) =>
    rule.find(factsOf({ at: held(700_000), flows: outflow(300_000) }), NOW),
  );
  expect(withdrawal).toMatchObject({
    title: "Steady USDC: single withdrawal of 300,000 USDC",
    txHash: "0xaa",
    keys: ["0xaa:1"],
    metrics: [
      { value: "300000000000", unit: "USDC" },
      { value: "0.300000", unit: "fraction" },
    ],
  });
  expect(withdrawal?.summary).toBe(
    "0x00000000000000000000000000000000000a0001 withdrew 300,000 USDC in one transaction in the 24 hours before 2027-01-15 " +
      "08:00 UTC, 30.00% of the total assets of Steady USDC at the start of that time (1,000,000 USDC). Over 28 earlier days the median of the largest daily " +
      "withdrawal was 0.00% of total assets; up to 4.00% is normal for this vault. If withdrawals are by " +
      "request, the account may have claimed its own request or settled those of several holders. Less may be left for immediate withdrawals: check how much " +
      "you could withdraw now.",
  );
});
