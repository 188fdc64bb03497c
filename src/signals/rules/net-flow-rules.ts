import { DAY_S } from "../../lib/durations.ts";
import { formatUtcMinute } from "../../vaults/governance/governance-event.ts";
import { isNegligible } from "../negligible-signal-amount.ts";
import {
  BASELINE_NEEDS,
  type Bound,
  baselineEvidence,
  baselineOf,
  describeBaseline,
  tierBeyond,
  toTiers,
} from "../signal-baseline.ts";
import { latestPoint, pointDayAgo, type VaultFacts } from "../signal-facts.ts";
import {
  type Finding,
  fixed,
  fractionOf,
  hoursOf,
  percent,
  type SignalRule,
  wholeAmount,
} from "../signal-finding.ts";

/** The texts and bounds by which the rules for net inflow and for net outflow differ. */
interface Direction {
  ruleId: string;
  title: string;
  sign: 1n | -1n;
  bounds: readonly Bound[];
  /** Returns the beginning of the summary: which flows of the vault exceeded which. */
  excess: (vaultName: string) => string;
  advice: string;
}

/**
 * Creates the rule for a vault's net flow since its snapshot of a day ago, in which many small flows count like one
 * large flow.
 */
function netFlow(direction: Direction): SignalRule {
  return {
    rule_id: direction.ruleId,
    dimension: "capital",
    title: direction.title,
    description:
      `${direction.title} since a snapshot that is 24 to 30 hours old, as a fraction of total assets in that snapshot, ` +
      "compared with earlier days.",
    tiers: toTiers(direction.bounds),
    needs: BASELINE_NEEDS,
    quietSeconds: DAY_S,
    find: (facts) => findNet(facts, direction),
  };
}

function findNet(facts: VaultFacts, direction: Direction): Finding[] {
  const [start, latest] = [pointDayAgo(facts), latestPoint(facts)];
  const before = start?.totalAssets ?? null;
  const baseline = baselineOf(
    facts.flowDays.flatMap(
      (day) => fractionOf((day.inflow - day.outflow) * direction.sign, day.before.totalAssets ?? 0n) ?? [],
    ),
  );
  if (start === null || before === null || latest === null || facts.dayFlows === null || baseline === null)
    return [];
  const { inflow, outflow } = facts.dayFlows;
  const net = (inflow - outflow) * direction.sign;
  const part = isNegligible(facts, net) ? null : fractionOf(net, before);
  const tier = part === null ? null : tierBeyond(part, { baseline, bounds: direction.bounds });
  if (part === null || tier === null) return [];
  const whole = (units: bigint): string => `${wholeAmount(units, facts.assetDecimals)} ${facts.assetSymbol}`;
  const hours = hoursOf({ before: start, after: latest });
  return [
    {
      tier,
      subject: "",
      title: `${facts.vaultName}: net ${direction.sign === 1n ? "inflow" : "outflow"} of ${whole(net)} in ${hours}`,
      summary:
        `${direction.excess(facts.vaultName)} by ${whole(net)} in the ${hours} before ${formatUtcMinute(latest.seconds)} (${whole(inflow)} deposited, ` +
        `${whole(outflow)} withdrawn), ${percent(part)} of its total assets at the start of that time (${whole(before)}). ` +
        `${describeBaseline(`the daily ${direction.title.toLowerCase()}`, { baseline, part, bounds: direction.bounds })} ${direction.advice}`,
      metrics: [
        { label: "net_flow", value: (inflow - outflow).toString(), unit: facts.assetSymbol, change: null },
        { label: "share_of_total_assets", value: fixed(part), unit: "fraction", change: null },
      ],
      evidence: {
        inflow: inflow.toString(),
        outflow: outflow.toString(),
        total_assets_before: before.toString(),
        ...baselineEvidence(baseline),
      },
      keys: [tier],
      seconds: latest.seconds,
      ongoing: true,
      txHash: null,
      blockNumber: latest.blockNumber,
    },
  ];
}

/**
 * Reports that a vault's withdrawals since its snapshot of a day ago exceeded its deposits by an unusual amount, or by
 * at least 30% of total assets. Ignores negligible amounts. Needs a baseline of at least seven earlier days.
 */
export const netOutflow = netFlow({
  ruleId: "net_outflow",
  title: "Net outflow",
  sign: -1n,
  bounds: [
    {
      tier: "high",
      least: 0.3,
      deviations: 10,
      always: 0.6,
      reason: "May be a run on the vault: the remaining holders may have to wait until positions are unwound",
    },
    {
      tier: "medium",
      least: 0.1,
      deviations: 6,
      always: 0.3,
      reason: "Holders rarely withdraw a tenth of a vault in a day without a reason",
    },
    {
      tier: "low",
      least: 0.05,
      deviations: 4,
      always: 0.3,
      reason: "Outside the vault's normal range, rarely a reason to act on its own",
    },
  ],
  excess: (vaultName) => `Withdrawals from ${vaultName} exceeded deposits`,
  advice:
    "Unless the withdrawals were claims of earlier requests, liquidity for immediate withdrawals may run out: check how much you could withdraw now.",
});

/**
 * Reports that a vault's deposits since its snapshot of a day ago exceeded its withdrawals by an unusual amount. Needs
 * a baseline of at least seven earlier days.
 */
export const netInflow = netFlow({
  ruleId: "net_inflow",
  title: "Net inflow",
  sign: 1n,
  bounds: [
    {
      tier: "high",
      least: 1,
      deviations: 10,
      always: null,
      reason: "Total assets double in a day: few strategies can allocate that much at the same yield",
    },
    {
      tier: "medium",
      least: 0.25,
      deviations: 6,
      always: null,
      reason: "Dilutes the yield of most strategies until the new capital is allocated",
    },
    {
      tier: "low",
      least: 0.1,
      deviations: 4,
      always: null,
      reason: "Outside the vault's normal range, rarely a reason to act on its own",
    },
  ],
  excess: (vaultName) => `Deposits into ${vaultName} exceeded withdrawals`,
  advice: "The yield may fall until the new capital is allocated, and the deposit cap, if any, may be close.",
});
