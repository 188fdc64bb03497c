/** A required variable of a deployment script. Throws naming it when it is absent or empty. */
export function required(name: string): string {
  const value = process.env[name] ?? "";
  if (value === "") throw new Error(`${name} is not set`);
  return value;
}

/** Those of the named variables that are set. */
export function givenOf(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.map((name) => [name, process.env[name] ?? ""]).filter(([, value]) => value !== ""),
  );
}

/** The option `--patience-ms`, in milliseconds. Throws when it is no number. */
export function patienceOf(values: ReadonlyMap<string, string>): number {
  const patienceMs = Number(values.get("patience-ms") ?? "60000");
  if (!Number.isSafeInteger(patienceMs) || patienceMs < 0)
    throw new Error("--patience-ms is no number of milliseconds");
  return patienceMs;
}
