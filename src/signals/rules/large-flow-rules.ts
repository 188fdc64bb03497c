import { DAY_S } from "../../lib/durations.ts";
import { formatUtcMinute } from "../../vaults/governance/governance-event.ts";
import { isNegligible } from "../negligible-signal-amount.ts";
import {
  BASELINE_NEEDS,
  type Baseline,
  type Bound,
  baselineEvidence,
  baselineOf,
  describeBaseline,
  tierBeyond,
  toTiers,
} from "../signal-baseline.ts";
import { type FlowDay, latestPoint, pointDayAgo, type SingleFlow, type VaultFacts } from "../signal-facts.ts";
import {
  countOf,
  type Finding,
  fixed,
  fractionOf,
  hoursOf,
  percent,
  type SignalRule,
  wholeAmount,
} from "../signal-finding.ts";

/** The texts and bounds by which the rules for large deposits and for large withdrawals differ. */
interface Direction {
  ruleId: string;
  title: string;
  noun: string;
  verb: string;
  sign: 1n | -1n;
  largest: (day: FlowDay) => bigint;
  bounds: readonly Bound[];
  advice: string;
}

/** Creates the rule for a single deposit or withdrawal that is large for the vault's total assets and its history. */
function largeFlow(direction: Direction): SignalRule {
  const { ruleId, title, noun, bounds } = direction;
  return {
    rule_id: ruleId,
    dimension: "capital",
    title,
    description:
      `A single ${noun} since a snapshot that is 24 to 30 hours old, as a fraction of total assets in that snapshot, ` +
      `compared with the largest ${noun} of each earlier day.`,
    tiers: toTiers(bounds),
    needs: BASELINE_NEEDS,
    quietSeconds: DAY_S,
    find: (facts) => findLarge(facts, direction),
  };
}

function findLarge(facts: VaultFacts, direction: Direction): Finding[] {
  const [start, latest] = [pointDayAgo(facts), latestPoint(facts)];
  const before = start?.totalAssets ?? null;
  const baseline = baselineOf(
    facts.flowDays.flatMap((day) => fractionOf(direction.largest(day), day.before.totalAssets ?? 0n) ?? []),
  );
  if (start === null || before === null || latest === null || facts.dayFlows === null || baseline === null)
    return [];
  const found = facts.dayFlows.largest.flatMap((flow) => {
    const amount = flow.assets * direction.sign;
    const part = isNegligible(facts, amount) ? null : fractionOf(amount, before);
    const tier = part === null ? null : tierBeyond(part, { baseline, bounds: direction.bounds });
    return part === null || tier === null ? [] : [{ flow, amount, part, tier }];
  });
  const [largest] = found;
  if (largest === undefined) return [];
  const { flow, amount, part, tier } = largest;
  const period = `${hoursOf({ before: start, after: latest })} before ${formatUtcMinute(latest.seconds)}`;
  return [
    {
      tier,
      subject: "",
      ...texts(facts, { direction, flow, amount, part, before, period, baseline, more: found.length - 1 }),
      metrics: [
        { label: "amount", value: amount.toString(), unit: facts.assetSymbol, change: null },
        { label: "share_of_total_assets", value: fixed(part), unit: "fraction", change: null },
      ],
      evidence: {
        user: flow.user,
        total_assets_before: before.toString(),
        flows: `${found.length}`,
        ...baselineEvidence(baseline),
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
    /** The hours in which the flow happened, and their end. */
    period: string;
    baseline: Baseline;
    more: number;
  },
): { title: string; summary: string } {
  const { direction, flow, amount, part, before, period, baseline, more } = of;
  const whole = (units: bigint): string => `${wholeAmount(units, facts.assetDecimals)} ${facts.assetSymbol}`;
  const others =
    more === 0
      ? ""
      : ` ${more < 4 ? "" : "At least "}${countOf(more, `other ${direction.noun}`)} in that time ${more === 1 ? "was" : "were"} large enough for this signal too.`;
  return {
    title: `${facts.vaultName}: single ${direction.noun} of ${whole(amount)}`,
    summary:
      `${flow.user} ${direction.verb} ${whole(amount)} in one transaction in the ${period}, ${percent(part)} of the total assets of ` +
      `${facts.vaultName} at the start of that time (${whole(before)}).${others} ` +
      `${describeBaseline(`the largest daily ${direction.noun}`, { baseline, part, bounds: direction.bounds })} ${direction.advice}`,
  };
}

/**
 * Reports a single deposit since the snapshot of a day ago that is large relative to the vault's total assets then and
 * to its history. Of several, the largest is described. Needs a baseline of at least seven earlier days.
 */
export const largeDeposit = largeFlow({
  ruleId: "large_deposit",
  title: "Large single deposit",
  noun: "deposit",
  verb: "deposited",
  sign: 1n,
  largest: ({ largestDeposit }) => largestDeposit,
  bounds: [
    {
      tier: "high",
      least: 0.5,
      deviations: 10,
      always: null,
      reason:
        "Usually dilutes the yield until the new capital is allocated; the depositor may hold a third of the vault or more",
    },
    {
      tier: "medium",
      least: 0.1,
      deviations: 6,
      always: null,
      reason: "Large enough to change the yield of most strategies",
    },
    {
      tier: "low",
      least: 0.05,
      deviations: 4,
      always: null,
      reason: "Worth knowing, rarely a reason to act",
    },
  ],
  advice:
    "The yield may fall until the new capital is allocated, and a holder of this size may also withdraw in one go.",
});

/**
 * Reports a single withdrawal since the snapshot of a day ago that is large relative to the vault's total assets then
 * and to its history, or at least a quarter of these assets. Of several, the largest is described. Needs a baseline of
 * at least seven earlier days.
 */
export const largeWithdrawal = largeFlow({
  ruleId: "large_withdrawal",
  title: "Large single withdrawal",
  noun: "withdrawal",
  verb: "withdrew",
  sign: -1n,
  largest: ({ largestWithdrawal }) => largestWithdrawal,
  bounds: [
    {
      tier: "high",
      least: 0.2,
      deviations: 10,
      always: 0.5,
      reason: "A fifth of the vault in one transaction: little may be left for immediate withdrawals",
    },
    {
      tier: "medium",
      least: 0.1,
      deviations: 6,
      always: 0.25,
      reason:
        "A tenth of the vault: a large holder left or reduced its position, or one contract settled the requests of several holders",
    },
    {
      tier: "low",
      least: 0.05,
      deviations: 4,
      always: 0.25,
      reason: "Worth knowing, rarely a reason to act",
    },
  ],
  advice:
    "If withdrawals are by request, the account may have claimed its own request or settled those of several holders. Less may be left for immediate withdrawals: " +
    "check how much you could withdraw now.",
});
