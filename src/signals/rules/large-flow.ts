import { DAY_S } from "../../lib/durations.ts";
import {
  BASELINE_NEEDS,
  type Baseline,
  type Bound,
  baselineEvidence,
  baselineOf,
  describeBaseline,
  tierBeyond,
  toTiers,
} from "../baseline.ts";
import { type FlowDay, latestPoint, pointDayAgo, type SingleFlow, type VaultFacts } from "../facts.ts";
import { type Finding, fixed, fractionOf, percent, type SignalRule, wholeAmount } from "../finding.ts";
import { isNegligible } from "../negligible-amount.ts";

interface Direction {
  ruleId: string;
  title: string;
  noun: string;
  verb: string;
  past: string;
  sign: 1n | -1n;
  largest: (day: FlowDay) => bigint;
  bounds: readonly Bound[];
  advice: string;
}

/** One deposit or withdrawal that is a large part of what the vault held, and larger than its days' largest are. */
function largeFlow(direction: Direction): SignalRule {
  const { ruleId, title, noun, bounds } = direction;
  return {
    rule_id: ruleId,
    dimension: "capital",
    title,
    description:
      `One ${noun} within a day, as a part of what the vault held at the day's beginning, against the largest one of ` +
      "each earlier day.",
    tiers: toTiers(bounds),
    needs: BASELINE_NEEDS,
    quietSeconds: DAY_S,
    find: (facts) => findLarge(facts, direction),
  };
}

function findLarge(facts: VaultFacts, direction: Direction): Finding[] {
  const [before, latest] = [pointDayAgo(facts)?.totalAssets ?? null, latestPoint(facts)];
  const usual = baselineOf(
    facts.flowDays.flatMap((day) => fractionOf(direction.largest(day), day.before.totalAssets ?? 0n) ?? []),
  );
  if (before === null || latest === null || facts.dayFlows === null || usual === null) return [];
  const found = facts.dayFlows.largest.flatMap((flow) => {
    const amount = flow.assets * direction.sign;
    const part = isNegligible(facts, amount) ? null : fractionOf(amount, before);
    const tier = part === null ? null : tierBeyond(part, { usual, bounds: direction.bounds });
    return part === null || tier === null ? [] : [{ flow, amount, part, tier }];
  });
  const [largest] = found;
  if (largest === undefined) return [];
  const { flow, amount, part, tier } = largest;
  return [
    {
      tier,
      subject: "",
      ...texts(facts, { direction, flow, amount, part, before, usual, more: found.length - 1 }),
      metrics: [
        { label: "amount", value: amount.toString(), unit: facts.assetSymbol, change: null },
        { label: "share_of_total_assets", value: fixed(part), unit: "fraction", change: null },
      ],
      evidence: {
        user: flow.user,
        total_assets_before: before.toString(),
        flows: `${found.length}`,
        ...baselineEvidence(usual),
      },
      keys: found.map((one) => one.flow.key),
      seconds: latest.seconds,
      ongoing: false,
      txHash: flow.txHash,
      blockNumber: flow.blockNumber,
    },
  ];
}

function texts(
  facts: VaultFacts,
  of: {
    direction: Direction;
    flow: SingleFlow;
    amount: bigint;
    part: number;
    before: bigint;
    usual: Baseline;
    more: number;
  },
): { title: string; summary: string } {
  const { direction, flow, amount, part, before, usual, more } = of;
  const whole = (units: bigint): string => `${wholeAmount(units, facts.assetDecimals)} ${facts.assetSymbol}`;
  const others = more === 0 ? "" : ` ${more} more of such size followed within the day.`;
  return {
    title: `${facts.vaultName}: ${whole(amount)} ${direction.past} at once`,
    summary:
      `${flow.user} ${direction.verb} ${whole(amount)} in one transaction within the last 24 hours, ${percent(part)} ` +
      `of the ${whole(before)} that ${facts.vaultName} held a day ago.${others} ` +
      `${describeBaseline(`the largest single ${direction.noun}`, usual)} ${direction.advice}`,
  };
}

export const largeDeposit = largeFlow({
  ruleId: "large_deposit",
  title: "Large single deposit",
  noun: "deposit",
  verb: "deposited",
  past: "deposited",
  sign: 1n,
  largest: ({ largestDeposit }) => largestDeposit,
  bounds: [
    {
      tier: "high",
      least: 0.5,
      deviations: 10,
      always: null,
      reason:
        "Half as much again at once: yield is diluted until it is put to work, and one holder dominates",
    },
    {
      tier: "medium",
      least: 0.1,
      deviations: 6,
      always: null,
      reason: "Enough to move the rate of most strategies",
    },
    {
      tier: "low",
      least: 0.05,
      deviations: 4,
      always: null,
      reason: "Worth knowing, rarely worth acting on",
    },
  ],
  advice:
    "Rates may fall until the money is put to work: compare the next days' rate before you deposit, and remember that what came at once may leave at once.",
});

export const largeWithdrawal = largeFlow({
  ruleId: "large_withdrawal",
  title: "Large single withdrawal",
  noun: "withdrawal",
  verb: "withdrew",
  past: "withdrawn",
  sign: -1n,
  largest: ({ largestWithdrawal }) => largestWithdrawal,
  bounds: [
    {
      tier: "high",
      least: 0.2,
      deviations: 10,
      always: 0.5,
      reason: "A fifth of the vault in one transaction: liquidity for others may be gone",
    },
    {
      tier: "medium",
      least: 0.1,
      deviations: 6,
      always: 0.25,
      reason: "A tenth of the vault: somebody large has decided to leave",
    },
    {
      tier: "low",
      least: 0.05,
      deviations: 4,
      always: 0.25,
      reason: "Worth knowing, rarely worth acting on",
    },
  ],
  advice:
    "Check how much you could withdraw at once now, and find out why a large holder left, before others ask for it.",
});
