import type { Rule, Tier } from "../schemas/signal.ts";
import { medianAndMad, percent } from "./finding.ts";
import { NEGLIGIBLE_RULE } from "./negligible-amount.ts";

/** Days of history below which nobody can tell what is usual. */
export const MIN_BASELINE_DAYS = 7;
/** A vault that is steady to the digit is not held to it: the least deviation, as a part of the vault. */
const MIN_DEVIATION = 0.01;
/** Deviations that are everyday life. */
const BASELINE_DEVIATIONS = 4;

/** When a part of the vault is worth a tier: a floor for every vault, and a bound that follows from its own days. */
export interface Bound {
  tier: Tier;
  /** The least part, however steady the vault was. */
  least: number;
  /** How many median absolute deviations above its days' median. */
  deviations: number;
  /** From this part on it is told, however lively the vault was; null: there is no such part. */
  always: number | null;
  reason: string;
}

/** What a vault's own days say. Parts of the vault, as fractions. */
export interface Baseline {
  median: number;
  mad: number;
  days: number;
}

/** What is usual by the vault's own days; null: too few to tell. */
export function baselineOf(parts: readonly number[]): Baseline | null {
  const found = medianAndMad(parts);
  if (found === null || parts.length < MIN_BASELINE_DAYS) return null;
  return { median: found.median, mad: Math.max(found.mad, MIN_DEVIATION), days: parts.length };
}

/** The tier of the highest bound that a part is beyond; null: none. Bounds in descending order. */
export function tierBeyond(part: number, by: { usual: Baseline; bounds: readonly Bound[] }): Tier | null {
  const { usual, bounds } = by;
  const beyond = ({ least, deviations, always }: Bound): boolean =>
    (part >= least && part > usual.median + deviations * usual.mad) || (always !== null && part >= always);
  return bounds.find(beyond)?.tier ?? null;
}

/** The bounds as the public list of rules tells them. */
export function toTiers(bounds: readonly Bound[]): Rule["tiers"] {
  return bounds.map(({ tier, least, deviations, always, reason }) => ({
    tier,
    threshold:
      `${percent(least)} of total assets or more, and more than ${deviations} median absolute deviations above the ` +
      `median of the vault's own days${always === null ? "" : `; ${percent(always)} or more in any case`}; ${NEGLIGIBLE_RULE}`,
    reason,
  }));
}

/** What such rules need, and why the bounds move with the vault. */
export const BASELINE_NEEDS =
  `All flows since a snapshot that is a day old, and of at least ${MIN_BASELINE_DAYS} of the 30 days before: what is much ` +
  "for a vault, its own days say, and a median is not moved by the outliers that are looked for.";

/** What is usual, in words; `what` names what the days were measured by. */
export function describeBaseline(what: string, { median, mad, days }: Baseline): string {
  const up = Math.max(0, median + BASELINE_DEVIATIONS * mad);
  return `Over ${days} earlier days ${what} was ${percent(median)} in the middle; up to ${percent(up)} is usual here.`;
}

/** What is usual, as evidence. */
export const baselineEvidence = ({ median, mad, days }: Baseline): Record<string, string> => ({
  usual_median: median.toFixed(6),
  usual_deviation: mad.toFixed(6),
  usual_days: `${days}`,
});
