/** Encodes a position in a listing as an opaque URL-safe text. */
export function encodeCursor(parts: readonly string[]): string {
  const bytes = new TextEncoder().encode(JSON.stringify(parts));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

/** Decodes a cursor of `length` parts; null when `encodeCursor` did not make it. */
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
    return valid ? parts : null;
  } catch {
    return null;
  }
}

/** A page of a listing. */
export interface Page<R> {
  rows: R[];
  /** Cursor of the next page; null on the last. */
  next: string | null;
}

/** Position in a listing by time: the row of this time and id, after which the next page starts. */
export interface TimePosition {
  at: Date;
  id: string;
}

/** Returns the cursor parts of a position, for `encodeCursor`. */
export const timeCursorParts = ({ at, id }: TimePosition): string[] => [at.toISOString(), id];

/** Cuts a page of `limit` rows from a query that returned up to one more; `partsOf` returns a row's cursor parts. */
export function cutPage<R>(
  rows: readonly R[],
  page: { limit: number; partsOf: (row: R) => readonly string[] },
): Page<R> {
  const shown = rows.slice(0, page.limit);
  const last = shown.at(-1);
  const more = rows.length > page.limit && last !== undefined;
  return { rows: shown, next: more ? encodeCursor(page.partsOf(last)) : null };
}
