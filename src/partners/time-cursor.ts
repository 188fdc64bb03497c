import { decodeCursor, encodeCursor } from "../lib/cursor.ts";

/** Where a listing by time goes on: after the row of this time and id. */
export interface TimePosition {
  at: Date;
  id: string;
}

/** Reads a cursor of `writeTimeCursor`; null, the beginning, for anything else. */
export function readTimeCursor(cursor: string | null): TimePosition | null {
  const [time, id] = (cursor === null ? null : decodeCursor(cursor, 2)) ?? [];
  const at = new Date(time ?? "");
  return id === undefined || Number.isNaN(at.getTime()) ? null : { at, id };
}

/** Cuts a page from rows of which one too many was asked for, and says where the next one starts. */
export function cutPage<R>(
  rows: readonly R[],
  page: { limit: number; position: (row: R) => TimePosition },
): { rows: R[]; next: string | null } {
  const shown = rows.slice(0, page.limit);
  const last = shown.at(-1);
  if (rows.length <= page.limit || last === undefined) return { rows: shown, next: null };
  const { at, id } = page.position(last);
  return { rows: shown, next: encodeCursor([at.toISOString(), id]) };
}
