import { realpathSync } from "node:fs";
import { parseArgs } from "node:util";

/** A command-line tool of this folder: what it says of itself, its switches, and what it does. */
export interface Command {
  help: string;
  switches: readonly string[];
  run(given: ReadonlySet<string>): Promise<void>;
}

/** Runs the command when its file was started, not when it was imported. Failures are one line on stderr. */
export async function runCommand(file: string, { help, switches, run }: Command): Promise<void> {
  if (process.argv[1] === undefined || realpathSync(process.argv[1]) !== file) return;
  try {
    const known = [...switches, "help"].map((name) => [name, { type: "boolean" }] as const);
    const given = new Set(Object.keys(parseArgs({ options: Object.fromEntries(known) }).values));
    if (given.has("help")) console.log(help);
    else await run(given);
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
}
