/** Encodes a position in a listing as an opaque URL-safe text. */
export function encodeCursor(parts: readonly string[]): string {
  const bytes = new TextEncoder().encode(JSON.stringify(parts));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

/** Reads a cursor of `length` parts; null when it was not made by `encodeCursor`. */
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
