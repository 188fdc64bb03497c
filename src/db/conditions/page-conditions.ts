import { and, eq, lt, or, type SQL } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { TimePosition } from "../../lib/pagination.ts";

/**
 * Returns the SQL condition for rows after a position in a listing sorted by time and id, newest first, or undefined
 * for the first page.
 */
export function olderThan(before: TimePosition | null, row: { at: PgColumn; id: PgColumn }): SQL | undefined {
  if (before === null) return undefined;
  return or(lt(row.at, before.at), and(eq(row.at, before.at), lt(row.id, before.id)));
}
