import { DAY_S } from "../../lib/durations.ts";
import type { Tier } from "../../schemas/signal-schema.ts";
import { formatUtcMinute } from "../../vaults/governance/governance-event.ts";
import { latestPoint, type Point, type VaultFacts } from "../signal-facts.ts";
import { countOf, medianAndMad, type SignalRule, tierOf } from "../signal-finding.ts";
import { atPoint, sharePriceText } from "./share-price-rules.ts";

/** Minimum number of changes of the share price that the rule needs. */
const MIN_PRICE_CHANGES = 10;
type StaleTier = Exclude<Tier, "low">;
const STALE: readonly (readonly [StaleTier, number])[] = [
  ["high", 8],
  ["medium", 4],
];
const STALE_REASONS: Readonly<Record<StaleTier, string>> = {
  high: "Price updates or the vault's earnings have probably stopped; deposits and withdrawals at a stale price are at the expense of other holders or of the user",
  medium:
    "A stale price omits any gains and losses since its last change; deposits and withdrawals at such a price are at the expense of " +
    "other holders or of the user",
};

/**
 * Reports a share price that has not changed for at least two days and four times the median interval between its
 * changes. Needs at least ten changes in the snapshots of the last 90 days.
 */
export const priceStale: SignalRule = {
  rule_id: "price_stale",
  dimension: "risk",
  title: "Stale share price",
  description:
    "Time since the share price last changed, compared with the median interval between the changes that daily snapshots show.",
  tiers: STALE.map(([tier, least]) => ({
    tier,
    threshold: `At least ${least} times the median interval between changes, and at least two days`,
    reason: STALE_REASONS[tier],
  })),
  needs: `At least ${MIN_PRICE_CHANGES} changes of the share price between daily snapshots of the last 90 days.`,
  quietSeconds: DAY_S,
  find(facts) {
    const priced = latestPoint(facts)?.totalSupply === 0n ? [] : pricedPoints(facts);
    // What was not read may have changed.
    const latest = priced.at(-1);
    // Of daily snapshots alone: intervals between hourly ones would shorten the median for a week.
    const changes = priceChanges(pricedOf(facts.days));
    const intervals = medianAndMad(
      changes.slice(1).map((seconds, index) => seconds - (changes[index] ?? seconds)),
    );
    const last = priceChanges(priced).at(-1);
    if (
      latest === undefined ||
      last === undefined ||
      intervals === null ||
      changes.length < MIN_PRICE_CHANGES
    )
      return [];
    const unchanged = latest.seconds - last;
    const tier = unchanged < 2 * DAY_S ? null : tierOf(unchanged / Math.max(intervals.median, 3_600), STALE);
    if (tier === null) return [];
    const since = formatUtcMinute(last);
    return [
      {
        ...atPoint(latest),
        tier,
        title: `${facts.vaultName}: share price unchanged since ${since}`,
        summary:
          `The share price of ${facts.vaultName} has been ${sharePriceText(facts, latest.sharePrice)} since ${since}. Daily snapshots of ` +
          `the last 90 days show ${changes.length} changes, with a median interval of ` +
          `${countOf(Math.max(1, Math.round((2 * intervals.median) / DAY_S) / 2), "day")}. Price updates may have stopped, so that a deposit or ` +
          "withdrawal uses an old price, or the vault may have stopped earning: find out which.",
        metrics: [{ label: "unchanged_for", value: `${unchanged}`, unit: "seconds", change: null }],
        evidence: { usual_seconds: `${intervals.median}`, changes: `${changes.length}` },
        keys: [tier],
        ongoing: true,
      },
    ];
  },
};

/**
 * Returns the snapshots with a known share price, oldest first: daily ones from before the hourly ones, then all
 * others.
 */
function pricedPoints({ days, hours, recent }: VaultFacts): PricedPoint[] {
  const firstHour = hours[0]?.seconds ?? Number.POSITIVE_INFINITY;
  return pricedOf([...days.filter(({ seconds }) => seconds < firstHour), ...hours, ...recent]);
}

type PricedPoint = Point & { sharePrice: bigint };

const pricedOf = (points: readonly Point[]): PricedPoint[] =>
  points
    .flatMap((point) => (point.sharePrice === null ? [] : [{ ...point, sharePrice: point.sharePrice }]))
    .sort((a, b) => a.seconds - b.seconds);

/**
 * Returns the timestamps of the snapshots whose share price differs from the previous one, in seconds since the epoch.
 */
function priceChanges(points: readonly PricedPoint[]): number[] {
  return points.flatMap((point, index) => {
    const before = points[index - 1];
    return before === undefined || before.sharePrice === point.sharePrice ? [] : [point.seconds];
  });
}
