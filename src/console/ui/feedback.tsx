import type { ReactNode } from "react";
import { isTemporary } from "../api/console-client.ts";
import { explainError } from "../format/error-words.ts";
import { Button } from "./controls.tsx";

/** Meaning that a color conveys. */
export type Tone = "neutral" | "accent" | "good" | "warn" | "bad";

const BADGE: Readonly<Record<Tone, string>> = {
  neutral: "bg-raised text-muted",
  accent: "bg-accent-soft text-accent",
  good: "bg-good-soft text-good",
  warn: "bg-warn-soft text-warn",
  bad: "bg-bad-soft text-bad",
};

/** Small label with a short status text. `tone` sets its color. */
export function Badge({ tone = "neutral", children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span
      className={`inline-flex items-center rounded-md px-1.5 py-0.5 text-xs font-medium whitespace-nowrap ${BADGE[tone]}`}
    >
      {children}
    </span>
  );
}

const NOTICE: Readonly<Record<Tone, string>> = {
  neutral: "border-line bg-raised",
  accent: "border-accent/30 bg-accent-soft",
  good: "border-good/30 bg-good-soft",
  warn: "border-warn/30 bg-warn-soft",
  bad: "border-bad/30 bg-bad-soft",
};

/** A message on the page. Screen readers announce it immediately if its tone is `bad`, otherwise when they are idle. */
export function Notice(props: { tone?: Tone; title?: string; action?: ReactNode; children?: ReactNode }) {
  const { tone = "neutral", title, action, children } = props;
  return (
    <div
      role={tone === "bad" ? "alert" : "status"}
      className={`flex flex-wrap items-center justify-between gap-3 rounded-lg border px-4 py-3 ${NOTICE[tone]}`}
    >
      <div className="min-w-0 flex-1 basis-60 text-sm">
        {title === undefined ? null : <p className="font-semibold">{title}</p>}
        {children === undefined ? null : <div className="break-words text-ink">{children}</div>}
      </div>
      {action}
    </div>
  );
}

/** Message about an error, with a button to try again if `retry` is given. */
export function ErrorState({ error, retry }: { error: unknown; retry?: () => void }) {
  const { title, advice, reference } = explainError(error);
  return (
    <Notice
      tone="bad"
      title={title}
      action={
        retry === undefined ? undefined : (
          <Button kind="secondary" onClick={retry}>
            Try again
          </Button>
        )
      }
    >
      <p>{advice}</p>
      {reference === null ? null : <p className="mt-1 text-xs text-muted">Reference: {reference}</p>}
    </Notice>
  );
}

/** Message in place of an empty list: a title and, as children, what the user can do. */
export function EmptyState({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="px-4 py-12 text-center">
      <p className="font-medium">{title}</p>
      {children === undefined ? null : (
        <div className="mx-auto mt-1 max-w-md text-sm text-muted">{children}</div>
      )}
    </div>
  );
}

const LINES = ["a", "b", "c", "d", "e", "f", "g", "h"];

/** Placeholder of `rows` rows, at most eight, while data is loading. Screen readers announce `label`. */
export function LoadingRows({ rows = 4, label = "Loading" }: { rows?: number; label?: string }) {
  return (
    <div role="status" className="space-y-3 p-4 sm:p-5">
      <span className="sr-only">{label}</span>
      {LINES.slice(0, rows).map((line) => (
        <div key={line} className="h-5 animate-pulse rounded bg-raised odd:w-11/12" />
      ))}
    </div>
  );
}

/**
 * The fields of a query's result that `Loaded` needs. `data` is undefined until it has been loaded; `error` is null or
 * undefined if there is none.
 */
export interface LoadableQuery<Data> {
  data: Data | undefined;
  error: unknown;
  refetch(): unknown;
}

/**
 * Renders a query's data, also during a reload and after a failed one; without data, a placeholder of `rows` rows or
 * the error, with a button to try again if it is temporary.
 */
export function Loaded<Data>(props: {
  query: LoadableQuery<Data>;
  rows?: number;
  children: (data: Data) => ReactNode;
}) {
  const { query, rows = 4, children } = props;
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (query.error === null || query.error === undefined) return <LoadingRows rows={rows} />;
  return (
    <div className="p-4 sm:p-5">
      {isTemporary(query.error) ? (
        <ErrorState error={query.error} retry={() => void query.refetch()} />
      ) : (
        <ErrorState error={query.error} />
      )}
    </div>
  );
}
