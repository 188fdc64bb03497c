import { DAY_S } from "../../lib/durations.ts";
import { isNegligible } from "../negligible-signal-amount.ts";
import {
  type Bound,
  baselineEvidence,
  baselineOf,
  describeBaseline,
  MIN_BASELINE_DAYS,
  tierBeyond,
  toTiers,
} from "../signal-baseline.ts";
import type { FlowDay } from "../signal-facts.ts";
import { fixed, fractionOf, hoursOf, percent, type SignalRule, wholeAmount } from "../signal-finding.ts";

const causes = "shares minted or burned in another way, a migration, a revaluation or an accounting change";
const reason = `Not explained by deposits, withdrawals or the share price; possible causes: ${causes}`;
const BOUNDS: readonly Bound[] = [
  {
    tier: "high",
    least: 0.5,
    deviations: 10,
    always: 0.5,
    reason: `Half of the vault or more, not explained by deposits, withdrawals or the share price; possible causes: ${causes}`,
  },
  { tier: "medium", least: 0.2, deviations: 6, always: 0.5, reason },
  { tier: "low", least: 0.1, deviations: 4, always: 0.5, reason },
];

/**
 * Splits a change in total assets into flows, yield and the unexplained rest. Null if a total or a share price is
 * missing, the earlier one is zero, or no shares are left, because the share price then restarts.
 */
function explain(
  day: FlowDay,
): { before: bigint; net: bigint; earned: bigint; unexplained: bigint; part: number } | null {
  const { before, after, inflow, outflow } = day;
  if (before.totalAssets === null || after.totalAssets === null || after.totalSupply === 0n) return null;
  if (before.sharePrice === null || before.sharePrice === 0n || after.sharePrice === null) return null;
  const growth = after.sharePrice - before.sharePrice;
  const earned = (before.totalAssets * growth) / before.sharePrice;
  const net = inflow - outflow;
  const rest = after.totalAssets - before.totalAssets - net - earned;
  // The flows gained or lost with the share price, too, for an unknown part of the day.
  const most = ((inflow + outflow) * growth) / before.sharePrice;
  const unexplained = rest * rest > most * most ? rest : 0n;
  const part = fractionOf(unexplained < 0n ? -unexplained : unexplained, before.totalAssets);
  return part === null ? null : { before: before.totalAssets, net, earned, unexplained, part };
}

/**
 * Reports a change in total assets since the snapshot of a day ago that neither deposits and withdrawals nor the share
 * price explain, if it is unusual or half of them or more. Needs a baseline of at least seven earlier days.
 */
export const tvlJump: SignalRule = {
  rule_id: "tvl_jump",
  dimension: "capital",
  title: "Unexplained change in total assets",
  description:
    "The part of the change in total assets since a snapshot that is 24 to 30 hours old that neither deposits and " +
    "withdrawals nor the share price explains, compared with earlier days.",
  tiers: toTiers(BOUNDS),
  needs: `All deposits and withdrawals since a snapshot that is 24 to 30 hours old and for at least ${MIN_BASELINE_DAYS} of the 30 days before, with known amounts, and share prices. Vaults with deposits or withdrawals by request are left out.`,
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
    const whole = (units: bigint) => `${wholeAmount(units, facts.assetDecimals)} ${facts.assetSymbol}`;
    return [
      {
        ...{ seconds: after.seconds, blockNumber: after.blockNumber, txHash: null },
        subject: "",
        tier,
        title: `${facts.vaultName}: total assets ${whole(size)} ${up ? "above" : "below"} what flows and the share price explain`,
        summary:
          `Total assets of ${facts.vaultName} went from ${whole(jump.before)} to ${whole(after.totalAssets)} in ${hoursOf({ before, after })}: ` +
          `${whole(size)} (${percent(jump.part)} of the earlier total) ${up ? "more" : "less"} than net deposits (${whole(jump.net)}) and ` +
          `the change in the share price (${whole(jump.earned)}) explain. ` +
          `${describeBaseline("the unexplained daily change", { baseline, part: jump.part, bounds: BOUNDS })} ${
            up
              ? "Shares may have been minted in another way, such as by a migration or a transfer of shares from another chain, or assets may be counted that are not in the share price yet: find out which before you deposit or withdraw."
              : "Shares may have been burned in another way, such as by a migration or a transfer of shares to another chain, or the accounting may have changed: find out which before you deposit or withdraw."
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
