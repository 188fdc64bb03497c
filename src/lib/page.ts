import { encodeCursor } from "./cursor.ts";

/** A page of a listing. */
export interface Page<R> {
  rows: R[];
  /** The cursor with which the next page is asked for; null on the last. */
  next: string | null;
}

/** Where a listing by time goes on: after the row of this time and id. */
export interface TimePosition {
  at: Date;
  id: string;
}

/** The parts of the cursor that names a position. */
export const timeParts = ({ at, id }: TimePosition): string[] => [at.toISOString(), id];

/** Cuts a page from rows of which one more than `limit` was asked for; `partsOf` gives a row's cursor in parts. */
export function cutPage<R>(
  rows: readonly R[],
  page: { limit: number; partsOf: (row: R) => readonly string[] },
): Page<R> {
  const shown = rows.slice(0, page.limit);
  const last = shown.at(-1);
  const more = rows.length > page.limit && last !== undefined;
  return { rows: shown, next: more ? encodeCursor(page.partsOf(last)) : null };
}
