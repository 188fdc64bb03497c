import type { Tier } from "../../schemas/signal.ts";
import { dayAgo, latestOf, type VaultFacts } from "../facts.ts";
import {
  type Finding,
  fixed,
  fractionOf,
  percent,
  type SignalRule,
  tierOf,
  wholeAmount,
} from "../finding.ts";

interface Direction {
  ruleId: string;
  title: string;
  sign: 1n | -1n;
  thresholds: readonly (readonly [Tier, number])[];
  verb: string;
  advice: string;
}

/** What went in less what went out within a day, whoever moved it: many small flows count as one large one. */
function netFlow(direction: Direction): SignalRule {
  return {
    rule_id: direction.ruleId,
    dimension: "capital",
    title: direction.title,
    description: `${direction.title} of a day, against what the vault held at the day's beginning.`,
    tiers: direction.thresholds.map(([tier, least]) => ({
      tier,
      threshold: `${percent(least)} of total assets or more`,
      reason: "Vaults whose capital turns over slowly lose or gain this much in a day only for a reason",
    })),
    needs: "A snapshot that is a day old, and all flows since.",
    quietSeconds: 86_400,
    find: (facts) => findNet(facts, direction),
  };
}

function findNet(facts: VaultFacts, direction: Direction): Finding[] {
  const [before, latest] = [dayAgo(facts)?.totalAssets ?? null, latestOf(facts)];
  if (before === null || latest === null || facts.dayFlows === null) return [];
  const { inflow, outflow } = facts.dayFlows;
  const net = (inflow - outflow) * direction.sign;
  const share = fractionOf(net, before);
  const tier = share === null ? null : tierOf(share, direction.thresholds);
  if (share === null || tier === null) return [];
  const amount = `${wholeAmount(net, facts.assetDecimals)} ${facts.assetSymbol}`;
  return [
    {
      tier,
      subject: "",
      title: `${direction.title}: ${percent(share)} in a day`,
      summary: `${amount} more ${direction.verb} within a day, ${percent(share)} of what the vault held before. ${direction.advice}`,
      metrics: [
        { label: "net_flow", value: (inflow - outflow).toString(), unit: facts.assetSymbol, change: null },
        { label: "share_of_total_assets", value: fixed(share), unit: "fraction", change: null },
      ],
      evidence: {
        inflow: inflow.toString(),
        outflow: outflow.toString(),
        total_assets_before: before.toString(),
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
  thresholds: [
    ["high", 0.3],
    ["medium", 0.1],
    ["low", 0.05],
  ],
  verb: "left than came",
  advice: "If it goes on, what can be withdrawn at once may run out.",
});

export const netInflow = netFlow({
  ruleId: "net_inflow",
  title: "Net inflow",
  sign: 1n,
  thresholds: [
    ["high", 1],
    ["medium", 0.25],
    ["low", 0.1],
  ],
  verb: "came than left",
  advice: "Rates may fall until the money is put to work; a cap may be near.",
});
