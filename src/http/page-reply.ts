import type { Page } from "../lib/pagination.ts";
import { Reply } from "./define-route.ts";

/**
 * Returns the result of a handler with one page of a list. If there is a next page, a `Link` header contains its URL:
 * the same path and query parameters with the cursor of the next page.
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
  return new Reply(page.rows, { headers: { link: `<${link.path}?${query}>; rel="next"` } });
}
