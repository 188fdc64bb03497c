import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type { Answer } from "../../client/operations/read-operations.ts";
import { rulesQuery, signalsQuery } from "../api/console-queries.ts";
import { capitalize, plural } from "../format/format-text.ts";
import { Button, Chevron, Segments, SelectField } from "../ui/controls.tsx";
import { EmptyState, Loaded } from "../ui/feedback.tsx";
import { Card, Page } from "../ui/page-and-cards.tsx";
import { SignalList } from "./signal-list.tsx";
import { dimensions, periods, readSignalFilters, toSignalQuery } from "./signals-page-filters.ts";

const PERIODS: Readonly<Record<(typeof periods)[number], string>> = {
  "24h": "24 h",
  "7d": "7 d",
  "30d": "30 d",
  "90d": "90 d",
};
const PER_PAGE = 50;

/** Page with the feed of signals and the rules that raise them. */
export function SignalsPage() {
  return (
    <Page
      title="Signals"
      lead="What changed in the vaults, by public rules over chain data. A signal is a reason to look, not advice."
    >
      <Feed />
    </Page>
  );
}

function Feed() {
  const filters = readSignalFilters(useSearch({ from: "/signals" }));
  const navigate = useNavigate({ from: "/signals" });
  const [offset, setOffset] = useState(0);
  const { since, dimension } = toSignalQuery(filters);
  const query = useQuery(signalsQuery({ since, dimension, offset }));
  const change = (search: Record<string, string>) => {
    setOffset(0);
    void navigate({
      search: readSignalFilters({ ...filters, ...search }),
      replace: true,
      resetScroll: false,
    });
  };
  return (
    <div className="space-y-6">
      <Card flush>
        <h2 className="sr-only">Newest signals</h2>
        <div className="flex flex-wrap items-center justify-between gap-3 border-b border-line px-4 py-3 sm:px-5">
          <Segments
            label="Period"
            value={since}
            choices={periods.map((value) => ({ value, label: PERIODS[value] }))}
            onChange={(value) => change({ since: value })}
          />
          <SelectField
            label="Kind of signal"
            hideLabel
            value={dimension}
            choices={[
              { value: "", label: "All kinds" },
              ...dimensions.map((value) => ({
                value,
                label: value.charAt(0).toUpperCase() + value.slice(1),
              })),
            ]}
            onChange={(value) => change({ dimension: value })}
          />
        </div>
        <Loaded query={query} rows={8}>
          {(feed) => <FeedPage feed={feed} onOffset={setOffset} />}
        </Loaded>
      </Card>
      {/* Below a list of unknown length, so that it does not move when the list arrives. */}
      {query.isPending ? null : <Rules />}
    </div>
  );
}

function FeedPage({ feed, onOffset }: { feed: Answer<"intel.feed">; onOffset: (offset: number) => void }) {
  const { signals, total, offset } = feed;
  if (total === 0)
    return <EmptyState title="Nothing was noticed">No rule found anything in this period.</EmptyState>;
  const last = offset + signals.length;
  return (
    <>
      <SignalList signals={signals} />
      <div className="flex flex-wrap items-center justify-between gap-3 border-t border-line px-4 py-3 text-sm text-muted sm:px-5">
        <p role="status">
          {/* Signals may leave the period while a later page is shown. */}
          {signals.length === 0 ? "None here" : `${offset + 1} to ${last}`} of {plural(total, "signal")}
        </p>
        <div className="flex gap-2">
          <Button
            kind="secondary"
            disabled={offset === 0}
            onClick={() => onOffset(Math.max(0, offset - PER_PAGE))}
          >
            Newer
          </Button>
          <Button kind="secondary" disabled={last >= total} onClick={() => onOffset(last)}>
            Older
          </Button>
        </div>
      </div>
    </>
  );
}

function Rules() {
  const query = useQuery(rulesQuery);
  return (
    <Card title="Rules" flush>
      <Loaded query={query}>
        {(rules) => (
          <ul className="divide-y divide-line">
            {rules.map((rule) => (
              <li key={rule.ruleId}>
                <details className="group px-4 py-3 sm:px-5">
                  <summary className="flex cursor-pointer list-none items-center justify-between gap-3 font-medium [&::-webkit-details-marker]:hidden">
                    <span className="min-w-0">
                      {rule.title}
                      <span className="ml-2 text-sm font-normal text-muted">
                        {capitalize(rule.dimension)}
                      </span>
                    </span>
                    <span className="transition-transform group-open:rotate-180">
                      <Chevron />
                    </span>
                  </summary>
                  <p className="mt-1 max-w-3xl text-sm text-muted">{rule.description}</p>
                  <ul className="mt-2 space-y-1 text-sm">
                    {rule.tiers.map(({ tier, threshold, reason }) => (
                      <li key={tier}>
                        <span className="font-medium capitalize">{tier}:</span> {threshold}.{" "}
                        <span className="text-muted">{reason}</span>
                      </li>
                    ))}
                  </ul>
                </details>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Card>
  );
}
