/** Encodes a position in a listing as an opaque URL-safe text. */
export function encodeCursor(parts: readonly string[]): string {
  return btoa(JSON.stringify(parts)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Reads a cursor of `length` parts; null when it was not made by `encodeCursor`. */
export function decodeCursor(cursor: string, length: number): string[] | null {
  try {
    const parts: unknown = JSON.parse(atob(cursor.replaceAll("-", "+").replaceAll("_", "/")));
    const valid =
      Array.isArray(parts) && parts.length === length && parts.every((part) => typeof part === "string");
    return valid ? parts : null;
  } catch {
    return null;
  }
}
