import type { Page } from "../lib/pagination.ts";
import { Reply } from "./define-route.ts";

/**
 * Builds a handler's result for one page of a list: the rows and, unless it is the last page, a `Link` header with the
 * relative URL of the next one. Its parameters are sorted and encoded as `isCanonicalUrl` requires; their values stay
 * as given.
 */
export function pageReply<R>(
  page: Page<R>,
  link: { path: string; query: Readonly<Record<string, string | number | boolean | undefined>> },
): R[] | Reply<R[]> {
  if (page.next === null) return page.rows;
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...link.query, cursor: page.next })) {
    if (value !== undefined) query.set(name, String(value));
  }
  query.sort();
  return new Reply(page.rows, { headers: { link: `<${link.path}?${query}>; rel="next"` } });
}
