/** JSON that keeps bigint values, as `{"$n":"123"}`; for our own stores, never for the wire. */
export function stringifyWithBigints(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    typeof item === "bigint" ? { $n: item.toString() } : item,
  );
}

/** Reads what `stringifyWithBigints` wrote. Throws a SyntaxError on anything that is not JSON. */
export function parseWithBigints(text: string): unknown {
  return JSON.parse(text, (_key, item: unknown) => {
    if (typeof item !== "object" || item === null || !("$n" in item)) return item;
    return typeof item.$n === "string" ? BigInt(item.$n) : item;
  });
}
