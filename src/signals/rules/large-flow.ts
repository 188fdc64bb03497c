import type { Tier } from "../../schemas/signal.ts";
import { dayAgo, type SingleFlow, type VaultFacts } from "../facts.ts";
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
  reasons: Readonly<Record<Tier, string>>;
  advice: string;
}

/** One deposit or withdrawal that is a large part of what the vault held a day before. */
function largeFlow(direction: Direction): SignalRule {
  const { ruleId, title, thresholds, reasons } = direction;
  return {
    rule_id: ruleId,
    dimension: "capital",
    title,
    description: `${title} within a day, against what the vault held at the day's beginning.`,
    tiers: thresholds.map(([tier, least]) => ({
      tier,
      threshold: `${percent(least)} of total assets or more`,
      reason: reasons[tier],
    })),
    needs: "A snapshot that is a day old, and all flows since.",
    quietSeconds: 86_400,
    find: (facts) => findLarge(facts, direction),
  };
}

function findLarge(facts: VaultFacts, direction: Direction): Finding[] {
  const before = dayAgo(facts)?.totalAssets ?? null;
  if (before === null || facts.dayFlows === null) return [];
  const found = facts.dayFlows.largest.flatMap((flow) => {
    const share = fractionOf(flow.assets * direction.sign, before);
    const tier = share === null ? null : tierOf(share, direction.thresholds);
    return share === null || tier === null ? [] : [{ flow, share, tier }];
  });
  const [largest] = found;
  if (largest === undefined) return [];
  const { flow, share, tier } = largest;
  const amount = amountOf(facts, flow);
  const more = found.length === 1 ? "" : `, and ${found.length - 1} more of such size`;
  return [
    {
      tier,
      subject: "",
      title: `${direction.title}: ${amount}`,
      summary: `${flow.user} moved ${amount}, ${percent(share)} of what the vault held a day before${more}. ${direction.advice}`,
      metrics: [
        {
          label: "amount",
          value: (flow.assets * direction.sign).toString(),
          unit: facts.assetSymbol,
          change: null,
        },
        { label: "share_of_total_assets", value: fixed(share), unit: "fraction", change: null },
      ],
      evidence: { user: flow.user, total_assets_before: before.toString(), flows: `${found.length}` },
      keys: found.map((one) => one.flow.key),
      seconds: facts.recent.at(-1)?.seconds ?? facts.hours.at(-1)?.seconds ?? 0,
      ongoing: false,
      txHash: flow.txHash,
      blockNumber: flow.blockNumber,
    },
  ];
}

const amountOf = (facts: VaultFacts, { assets }: SingleFlow): string =>
  `${wholeAmount(assets < 0n ? -assets : assets, facts.assetDecimals)} ${facts.assetSymbol}`;

export const largeDeposit = largeFlow({
  ruleId: "large_deposit",
  title: "Large single deposit",
  sign: 1n,
  thresholds: [
    ["high", 0.5],
    ["medium", 0.1],
    ["low", 0.05],
  ],
  reasons: {
    high: "Half as much again at once: yield is diluted until it is put to work, and one holder dominates",
    medium: "Enough to move the rate of most strategies",
    low: "Worth knowing, rarely worth acting on",
  },
  advice: "Rates may fall until the money is put to work.",
});

export const largeWithdrawal = largeFlow({
  ruleId: "large_withdrawal",
  title: "Large single withdrawal",
  sign: -1n,
  thresholds: [
    ["high", 0.2],
    ["medium", 0.1],
    ["low", 0.05],
  ],
  reasons: {
    high: "A fifth of the vault in one transaction: liquidity for others may be gone",
    medium: "A tenth of the vault: somebody large has decided to leave",
    low: "Worth knowing, rarely worth acting on",
  },
  advice: "Check how much can be withdrawn at once before others ask for it.",
});
