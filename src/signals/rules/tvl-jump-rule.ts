import { DAY_S } from "../../lib/durations.ts";
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
import type { FlowDay } from "../signal-facts.ts";
import { fixed, fractionOf, hoursOf, percent, type SignalRule, wholeAmount } from "../signal-finding.ts";

const reason = "Not explained by flows or yield: a donation, a migration, an accounting change or a loss";
const BOUNDS: readonly Bound[] = [
  {
    tier: "high",
    least: 0.5,
    deviations: 10,
    always: 0.5,
    reason:
      "Not explained by flows or yield, and half of the vault or more: a donation, a migration, an accounting change or a loss",
  },
  { tier: "medium", least: 0.2, deviations: 6, always: 0.5, reason },
  { tier: "low", least: 0.1, deviations: 4, always: 0.5, reason },
];

/**
 * Splits a change in total assets into flows, yield and the unexplained rest. Returns null if a total or a share price
 * is missing, or the earlier one is zero.
 */
function explain({
  before,
  after,
  inflow,
  outflow,
}: FlowDay): { before: bigint; net: bigint; earned: bigint; unexplained: bigint; part: number } | null {
  if (before.totalAssets === null || after.totalAssets === null) return null;
  if (before.sharePrice === null || before.sharePrice === 0n || after.sharePrice === null) return null;
  const earned = (before.totalAssets * (after.sharePrice - before.sharePrice)) / before.sharePrice;
  const net = inflow - outflow;
  const unexplained = after.totalAssets - before.totalAssets - net - earned;
  const part = fractionOf(unexplained < 0n ? -unexplained : unexplained, before.totalAssets);
  return part === null ? null : { before: before.totalAssets, net, earned, unexplained, part };
}

/**
 * Reports an unusual change in total assets since the snapshot of a day ago that neither deposits and withdrawals nor
 * the share price explain. Needs a baseline of at least seven earlier days.
 */
export const tvlJump: SignalRule = {
  rule_id: "tvl_jump",
  dimension: "capital",
  title: "Unexplained change in total assets",
  description:
    "The change in total assets since a snapshot that is 24 to 30 hours old, as far as neither deposits and withdrawals " +
    "nor the share price explain it, compared with each earlier day.",
  tiers: toTiers(BOUNDS),
  needs: `${BASELINE_NEEDS} A share price in each of the snapshots used.`,
  quietSeconds: DAY_S,
  find(facts) {
    const baseline = baselineOf(facts.flowDays.flatMap((day) => explain(day)?.part ?? []));
    const day = facts.indexedDay;
    if (day === null || baseline === null) return [];
    const { before, after } = day;
    const jump = explain(day);
    if (jump === null || after.totalAssets === null || isNegligible(facts, jump.unexplained)) return [];
    const tier = tierBeyond(jump.part, { baseline, bounds: BOUNDS });
    if (tier === null) return [];
    const [up, size] = [jump.unexplained > 0n, jump.unexplained < 0n ? -jump.unexplained : jump.unexplained];
    const direction = up ? "increase" : "decrease";
    const whole = (units: bigint): string =>
      `${wholeAmount(units, facts.assetDecimals)} ${facts.assetSymbol}`;
    return [
      {
        seconds: after.seconds,
        blockNumber: after.blockNumber,
        txHash: null,
        subject: "",
        tier,
        title: `${facts.vaultName}: unexplained ${direction} of ${whole(size)}`,
        summary:
          `Total assets of ${facts.vaultName} changed from ${whole(jump.before)} to ${whole(after.totalAssets)} in the last ` +
          `${hoursOf({ before, after })}. Net deposits account for ${whole(jump.net)} and the share price for ${whole(jump.earned)}; the remaining ` +
          `${direction} of ${whole(size)}, ${percent(jump.part)} of the vault, is unexplained. ` +
          `${describeBaseline("the unexplained daily change", baseline)} ${
            up
              ? "It may be a donation, a migration or an accounting change: find out which before you deposit or withdraw."
              : "It may be a migration, an accounting change or a loss: do not deposit until you know where the assets went."
          }`,
        metrics: [
          {
            label: "total_assets",
            value: after.totalAssets.toString(),
            unit: facts.assetSymbol,
            change: fixed((up ? 1 : -1) * jump.part),
          },
        ],
        evidence: {
          total_assets_before: jump.before.toString(),
          net_flow: jump.net.toString(),
          earned: jump.earned.toString(),
          ...baselineEvidence(baseline),
        },
        keys: [tier, up ? "up" : "down"],
        ongoing: true,
      },
    ];
  },
};
