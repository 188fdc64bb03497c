import {
  AreaSeries,
  type AutoscaleInfo,
  ColorType,
  createChart,
  LineStyle,
  type UTCTimestamp,
} from "lightweight-charts";
import { useEffect, useRef } from "react";
import { useTheme } from "../ui/theme.ts";
import { type ChartPoint, widenRange } from "./vault-chart-points.ts";

/** Smallest difference between two figures of the scale. */
const MIN_MOVE = 0.000_001;

/** A chart's points, the format of its values, and its label for screen readers. */
interface ChartProps {
  points: readonly ChartPoint[];
  format: (value: number) => string;
  label: string;
}

/**
 * A line chart over time with a crosshair. It is redrawn when its points or the color scheme change. Screen readers get
 * `label`.
 */
export function PriceChart(props: ChartProps) {
  const { dark } = useTheme();
  return <Drawing key={dark ? "dark" : "light"} {...props} />;
}

function Drawing({ points, format, label }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const formatRef = useRef(format);
  formatRef.current = format;
  useEffect(() => {
    if (box.current === null) return;
    const chart = drawChart(box.current, { points, format: (value) => formatRef.current(value) });
    return () => chart.remove();
  }, [points]);
  return <div ref={box} role="img" aria-label={label} className="h-64 w-full sm:h-72" />;
}

function drawChart(
  box: HTMLElement,
  of: { points: readonly ChartPoint[]; format: (value: number) => string },
) {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string) => style.getPropertyValue(name).trim();
  const chart = createChart(box, {
    autoSize: true,
    // The library's logo needs an inline style, which the page's policy forbids; the page names the library itself.
    layout: {
      attributionLogo: false,
      background: { type: ColorType.Solid, color: "transparent" },
      textColor: color("--muted"),
      fontFamily: style.fontFamily,
    },
    grid: { vertLines: { visible: false }, horzLines: { color: color("--line"), style: LineStyle.Solid } },
    rightPriceScale: { borderVisible: false },
    timeScale: { borderVisible: false, timeVisible: true, fixLeftEdge: true, fixRightEdge: true },
    handleScroll: false,
    handleScale: false,
    localization: { priceFormatter: of.format },
  });
  const accent = color("--accent");
  const series = chart.addSeries(AreaSeries, {
    lineColor: accent,
    topColor: `${accent}33`,
    bottomColor: `${accent}00`,
    lineWidth: 2,
    priceLineVisible: false,
    lastValueVisible: false,
  });
  series.applyOptions({
    // With the library's default, a hundredth, a share price that moves by less has a scale without any figure.
    priceFormat: { type: "custom", formatter: of.format, minMove: MIN_MOVE },
    autoscaleInfoProvider: (fitted: () => AutoscaleInfo | null) => {
      const info = fitted();
      if (!info?.priceRange) return info;
      const { minValue: min, maxValue: max } = info.priceRange;
      const [minValue, maxValue] = widenRange([min, max]);
      return { ...info, priceRange: { minValue, maxValue } };
    },
  });
  series.setData(of.points.map(({ time, value }) => ({ time: time as UTCTimestamp, value })));
  chart.timeScale().fitContent();
  return chart;
}
