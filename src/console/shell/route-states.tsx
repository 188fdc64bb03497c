import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { buttonClass } from "../ui/controls.tsx";
import { ErrorState, Loaded, LoadingRows, type Reading } from "../ui/feedback.tsx";
import { Card, Page } from "../ui/layout.tsx";

/** Shown while the code of a page is loaded. */
export function PagePending() {
  return (
    <div className="mx-auto max-w-6xl">
      <LoadingRows rows={6} label="Loading the page" />
    </div>
  );
}

/** Shown for addresses that no page has. */
export function PageNotFound() {
  return (
    <Page title="No such page" lead="The address may be mistyped, or the page has moved." narrow>
      <Link to="/" className={buttonClass("secondary")}>
        All vaults
      </Link>
    </Page>
  );
}

/** Shown when a page fails, for example because its code could not be loaded. */
export function PageFailed({ error }: { error: unknown }) {
  return (
    <Page title="This page failed" narrow>
      <Card>
        <ErrorState error={error} retry={() => window.location.reload()} />
      </Card>
    </Page>
  );
}

/** A page of one object: its own heading once it was read, and the given one while it is read or could not be. */
export function LoadedPage<Data>(props: {
  title: string;
  query: Reading<Data>;
  children: (data: Data) => ReactNode;
}) {
  const { title, query, children } = props;
  if (query.data !== undefined) return <>{children(query.data)}</>;
  return (
    <Page title={title}>
      <Card flush>
        <Loaded query={query} rows={8}>
          {children}
        </Loaded>
      </Card>
    </Page>
  );
}
