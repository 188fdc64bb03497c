import { DAY_S } from "../../lib/durations.ts";
import {
  BASELINE_NEEDS,
  type Bound,
  baselineEvidence,
  baselineOf,
  describeBaseline,
  tierBeyond,
  toTiers,
} from "../baseline.ts";
import { latestPoint, pointDayAgo, type VaultFacts } from "../facts.ts";
import { type Finding, fixed, fractionOf, percent, type SignalRule, wholeAmount } from "../finding.ts";
import { isNegligible } from "../negligible-amount.ts";

interface Direction {
  ruleId: string;
  title: string;
  sign: 1n | -1n;
  bounds: readonly Bound[];
  verb: string;
  advice: string;
}

/** What went in less what went out within a day, whoever moved it: many small flows count as one large one. */
function netFlow(direction: Direction): SignalRule {
  return {
    rule_id: direction.ruleId,
    dimension: "capital",
    title: direction.title,
    description:
      `${direction.title} of a day, as a part of what the vault held at the day's beginning, against that of each ` +
      "earlier day.",
    tiers: toTiers(direction.bounds),
    needs: BASELINE_NEEDS,
    quietSeconds: DAY_S,
    find: (facts) => findNet(facts, direction),
  };
}

function findNet(facts: VaultFacts, direction: Direction): Finding[] {
  const [before, latest] = [pointDayAgo(facts)?.totalAssets ?? null, latestPoint(facts)];
  const usual = baselineOf(
    facts.flowDays.flatMap(
      (day) => fractionOf((day.inflow - day.outflow) * direction.sign, day.before.totalAssets ?? 0n) ?? [],
    ),
  );
  if (before === null || latest === null || facts.dayFlows === null || usual === null) return [];
  const { inflow, outflow } = facts.dayFlows;
  const net = (inflow - outflow) * direction.sign;
  const part = isNegligible(facts, net) ? null : fractionOf(net, before);
  const tier = part === null ? null : tierBeyond(part, { usual, bounds: direction.bounds });
  if (part === null || tier === null) return [];
  const whole = (units: bigint): string => `${wholeAmount(units, facts.assetDecimals)} ${facts.assetSymbol}`;
  return [
    {
      tier,
      subject: "",
      title: `${facts.vaultName}: net ${direction.sign === 1n ? "inflow" : "outflow"} of ${whole(net)} in 24 hours`,
      summary:
        `${whole(net)} more ${direction.verb} within the last 24 hours, ${percent(part)} of the ${whole(before)} that ` +
        `${facts.vaultName} held a day ago (${whole(inflow)} in, ${whole(outflow)} out). ` +
        `${describeBaseline(`a day's ${direction.title.toLowerCase()}`, usual)} ${direction.advice}`,
      metrics: [
        { label: "net_flow", value: (inflow - outflow).toString(), unit: facts.assetSymbol, change: null },
        { label: "share_of_total_assets", value: fixed(part), unit: "fraction", change: null },
      ],
      evidence: {
        inflow: inflow.toString(),
        outflow: outflow.toString(),
        total_assets_before: before.toString(),
        ...baselineEvidence(usual),
      },
      keys: [tier],
      seconds: latest.seconds,
      ongoing: true,
      txHash: null,
      blockNumber: latest.blockNumber,
    },
  ];
}

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
      reason: "A run: who is still inside may have to wait until positions are unwound",
    },
    {
      tier: "medium",
      least: 0.1,
      deviations: 6,
      always: 0.3,
      reason: "A tenth in a day leaves only for a reason that others may not know yet",
    },
    {
      tier: "low",
      least: 0.05,
      deviations: 4,
      always: 0.3,
      reason: "More than this vault's days explain, too little to act on alone",
    },
  ],
  verb: "left than came",
  advice:
    "If it goes on, what can be withdrawn at once may run out: check how much you could withdraw now, and decide before the rest does.",
});

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
      reason: "The vault doubles in a day: no strategy takes that in at the same rate",
    },
    {
      tier: "medium",
      least: 0.25,
      deviations: 6,
      always: null,
      reason: "A quarter in a day dilutes the yield of most strategies until it is put to work",
    },
    {
      tier: "low",
      least: 0.1,
      deviations: 4,
      always: null,
      reason: "More than this vault's days explain, too little to act on alone",
    },
  ],
  verb: "came than left",
  advice:
    "Rates may fall until the money is put to work, and a cap may be near: check the room that is left, and the next days' rate, before you deposit.",
});
