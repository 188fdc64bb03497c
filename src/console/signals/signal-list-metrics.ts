import type { Answer } from "../../client/operations/read-operations.ts";
import { formatAmount, formatPercent, formatSharePrice } from "../format/format-numbers.ts";
import { formatDuration } from "../format/format-times.ts";

type Metric = Answer<"intel.feed">["signals"][number]["metrics"][number];

/**
 * A figure of a signal as text: its name, its value (with the unit, except a share price), and its change, or null
 * without a usable one.
 */
export interface MetricWords {
  label: string;
  value: string;
  change: string | null;
}

/** Display names of the figures, by the API's labels. */
const NAMES: Readonly<Record<string, string>> = {
  amount: "Amount",
  apy_1d: "APY of the last day",
  net_flow: "Net flow",
  share_of_total_assets: "Share of the vault",
  share_price: "Share price",
  total_assets: "Held now",
  unchanged_for: "Unchanged for",
  withdrawable: "Can be withdrawn now",
};
/** Labels of the figures whose change is a difference of two fractions, not a part of the figure. */
const IN_POINTS = new Set(["apy_1d", "withdrawable"]);

/**
 * Describes a figure of a signal. Null for a figure that this page does not know, and for one that it cannot format,
 * such as an amount whose decimals are unknown.
 */
export function describeMetric({ label, value, unit, decimals, change }: Metric): MetricWords | null {
  const name = NAMES[label];
  const text = valueText({ value, unit, decimals });
  if (name === undefined || text === null) return null;
  const moved = change === null ? null : changeText(Number(change), IN_POINTS.has(label));
  return { label: name, value: text, change: moved };
}

function valueText({ value, unit, decimals }: Pick<Metric, "value" | "unit" | "decimals">): string | null {
  if (unit === "fraction") return formatPercent(value);
  if (!/^-?\d+$/.test(value)) return null;
  if (unit === "seconds") return formatDuration(Number(value));
  if (unit === "1e18") return formatSharePrice(BigInt(value));
  return decimals === null ? null : `${formatAmount(BigInt(value), { decimals })} ${unit}`;
}

function changeText(change: number, inPoints: boolean): string | null {
  if (!Number.isFinite(change)) return null;
  const sign = change > 0 ? "+" : "";
  return inPoints
    ? `${sign}${formatPercent(change).replace(" %", "")} percentage points`
    : `${sign}${formatPercent(change)}`;
}
