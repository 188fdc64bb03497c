import { ColorType, createChart, HistogramSeries, LineStyle } from "lightweight-charts";
import { useEffect, useRef } from "react";
import { useTheme } from "../ui/theme.ts";
import type { DayBar } from "./partner-day-bars.ts";

interface ChartProps {
  bars: readonly DayBar[];
  label: string;
}

/**
 * Bar chart of deposits by day. Each bar shows all deposits, with the completed ones drawn over them in the accent
 * color. It is redrawn when its bars or the color scheme change. Screen readers get `label`.
 */
export function DayChart(props: ChartProps) {
  const { dark } = useTheme();
  return <Drawing key={dark ? "dark" : "light"} {...props} />;
}

function Drawing({ bars, label }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (box.current === null) return;
    const chart = drawBars(box.current, bars);
    return () => chart.remove();
  }, [bars]);
  return <div ref={box} role="img" aria-label={label} className="h-44 w-full" />;
}

function drawBars(box: HTMLElement, bars: readonly DayBar[]) {
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
    rightPriceScale: { borderVisible: false, scaleMargins: { top: 0.1, bottom: 0 } },
    timeScale: { borderVisible: false, fixLeftEdge: true, fixRightEdge: true },
    handleScroll: false,
    handleScale: false,
  });
  const priceFormat = { type: "price", precision: 0, minMove: 1 } as const;
  const look = { priceFormat, priceLineVisible: false, lastValueVisible: false };
  const all = chart.addSeries(HistogramSeries, { ...look, color: color("--strong") });
  all.setData(bars.map(({ date, deposits }) => ({ time: date, value: deposits })));
  const completed = chart.addSeries(HistogramSeries, { ...look, color: color("--accent") });
  completed.setData(bars.map(({ date, completed: value }) => ({ time: date, value })));
  chart.timeScale().fitContent();
  return chart;
}
