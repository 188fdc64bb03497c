import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useEmbedding } from "../embed/embed-context.ts";
import { buttonClass } from "../ui/controls.tsx";
import { ErrorState, type LoadableQuery, Loaded, LoadingRows } from "../ui/feedback.tsx";
import { Card, Page } from "../ui/page-and-cards.tsx";
import { useOnline } from "../ui/use-online.ts";

/** Placeholder while the code of a page is loaded. */
export function PagePending() {
  return (
    <div className="mx-auto max-w-6xl">
      <LoadingRows rows={6} label="Loading the page" />
    </div>
  );
}

/** Page for unknown URLs. */
export function PageNotFound() {
  return (
    <Page title="No such page" lead="The address may be mistyped, or the page has moved." narrow>
      <Link to="/" className={buttonClass("secondary")}>
        All vaults
      </Link>
    </Page>
  );
}

/**
 * Page shown in place of a page that failed, for example because its code could not be loaded. Its button reloads the
 * document; there is none if the browser is offline, because a reload would then lose the page.
 */
export function PageFailed({ error }: { error: unknown }) {
  const online = useOnline();
  const retry = online ? { retry: () => window.location.reload() } : {};
  return (
    <Page title="This page failed" narrow>
      <Card>
        <ErrorState error={error} {...retry} />
      </Card>
    </Page>
  );
}

/**
 * Page for one object of the API, which is passed to `children`. While the object is loading or if it could not be
 * loaded, the page has the heading `title`.
 */
export function LoadedPage<Data>(props: {
  title: string;
  query: LoadableQuery<Data>;
  children: (data: Data) => ReactNode;
}) {
  const { title, query, children } = props;
  const embedded = useEmbedding() !== null;
  if (query.data !== undefined) return <>{children(query.data)}</>;
  return (
    <Page title={title}>
      <Card flush>
        <Loaded query={query} rows={8}>
          {children}
        </Loaded>
      </Card>
      {query.error !== null && query.error !== undefined && !embedded ? (
        <p className="mt-4">
          <Link to="/" className={buttonClass("secondary")}>
            All vaults
          </Link>
        </p>
      ) : null}
    </Page>
  );
}
