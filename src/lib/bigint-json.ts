/** Serializes a value to JSON in which bigints are kept as `{"$n":"123"}`. `parseWithBigints` reads it. */
export function stringifyWithBigints(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    typeof item === "bigint" ? { $n: item.toString() } : item,
  );
}

/**
 * Parses JSON that `stringifyWithBigints` returned, restoring the bigints: every object with a string `$n` becomes one.
 * Throws a SyntaxError if the text is not JSON or `BigInt` rejects such a string.
 */
export function parseWithBigints(text: string): unknown {
  return JSON.parse(text, (_key, item: unknown) => {
    if (typeof item !== "object" || item === null || !("$n" in item)) return item;
    return typeof item.$n === "string" ? BigInt(item.$n) : item;
  });
}
