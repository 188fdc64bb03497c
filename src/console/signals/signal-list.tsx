import { Link } from "@tanstack/react-router";
import type { Answer } from "../../client/operations/read-operations.ts";
import { plural } from "../format/format-text.ts";
import { formatAge } from "../format/format-times.ts";
import { Badge, type Tone } from "../ui/feedback.tsx";
import { describeMetric } from "./signal-list-metrics.ts";

/** A signal as the API returns it. */
export type Signal = Answer<"intel.feed">["signals"][number];

const TIERS: Readonly<Record<Signal["tier"], { tone: Tone; label: string }>> = {
  high: { tone: "bad", label: "High" },
  medium: { tone: "warn", label: "Medium" },
  low: { tone: "neutral", label: "Low" },
};

/** List of signals in the given order, with known metrics and, unless `linked` is false, a link to the vault. */
export function SignalList(props: { signals: readonly Signal[]; linked?: boolean }) {
  const { signals, linked = true } = props;
  return (
    <ul className="divide-y divide-line">
      {signals.map((signal) => (
        <SignalItem key={signal.incidentId} signal={signal} linked={linked} />
      ))}
    </ul>
  );
}

function SignalItem({ signal, linked }: { signal: Signal; linked: boolean }) {
  const { tone, label } = TIERS[signal.tier];
  const updates = signal.updateCount === 0 ? "" : ` · ${plural(signal.updateCount, "update")}`;
  return (
    <li className="px-4 py-3 sm:px-5">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm text-muted">
        <Badge tone={tone}>{label}</Badge>
        <span className="capitalize">{signal.dimension}</span>
        <span aria-hidden="true">·</span>
        <time dateTime={signal.lastSeen}>
          {formatAge(signal.lastSeen, Date.now())}
          {updates}
        </time>
      </div>
      <h3 className="mt-1 font-medium">{signal.title}</h3>
      <p className="mt-0.5 max-w-3xl text-sm break-words text-muted">{signal.summary}</p>
      <Metrics metrics={signal.metrics} />
      {linked ? (
        <p className="mt-1 text-sm">
          <Link
            to="/vaults/$vaultId"
            params={{ vaultId: signal.vaultId }}
            className="text-accent underline decoration-accent/40 underline-offset-2 hover:decoration-accent"
          >
            {signal.vaultName}
          </Link>
          <span className="text-muted"> on {signal.chainName}</span>
        </p>
      ) : null}
    </li>
  );
}

function Metrics({ metrics }: Pick<Signal, "metrics">) {
  const known = metrics.flatMap((metric) => describeMetric(metric) ?? []);
  if (known.length === 0) return null;
  return (
    <dl className="mt-2 flex flex-wrap gap-x-6 gap-y-1 text-sm">
      {known.map(({ label, value, change }) => (
        <div key={label} className="flex flex-wrap gap-x-1.5 wrap-anywhere">
          <dt className="text-muted">{label}</dt>
          <dd className="font-medium tabular-nums">
            {value}
            {change === null ? null : <span className="font-normal text-muted"> ({change})</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
