type Path = (string | number)[];

/**
 * Where in a parsed input texts stand that no store of ours can hold: with U+0000, which Postgres' text
 * refuses, or with half a surrogate pair, which is no Unicode.
 */
export function findUnstorableText(value: unknown, path: Path = []): Path[] {
  if (typeof value === "string") return value.includes("\u0000") || LONE_SURROGATE.test(value) ? [path] : [];
  if (Array.isArray(value)) return value.flatMap((item, index) => findUnstorableText(item, [...path, index]));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => findUnstorableText(item, [...path, key]));
}

const LONE_SURROGATE = /\p{Surrogate}/u;
