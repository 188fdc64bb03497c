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
import { type DayFlows, latestPoint, type Point, pointDayAgo } from "../facts.ts";
import { fixed, fractionOf, percent, type SignalRule, wholeAmount } from "../finding.ts";
import { isNegligible } from "../negligible-amount.ts";

const reason =
  "What neither users nor the strategy's result explain is a donation, a migration or an accounting change";
const BOUNDS: readonly Bound[] = [
  { tier: "high", least: 0.5, deviations: 10, always: 0.5, reason: `${reason}, here of half the vault` },
  { tier: "medium", least: 0.2, deviations: 6, always: 0.5, reason },
  { tier: "low", least: 0.1, deviations: 4, always: 0.5, reason },
];

/** What of a change of total assets neither flows nor the share price explain; null: it cannot be told. */
function explain(
  span: { before: Point; after: Point },
  flows: Pick<DayFlows, "inflow" | "outflow">,
): { before: bigint; net: bigint; earned: bigint; unexplained: bigint; part: number } | null {
  const { before, after } = span;
  if (before.totalAssets === null || after.totalAssets === null) return null;
  if (before.sharePrice === null || before.sharePrice === 0n || after.sharePrice === null) return null;
  const earned = (before.totalAssets * (after.sharePrice - before.sharePrice)) / before.sharePrice;
  const net = flows.inflow - flows.outflow;
  const unexplained = after.totalAssets - before.totalAssets - net - earned;
  const part = fractionOf(unexplained < 0n ? -unexplained : unexplained, before.totalAssets);
  return part === null ? null : { before: before.totalAssets, net, earned, unexplained, part };
}

/** Total assets that move in a day by more than flows and the share price explain. */
export const tvlJump: SignalRule = {
  rule_id: "tvl_jump",
  dimension: "capital",
  title: "Total assets jump",
  description:
    "Total assets of a day ago and now, less what flowed and what the share price's change is worth, against that of " +
    "each earlier day.",
  tiers: toTiers(BOUNDS),
  needs: `${BASELINE_NEEDS} A share price in each of those snapshots.`,
  quietSeconds: DAY_S,
  find(facts) {
    const [before, after] = [pointDayAgo(facts), latestPoint(facts)];
    const usual = baselineOf(facts.flowDays.flatMap((day) => explain(day, day)?.part ?? []));
    if (before === null || after === null || facts.dayFlows === null || usual === null) return [];
    const jump = explain({ before, after }, facts.dayFlows);
    if (jump === null || after.totalAssets === null || isNegligible(facts, jump.unexplained)) return [];
    const tier = tierBeyond(jump.part, { usual, bounds: BOUNDS });
    if (tier === null) return [];
    const [up, size] = [jump.unexplained > 0n, jump.unexplained < 0n ? -jump.unexplained : jump.unexplained];
    const whole = (units: bigint): string =>
      `${wholeAmount(units, facts.assetDecimals)} ${facts.assetSymbol}`;
    return [
      {
        seconds: after.seconds,
        blockNumber: after.blockNumber,
        txHash: null,
        subject: "",
        tier,
        title: `${facts.vaultName}: ${whole(size)} ${up ? "appeared" : "are gone"} without an explanation`,
        summary:
          `Total assets of ${facts.vaultName} went from ${whole(jump.before)} to ${whole(after.totalAssets)} within the ` +
          `last 24 hours. Deposits and withdrawals (${whole(jump.net)} net) and the share price (${whole(jump.earned)}) ` +
          `leave ${whole(size)}, ${percent(jump.part)} of the vault, unexplained. ` +
          `${describeBaseline("what was unexplained of a day", usual)} Ask the curator what was ${up ? "added" : "removed"}, and wait for the answer before you move money.`,
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
          ...baselineEvidence(usual),
        },
        keys: [tier, up ? "up" : "down"],
        ongoing: true,
      },
    ];
  },
};
