/**
 * Encodes a position in a listing, given as text parts, as a cursor: an opaque, URL-safe text. It is not signed, so
 * decoded parts are untrusted.
 */
export function encodeCursor(parts: readonly string[]): string {
  const bytes = new TextEncoder().encode(JSON.stringify(parts));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

/**
 * Decodes a cursor. Returns null if it is malformed, does not have `length` parts, or is spelled otherwise than by
 * `encodeCursor`: that would be another URL in shared caches. The parts are untrusted.
 */
export function decodeCursor(cursor: string, length: number): string[] | null {
  try {
    const bytes = Uint8Array.from(atob(cursor.replaceAll("-", "+").replaceAll("_", "/")), (byte) =>
      byte.charCodeAt(0),
    );
    const parts: unknown = JSON.parse(
      new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes),
    );
    const valid =
      Array.isArray(parts) && parts.length === length && parts.every((part) => typeof part === "string");
    return valid && encodeCursor(parts) === cursor ? parts : null;
  } catch {
    return null;
  }
}

/** One page of a listing, with the cursor of the next page. */
export interface Page<R> {
  rows: R[];
  /** Cursor of the next page, or null on the last page. */
  next: string | null;
}

/** Position in a listing sorted by time: the time and id of the last row of a page. */
export interface TimePosition {
  at: Date;
  id: string;
}

/**
 * Returns the cursor parts of a position in a listing by time, for `encodeCursor`: the time in RFC 3339 and the id.
 */
export const timeCursorParts = ({ at, id }: TimePosition): string[] => [at.toISOString(), id];

/**
 * Returns a page of at most `limit` rows. `rows` must come from a query with the limit `limit + 1`; the additional row
 * shows that there is a next page. `partsOf` returns the cursor parts of a row.
 */
export function cutPage<R>(
  rows: readonly R[],
  page: { limit: number; partsOf: (row: R) => readonly string[] },
): Page<R> {
  const shown = rows.slice(0, page.limit);
  const last = shown.at(-1);
  const more = rows.length > page.limit && last !== undefined;
  return { rows: shown, next: more ? encodeCursor(page.partsOf(last)) : null };
}
