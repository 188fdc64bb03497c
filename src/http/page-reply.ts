import type { Page } from "../lib/pagination.ts";
import { Reply } from "./define-route.ts";

/** A page of a listing; the `Link` header names the next one, with the parameters that made this one. */
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
