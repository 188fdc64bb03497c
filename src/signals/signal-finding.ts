import { formatFixed } from "../lib/amount.ts";
import { HOUR_MS, SECOND_MS } from "../lib/durations.ts";
import type { Dimension, Metric, Rule, Tier } from "../schemas/signal-schema.ts";
import type { VaultFacts } from "./signal-facts.ts";

/** An observation that a signal rule makes about one vault. */
export interface Finding {
  tier: Tier;
  /** What the finding is about, such as the owner or the fee. Empty if the rule does not distinguish subjects. */
  subject: string;
  title: string;
  summary: string;
  metrics: Metric[];
  /** Facts behind the finding by name, stored with the incident. */
  evidence: Record<string, string>;
  /** Identifiers of the facts behind the finding, by which a repeated finding is recognized. */
  keys: string[];
  /** Time of the snapshot or latest event behind the finding, in seconds since the epoch. */
  seconds: number;
  /** True if the finding reports a condition that lasts, rather than an event. */
  ongoing: boolean;
  /** The transaction behind the finding, or null if unknown or if there is none. */
  txHash: string | null;
  /** The block of the observation or transaction, or null if there is none. */
  blockNumber: number | null;
}

/** A signal rule: a pure function from the facts of one vault and the time to findings, with its public texts. */
export interface SignalRule extends Rule {
  dimension: Dimension;
  /** Time after the last finding of an incident within which a new one still extends it, in seconds. */
  quietSeconds: number;
  /** Returns the findings about a vault, or an empty list. `now` is in seconds since the epoch. */
  find(facts: VaultFacts, now: number): Finding[];
}

/**
 * Returns the tier of the first threshold that a value reaches or exceeds, or null if it reaches none. Thresholds are
 * in descending order.
 */
export function tierOf(value: number, thresholds: readonly (readonly [Tier, number])[]): Tier | null {
  return thresholds.find(([, least]) => value >= least)?.[0] ?? null;
}

/** Returns `part / whole`, rounded towards zero at nine decimals, or null if `whole` is not positive. */
export function fractionOf(part: bigint, whole: bigint): number | null {
  return whole > 0n ? Number((part * 1_000_000_000n) / whole) / 1e9 : null;
}

/**
 * Formats a fraction as a percentage rounded to two decimals, or to four if its absolute value is below 0.01% but not
 * zero, with commas between thousands. Below 0.0001%, a nonzero one becomes "less than 0.0001%", whatever its sign.
 */
export const percent = (fraction: number): string => {
  const size = Math.abs(fraction);
  if (size > 0 && size < 0.000_001) return "less than 0.0001%";
  const text = formatFixed(fraction * 100, size > 0 && size < 0.0001 ? 4 : 2);
  return `${text.replace(/\B(?=(\d{3})+\.)/g, ",")}%`;
};
/** Formats a fraction rounded to six decimals. */
export const fixed = (fraction: number): string => formatFixed(fraction, 6);

/** Formats a count with its unit, such as "1 hour" or "2 hours". */
export const countOf = (count: number, unit: string): string => `${count} ${unit}${count === 1 ? "" : "s"}`;

/** Formats the time between two snapshots, to the nearest hour, such as "24 hours". */
export const hoursOf = ({ before, after }: Record<"before" | "after", { seconds: number }>): string =>
  countOf(Math.round(((after.seconds - before.seconds) * SECOND_MS) / HOUR_MS), "hour");

/**
 * Formats an amount in the token's smallest unit as whole tokens, with at most `shown` decimals (default 4), rounded
 * towards zero, and with commas between thousands. A positive amount that would read as 0 is "less than 0.0001".
 */
export function wholeAmount(amount: bigint, decimals: number, shown = 4): string {
  const size = amount < 0n ? -amount : amount;
  const unit = 10n ** BigInt(decimals);
  const [whole, rest] = [size / unit, (size % unit).toString().padStart(decimals, "0").slice(0, shown)];
  const fraction = rest.replace(/0+$/, "");
  const text = whole.toString().replace(/\B(?=(\d{3})+$)/g, ",");
  const shownText = `${text}${fraction === "" ? "" : `.${fraction}`}`;
  if (amount > 0n && shownText === "0") return `less than 0.${"1".padStart(shown, "0")}`;
  return amount < 0n && shownText !== "0" ? `-${shownText}` : shownText;
}

/**
 * Returns the median of `values` and their median absolute deviation (MAD), or null if `values` is empty. The median of
 * an even number of values is the mean of the two middle ones.
 */
export function medianAndMad(values: readonly number[]): { median: number; mad: number } | null {
  if (values.length === 0) return null;
  const median = medianOf(values);
  return { median, mad: medianOf(values.map((value) => Math.abs(value - median))) };
}

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  const [low = 0, high = 0] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[half]];
  return (low + high) / 2;
}
