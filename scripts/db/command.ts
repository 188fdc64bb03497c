import { realpathSync } from "node:fs";
import { parseArgs } from "node:util";
import { redact } from "../../src/lib/log.ts";

/** A command-line tool of this folder: what it says of itself, its switches, and what it does. */
export interface Command {
  help: string;
  switches: readonly string[];
  /** Options with a value. */
  options?: readonly string[];
  run(given: ReadonlySet<string>, values: ReadonlyMap<string, string>): Promise<void>;
}

/** Runs the command when its file was started, not when it was imported. Failures are one line on stderr. */
export async function runCommand(
  file: string,
  { help, switches, options = [], run }: Command,
): Promise<void> {
  if (process.argv[1] === undefined || realpathSync(process.argv[1]) !== file) return;
  try {
    const known = [...switches, "help"].map((name) => [name, { type: "boolean" }] as const);
    const valued = options.map((name) => [name, { type: "string" }] as const);
    const parsed = Object.entries(parseArgs({ options: Object.fromEntries([...known, ...valued]) }).values);
    const values = parsed.flatMap(([name, value]) =>
      typeof value === "string" ? [[name, value] as const] : [],
    );
    const given = new Set(parsed.map(([name]) => name));
    if (given.has("help")) console.log(help);
    else await run(given, new Map(values));
  } catch (error) {
    // Clients repeat the addresses they asked, and those hold keys.
    console.error(redact(error instanceof Error ? error.message : String(error)));
    process.exitCode = 1;
  }
}
