import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useMemo, useState } from "react";
import type { Answer, VaultDetail } from "../../client/operations/read-operations.ts";
import { firstHistory, type HistoryInterval, historyQuery } from "../api/console-queries.ts";
import { formatPercent } from "../format/format-numbers.ts";
import { formatTime } from "../format/format-times.ts";
import { Segments } from "../ui/controls.tsx";
import { EmptyState, Loaded } from "../ui/feedback.tsx";
import { Card } from "../ui/page-and-cards.tsx";
import { WhenSeen } from "../ui/when-seen.tsx";
import { type ChartMetric, toChartPoints } from "./vault-chart-points.ts";

const PriceChart = lazy(() =>
  import("./vault-history-chart.tsx").then((module) => ({ default: module.PriceChart })),
);

const METRICS: readonly { value: ChartMetric; label: string }[] = [
  { value: "share_price", label: "Share price" },
  { value: "total_assets", label: "Total value" },
  { value: "apy", label: "APY" },
];
const PERIODS: readonly { value: string; label: string; interval: HistoryInterval }[] = [
  { value: "1", label: "1 d", interval: "5m" },
  { value: "7", label: "7 d", interval: "1h" },
  { value: "30", label: "30 d", interval: "1d" },
  { value: "365", label: "1 y", interval: "1d" },
];

/** Chart of a vault's share price, total value or APY over one day to one year, as the user chooses. */
export function VaultHistory({ vault }: { vault: VaultDetail }) {
  const [metric, setMetric] = useState<ChartMetric>(firstHistory.metric);
  const [days, setDays] = useState(String(firstHistory.days));
  // Kept while another figure is loaded, which may move the chart out of the window.
  const [seen, setSeen] = useState(false);
  const interval = PERIODS.find(({ value }) => value === days)?.interval ?? "1d";
  const query = useQuery(historyQuery({ vaultId: vault.vaultId, metric, interval, days: Number(days) }));
  return (
    <Card flush>
      <div className="flex flex-wrap items-center justify-between gap-3 border-b border-line px-4 py-3 sm:px-5">
        <h2 className="sr-only">History</h2>
        <Segments
          label="Figure"
          value={metric}
          choices={METRICS}
          onChange={(value) => setMetric(value as ChartMetric)}
        />
        <Segments label="Period" value={days} choices={PERIODS} onChange={setDays} />
      </div>
      <Loaded query={query} rows={6}>
        {(history) => (
          <Chart history={history} vault={vault} metric={metric} seen={seen} onSeen={() => setSeen(true)} />
        )}
      </Loaded>
    </Card>
  );
}

function Chart(props: {
  history: Answer<"vaults.history">;
  vault: VaultDetail;
  metric: ChartMetric;
  seen: boolean;
  onSeen: () => void;
}) {
  const { history, vault, metric, seen, onSeen } = props;
  const { decimals, symbol } = vault.asset;
  const points = useMemo(
    () => toChartPoints(history.points, { metric, decimals }),
    [history.points, metric, decimals],
  );
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined || points.length < 2)
    return (
      <EmptyState title="Not enough history yet">
        A chart appears here after the vault was measured at least twice in this period.
      </EmptyState>
    );
  const format = (value: number) => formatPoint(value, { metric, symbol });
  const label = METRICS.find(({ value }) => value === metric)?.label ?? "";
  const text = `${label} from ${format(first.value)} (${formatTime(new Date(first.time * 1000).toISOString())}) to ${format(last.value)}`;
  return (
    <figure className="p-4 sm:p-5">
      <WhenSeen seen={seen} onSeen={onSeen} className="h-64 sm:h-72">
        <Suspense fallback={null}>
          <PriceChart points={points} format={format} label={`${text}.`} />
        </Suspense>
      </WhenSeen>
      <figcaption className="mt-2 flex flex-wrap justify-between gap-x-4 text-xs text-muted">
        <span>{text}</span>
        <a href="https://www.tradingview.com/" rel="noreferrer" className="hover:underline">
          Chart by TradingView
        </a>
      </figcaption>
    </figure>
  );
}

function formatPoint(value: number, { metric, symbol }: { metric: ChartMetric; symbol: string }): string {
  if (metric === "apy") return formatPercent(value);
  const digits = metric === "share_price" ? 6 : 2;
  return `${value.toLocaleString("en-US", { maximumFractionDigits: digits })} ${symbol}`;
}
