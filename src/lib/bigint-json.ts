/** Serializes to JSON that keeps bigints, as `{"$n":"123"}`; for our own stores, never for API answers. */
export function stringifyWithBigints(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    typeof item === "bigint" ? { $n: item.toString() } : item,
  );
}

/** Parses what `stringifyWithBigints` wrote. Throws a SyntaxError for anything that is not JSON. */
export function parseWithBigints(text: string): unknown {
  return JSON.parse(text, (_key, item: unknown) => {
    if (typeof item !== "object" || item === null || !("$n" in item)) return item;
    return typeof item.$n === "string" ? BigInt(item.$n) : item;
  });
}
