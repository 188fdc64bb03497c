import type { Rule, Tier } from "../schemas/signal-schema.ts";
import { NEGLIGIBLE_RULE } from "./negligible-signal-amount.ts";
import { medianAndMad, percent } from "./signal-finding.ts";

/** Days of history that a baseline needs. */
export const MIN_BASELINE_DAYS = 7;
/** Least deviation of a baseline, as a fraction of the vault: a perfectly steady vault would otherwise allow none. */
const MIN_DEVIATION = 0.01;
/** Deviations above the median that are within the normal range. */
const BASELINE_DEVIATIONS = 4;

/** The condition under which a movement gets a tier. Movements are fractions of the vault's total assets. */
export interface Bound {
  tier: Tier;
  /** The least fraction, however steady the vault was. */
  least: number;
  /** Median absolute deviations above the median of the vault's earlier days. */
  deviations: number;
  /** The fraction from which the tier applies regardless of the vault's history; null: there is none. */
  always: number | null;
  reason: string;
}

/** Median and deviation of a vault's earlier days, as fractions of the vault's total assets. */
export interface Baseline {
  median: number;
  mad: number;
  days: number;
}

/** Returns the baseline of a vault's earlier days, or null when there are too few of them. */
export function baselineOf(parts: readonly number[]): Baseline | null {
  const found = medianAndMad(parts);
  if (found === null || parts.length < MIN_BASELINE_DAYS) return null;
  return { median: found.median, mad: Math.max(found.mad, MIN_DEVIATION), days: parts.length };
}

/** Returns the tier of the highest bound that a fraction exceeds, or null. Bounds are in descending order. */
export function tierBeyond(part: number, by: { baseline: Baseline; bounds: readonly Bound[] }): Tier | null {
  const { baseline, bounds } = by;
  const beyond = ({ least, deviations, always }: Bound): boolean =>
    (part >= least && part > baseline.median + deviations * baseline.mad) ||
    (always !== null && part >= always);
  return bounds.find(beyond)?.tier ?? null;
}

/** Describes bounds for the public list of rules. */
export function toTiers(bounds: readonly Bound[]): Rule["tiers"] {
  return bounds.map(({ tier, least, deviations, always, reason }) => ({
    tier,
    threshold: `${thresholdOf({ least, deviations, always })}; ${NEGLIGIBLE_RULE}`,
    reason,
  }));
}

function thresholdOf({ least, deviations, always }: Pick<Bound, "least" | "deviations" | "always">): string {
  if (always !== null && always <= least) return `At least ${always * 100}% of total assets`;
  return (
    `At least ${least * 100}% of total assets and more than ${deviations} median absolute deviations above the median ` +
    `of the vault's earlier days${always === null ? "" : `, or at least ${always * 100}% in any case`}`
  );
}

/** The history that rules with a baseline need, as the public list of rules states it. */
export const BASELINE_NEEDS =
  "All deposits and withdrawals since a snapshot that is a day old, and of at least " +
  `${MIN_BASELINE_DAYS} of the 30 days before. Each vault is compared with its own history; the outliers that the rule ` +
  "looks for do not shift a median.";

/** Describes the normal range in a sentence. `measure` is a noun phrase for the daily value. */
export function describeBaseline(measure: string, { median, mad, days }: Baseline): string {
  const up = Math.max(0, median + BASELINE_DEVIATIONS * mad);
  return (
    `Over ${days} earlier days the median of ${measure} was ${percent(median)} of total assets; up to ${percent(up)} is ` +
    "normal for this vault."
  );
}

/** Returns the baseline as evidence of a signal. */
export const baselineEvidence = ({ median, mad, days }: Baseline): Record<string, string> => ({
  usual_median: median.toFixed(6),
  usual_deviation: mad.toFixed(6),
  usual_days: `${days}`,
});
