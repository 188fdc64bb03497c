/** Converts a JSON parameter to Postgres' untyped text format; arrays become array literals. */
export function toPostgresText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "string") return value;
  return Array.isArray(value) ? toArrayLiteral(value) : JSON.stringify(value);
}

function toArrayLiteral(value: unknown): string {
  if (value === null) return "NULL";
  if (Array.isArray(value)) return `{${value.map(toArrayLiteral).join(",")}}`;
  const text = JSON.stringify(value);
  return typeof value === "object" ? JSON.stringify(text) : text;
}
