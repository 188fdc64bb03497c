import { and, eq, lt, or, type SQL } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { TimePosition } from "../../lib/pagination.ts";

/** Limits a listing, newest first, to what comes after a position; nothing where the listing begins. */
export function olderThan(before: TimePosition | null, row: { at: PgColumn; id: PgColumn }): SQL | undefined {
  if (before === null) return undefined;
  return or(lt(row.at, before.at), and(eq(row.at, before.at), lt(row.id, before.id)));
}
