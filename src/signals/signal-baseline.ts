import type { Rule, Tier } from "../schemas/signal-schema.ts";
import { NEGLIGIBLE_RULE } from "./negligible-signal-amount.ts";
import { fixed, medianAndMad, percent } from "./signal-finding.ts";

/** Minimum number of earlier days from which a vault's baseline is computed. */
export const MIN_BASELINE_DAYS = 7;
/**
 * Minimum deviation of a baseline, as a fraction of total assets. Without it, any movement of a steady vault would be
 * unusual.
 */
const MIN_DEVIATION = 0.01;
/** Number of median absolute deviations above the median that texts call normal. */
const BASELINE_DEVIATIONS = 4;

/**
 * The threshold of one tier for a movement of a vault, as a fraction of its total assets. The movement reaches the tier
 * if it meets both `least` and `deviations`, or if it meets `always`.
 */
export interface Bound {
  tier: Tier;
  /** Minimum fraction of total assets, also for a vault with little movement. */
  least: number;
  /**
   * Distance above the median of the vault's earlier days that the movement must exceed, in median absolute deviations.
   */
  deviations: number;
  /** Fraction of total assets from which the tier applies whatever the baseline is, or null if there is none. */
  always: number | null;
  /** Reason for this threshold, shown to customers. */
  reason: string;
}

/**
 * A vault's normal range of a daily measure, such as its net flow or its largest withdrawal: the median and the median
 * absolute deviation (at least 0.01) over `days` earlier days, as fractions of total assets.
 */
export interface Baseline {
  median: number;
  mad: number;
  days: number;
}

/**
 * Returns the baseline of a vault, computed from its movements on earlier days as fractions of total assets, or null if
 * there are fewer than seven days.
 */
export function baselineOf(parts: readonly number[]): Baseline | null {
  const found = medianAndMad(parts);
  if (found === null || parts.length < MIN_BASELINE_DAYS) return null;
  return { median: found.median, mad: Math.max(found.mad, MIN_DEVIATION), days: parts.length };
}

/**
 * Returns the tier of the highest bound that a movement reaches, or null if it reaches none. `part` is the movement as
 * a fraction of total assets; `bounds` are in descending order of tier.
 */
export function tierBeyond(part: number, by: { baseline: Baseline; bounds: readonly Bound[] }): Tier | null {
  const { baseline, bounds } = by;
  const beyond = ({ least, deviations, always }: Bound): boolean =>
    (part >= least && part > baseline.median + deviations * baseline.mad) ||
    (always !== null && part >= always);
  return bounds.find(beyond)?.tier ?? null;
}

/** Converts the bounds of a rule to the tiers that the public list of rules shows, with thresholds in words. */
export function toTiers(bounds: readonly Bound[]): Rule["tiers"] {
  return bounds.map(({ tier, least, deviations, reason }) => ({
    tier,
    threshold: `${thresholdOf({ least, deviations, always: ownAlways(bounds, tier) })}. ${NEGLIGIBLE_RULE}`,
    reason,
  }));
}

/**
 * Returns from which fraction of total assets a tier applies in any case, or null if there is none, or if a higher tier
 * applies from that fraction.
 */
function ownAlways(bounds: readonly Bound[], tier: Tier): number | null {
  const index = bounds.findIndex((bound) => bound.tier === tier);
  const always = bounds[index]?.always ?? null;
  const isHigher = bounds
    .slice(0, index)
    .some((higher) => always !== null && higher.always !== null && higher.always <= always);
  return isHigher ? null : always;
}

function thresholdOf({ least, deviations, always }: Pick<Bound, "least" | "deviations" | "always">): string {
  if (always !== null && always <= least) return `At least ${always * 100}% of total assets`;
  return (
    `At least ${least * 100}% of total assets and more than ${deviations} median absolute deviations above the median ` +
    `of the vault's earlier days (a deviation below ${MIN_DEVIATION * 100}% of total assets counts as ` +
    `${MIN_DEVIATION * 100}%)${always === null ? "" : `, or at least ${always * 100}% in any case`}`
  );
}

/** Sentences for customers about the history that a rule with a baseline needs. */
export const BASELINE_NEEDS =
  `Deposits and withdrawals since a snapshot that is 24 to 30 hours old, as far as they are indexed, and for at least ${MIN_BASELINE_DAYS} of the 30 days ` +
  "before. Mellow Core vaults and others that take deposits by request are left out: flows and total assets include them at " +
  "different times. Withdrawals by request usually count when they are paid or claimed, if at all. A day with a flow of unknown amount, such as a Midas redemption request, is left out.";

/**
 * Returns sentences about a vault's normal range, up to four median absolute deviations above the median (at least
 * zero). `measure` is a noun phrase for the daily movement. If the movement `part` is within that range and only an
 * `always` of the bounds applies, they say so.
 */
export function describeBaseline(
  measure: string,
  of: { baseline: Baseline; part: number; bounds: readonly Bound[] },
): string {
  const { median, mad, days } = of.baseline;
  const up = Math.max(0, median + BASELINE_DEVIATIONS * mad);
  const always = Math.min(...of.bounds.flatMap((bound) => bound.always ?? []));
  const despite =
    of.part <= up
      ? ` This signal is raised from ${always * 100}% of total assets, even if that is normal.`
      : "";
  return (
    `Over ${days} earlier days the median of ${measure} was ${percent(median)} of total assets; up to ${percent(up)} is ` +
    `normal for this vault.${despite}`
  );
}

/** Converts a baseline to the evidence that signals store: fractions with six decimals and the number of days. */
export const baselineEvidence = ({ median, mad, days }: Baseline): Record<string, string> => ({
  usual_median: fixed(median),
  usual_deviation: fixed(mad),
  usual_days: `${days}`,
});
