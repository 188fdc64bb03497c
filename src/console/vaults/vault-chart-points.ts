/** A point of a chart: a time in UNIX seconds and a value. */
export interface ChartPoint {
  time: number;
  value: number;
}

/** A metric that a chart can show. */
export type ChartMetric = "share_price" | "total_assets" | "apy";

/**
 * Converts a vault's history to the points of a chart, in ascending time, at most one for each second. A share price is
 * divided by 10^18 and total assets by the asset's unit; an APY is a fraction. Unknown values are left out.
 */
export function toChartPoints(
  points: readonly { time: string; value: unknown }[],
  of: { metric: ChartMetric; decimals: number },
): ChartPoint[] {
  const scale = of.metric === "apy" ? 1 : 10 ** (of.metric === "share_price" ? 18 : of.decimals);
  const byTime = new Map<number, number>();
  for (const { time, value } of points) {
    const figure = value === null ? Number.NaN : Number(value) / scale;
    const seconds = Math.floor(Date.parse(time) / 1_000);
    if (Number.isFinite(figure) && Number.isFinite(seconds)) byTime.set(seconds, figure);
  }
  return [...byTime].map(([time, value]) => ({ time, value })).sort((a, b) => a.time - b.time);
}

/** Minimum height of a chart, as a part of the largest value in it. */
const MIN_SPAN = 0.000_1;

/**
 * Returns a range of values that is at least a ten-thousandth of the largest absolute value high, with the given range
 * in its middle, so that a tiny change does not look steep.
 */
export function widenRange([min, max]: readonly [number, number]): [number, number] {
  const missing = MIN_SPAN * Math.max(Math.abs(min), Math.abs(max)) - (max - min);
  return missing > 0 ? [min - missing / 2, max + missing / 2] : [min, max];
}
