import type { Dimension, Metric, Rule, Tier } from "../schemas/signal.ts";
import type { VaultFacts } from "./facts.ts";

/** What a rule says of one vault at one moment. */
export interface Finding {
  tier: Tier;
  /** Sets what the rule finds apart, where that can be several things at once; empty: one thing. */
  subject: string;
  title: string;
  summary: string;
  metrics: Metric[];
  evidence: Record<string, string>;
  /** What it rests on; a finding whose keys were all counted before is nothing new. */
  keys: string[];
  /** When it happened, seconds since the epoch. */
  seconds: number;
  /** Whether it goes on: then each look moves its end. */
  ongoing: boolean;
  txHash: string | null;
  blockNumber: number | null;
}

/** A rule: pure, and public with its thresholds and their reasons. */
export interface SignalRule extends Rule {
  dimension: Dimension;
  /** How long after its end a finding still belongs to the same incident, seconds. */
  quietSeconds: number;
  find(facts: VaultFacts, now: number): Finding[];
}

/** The tier of the highest threshold that a value reaches; null: none. Thresholds in descending order. */
export function tierOf(value: number, thresholds: readonly (readonly [Tier, number])[]): Tier | null {
  return thresholds.find(([, least]) => value >= least)?.[0] ?? null;
}

/** `part / whole` as a fraction; null when there is no whole. */
export function fractionOf(part: bigint, whole: bigint): number | null {
  return whole > 0n ? Number((part * 1_000_000_000n) / whole) / 1e9 : null;
}

export const percent = (fraction: number): string => `${(fraction * 100).toFixed(2)} %`;
export const fixed = (fraction: number): string => fraction.toFixed(6);

/** An amount of smallest units for people, with at most four decimals, or as many as are asked for. Rounded towards zero. */
export function wholeAmount(amount: bigint, decimals: number, shown = 4): string {
  const size = amount < 0n ? -amount : amount;
  const unit = 10n ** BigInt(decimals);
  const [whole, rest] = [size / unit, (size % unit).toString().padStart(decimals, "0").slice(0, shown)];
  const fraction = rest.replace(/0+$/, "");
  const text = whole.toString().replace(/\B(?=(\d{3})+$)/g, ",");
  return `${amount < 0n ? "-" : ""}${text}${fraction === "" ? "" : `.${fraction}`}`;
}

/** Median and median absolute deviation: thresholds on them are not moved by the outliers they look for. */
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
