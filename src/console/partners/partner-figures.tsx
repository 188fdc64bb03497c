import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useMemo, useState } from "react";
import type { Answer } from "../../client/operations/read-operations.ts";
import { formatChain } from "../api/console-chain-names.ts";
import { chainsQuery } from "../api/console-queries.ts";
import { formatPercent } from "../format/format-numbers.ts";
import { plural } from "../format/format-text.ts";
import { Segments } from "../ui/controls.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { EmptyState, Loaded } from "../ui/feedback.tsx";
import { Card, Stat } from "../ui/page-and-cards.tsx";
import { TokenAmount } from "../ui/token-display.tsx";
import { WhenSeen } from "../ui/when-seen.tsx";
import { toDayBars } from "./partner-day-bars.ts";
import { askAs, type PartnerSession } from "./use-partner-session.ts";

type DashboardAnswer = Answer<"partners.dashboard">;

const DayChart = lazy(() =>
  import("./partner-day-chart.tsx").then((module) => ({ default: module.DayChart })),
);

const PERIODS = [
  { value: "7", label: "7 d" },
  { value: "30", label: "30 d" },
  { value: "90", label: "90 d" },
];

/**
 * Statistics of a partner over the last 7, 30 or 90 days: counts of deposits, withdrawals and users, the success rate
 * and, if any order was sent, a chart of deposits by day and the volumes of completed deposits by token.
 */
export function PartnerFigures({ session }: { session: PartnerSession }) {
  const [days, setDays] = useState("30");
  const query = useQuery({
    queryKey: ["dashboard", session.address, days],
    queryFn: ({ signal }) =>
      askAs<"partners.dashboard">(session, {
        path: "/v1/partners/dashboard",
        query: { days: Number(days) },
        signal,
      }),
  });
  const period = <Segments label="Period" value={days} choices={PERIODS} onChange={setDays} />;
  return (
    <Card title="Deposits" aside={period} flush>
      <Loaded query={query}>
        {(dashboard) => (
          <>
            <Counts dashboard={dashboard} />
            {dashboard.deposits.sent === 0 && dashboard.withdrawals.sent === 0 ? (
              <EmptyState title="No deposits in this period" />
            ) : (
              <>
                <DaysOf dashboard={dashboard} period={Number(days)} />
                <Volumes volumes={dashboard.volumes} />
              </>
            )}
          </>
        )}
      </Loaded>
    </Card>
  );
}

function Counts({ dashboard }: { dashboard: DashboardAnswer }) {
  const { deposits, withdrawals, users, successRate } = dashboard;
  return (
    <dl className="grid grid-cols-2 gap-4 p-4 sm:grid-cols-5 sm:p-5">
      <Stat label="Completed" value={deposits.completed} note={`${deposits.built} built`} />
      <Stat label="In progress" value={deposits.pending} />
      <Stat label="Users" value={users} />
      <Stat label="Success rate" value={formatPercent(successRate, 1)} note={`${deposits.failed} failed`} />
      <Stat label="Withdrawals" value={withdrawals.completed} note={`${withdrawals.built} built`} />
    </dl>
  );
}

/** Chart of the deposits by day, with the same figures as text below it. */
function DaysOf({ dashboard, period }: { dashboard: DashboardAnswer; period: number }) {
  const { days, since } = dashboard;
  const [seen, setSeen] = useState(false);
  const bars = useMemo(() => toDayBars(days, { since: since, now: Date.now() }), [days, since]);
  const [sent, completed] = [days, days].map((list, index) =>
    list.reduce((sum, day) => sum + (index === 0 ? day.deposits : day.completed), 0),
  );
  const text = `${plural(sent ?? 0, "deposit")} sent in ${period} days, ${completed ?? 0} of them completed`;
  return (
    <figure className="border-t border-line p-4 sm:p-5">
      <WhenSeen seen={seen} onSeen={() => setSeen(true)} className="h-44">
        <Suspense fallback={null}>
          <DayChart bars={bars} label={`${text}.`} />
        </Suspense>
      </WhenSeen>
      <figcaption className="mt-2 flex flex-wrap justify-between gap-x-4 text-xs text-muted">
        <span>{text}</span>
        <span className="flex items-center gap-3">
          <Legend look="bg-accent" name="Completed" />
          <Legend look="bg-strong" name="Other" />
          <a href="https://www.tradingview.com/" rel="noreferrer" className="hover:underline">
            Chart by TradingView
          </a>
        </span>
      </figcaption>
    </figure>
  );
}

function Legend({ look, name }: { look: string; name: string }) {
  return (
    <span className="flex items-center gap-1.5">
      <span aria-hidden="true" className={`size-2.5 rounded-sm ${look}`} />
      {name}
    </span>
  );
}

function Volumes({ volumes }: Pick<DashboardAnswer, "volumes">) {
  const chains = useQuery(chainsQuery).data ?? [];
  if (volumes.length === 0) return null;
  return (
    <div className="border-t border-line">
      <DataTable
        columns={[
          { label: "Token" },
          { label: "Deposits", minor: true },
          { label: "Users", minor: true },
          { label: "Amount" },
        ]}
        rows={volumes.map((volume) => ({
          id: `${volume.chainId} ${volume.tokenAddress}`,
          name: `${volume.symbol} on ${formatChain(chains, volume.chainId)}`,
          cells: [
            volume.deposits,
            volume.users,
            <TokenAmount key="amount" amount={volume.amount} token={volume} />,
          ],
        }))}
      />
    </div>
  );
}
