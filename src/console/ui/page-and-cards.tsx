import { type ReactNode, useEffect } from "react";

/**
 * A page with a heading, which the document's title contains too. `lead` is shown below the heading and `actions`
 * beside it; a `narrow` page is less wide.
 */
export function Page(props: {
  title: string;
  lead?: ReactNode;
  actions?: ReactNode;
  narrow?: boolean;
  children: ReactNode;
}) {
  const { title, lead, actions, narrow, children } = props;
  useEffect(() => {
    document.title = `${title} · Causeway`;
  }, [title]);
  return (
    <div className={`mx-auto w-full ${narrow === true ? "max-w-2xl" : "max-w-6xl"}`}>
      <div className="mb-5 flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
        <div className="min-w-0">
          <h1 className="text-2xl font-semibold tracking-tight text-balance break-words">{title}</h1>
          {lead === undefined ? null : <div className="mt-1 max-w-2xl text-muted">{lead}</div>}
        </div>
        {actions}
      </div>
      {children}
    </div>
  );
}

/**
 * A bordered section with an optional heading, beside which `aside` is shown. `flush` removes the padding around the
 * content.
 */
export function Card(props: { title?: string; aside?: ReactNode; flush?: boolean; children: ReactNode }) {
  const { title, aside, flush, children } = props;
  return (
    <section className="min-w-0 rounded-xl border border-line bg-surface">
      {title === undefined ? null : (
        <div className="flex flex-wrap items-center justify-between gap-2 border-b border-line px-4 py-3 sm:px-5">
          <h2 className="font-semibold">{title}</h2>
          {aside}
        </div>
      )}
      <div className={flush === true ? "" : "p-4 sm:p-5"}>{children}</div>
    </section>
  );
}

/** A key figure with its label and an optional note. Must be inside a `dl`. */
export function Stat(props: { label: string; value: ReactNode; note?: ReactNode }) {
  const { label, value, note } = props;
  return (
    <div className="min-w-0">
      <dt className="text-sm text-muted">{label}</dt>
      <dd className="mt-0.5 text-lg font-semibold wrap-anywhere tabular-nums">{value}</dd>
      {note === undefined ? null : <dd className="text-sm wrap-anywhere text-muted">{note}</dd>}
    </div>
  );
}

/** A list of terms with their values, one per row. */
export function Facts({ children }: { children: ReactNode }) {
  return <dl className="divide-y divide-line text-sm">{children}</dl>;
}

/** One row of `Facts`: a term and, as children, its value. */
export function Fact(props: { term: ReactNode; children: ReactNode }) {
  return (
    <div className="flex items-baseline justify-between gap-4 py-2 first:pt-0 last:pb-0">
      <dt className="shrink-0 text-muted">{props.term}</dt>
      <dd className="min-w-0 text-right wrap-anywhere tabular-nums">{props.children}</dd>
    </div>
  );
}
