/** Returns a required environment variable. Throws naming it when it is absent or empty. */
export function requiredVariable(name: string): string {
  const value = process.env[name] ?? "";
  if (value === "") throw new Error(`${name} is not set`);
  return value;
}

/** Returns those of the named environment variables that are set and not empty. */
export function presentVariables(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.map((name) => [name, process.env[name] ?? ""]).filter(([, value]) => value !== ""),
  );
}

/** Returns the option `--patience-ms` in milliseconds, by default 60,000. Throws unless it is a whole number from 0. */
export function patienceMsOf(values: ReadonlyMap<string, string>): number {
  const patienceMs = Number(values.get("patience-ms") ?? "60000");
  if (!Number.isSafeInteger(patienceMs) || patienceMs < 0)
    throw new Error("--patience-ms is not a number of milliseconds");
  return patienceMs;
}
