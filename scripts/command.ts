import { realpathSync } from "node:fs";
import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import { redact } from "../src/lib/logger.ts";

/** A command line that a tool does not understand. */
export class UsageError extends Error {}

/** What a tool says of itself, and what it takes besides `--help`. */
export interface Tool<T extends ParseArgsOptionsConfig> {
  help: string;
  options?: T;
  /** Whether words may stand beside the options. */
  words?: boolean;
}

/** Understands a command line. Throws UsageError with one line for an option or a word that the tool does not take. */
export function parseWords<const T extends ParseArgsOptionsConfig>(
  { options, words = false }: Omit<Tool<T>, "help">,
  args: readonly string[],
) {
  try {
    return parseArgs<{ args: string[]; options: T; allowPositionals: boolean }>({
      args: [...args],
      options: options ?? ({} as T),
      allowPositionals: words,
    });
  } catch (error) {
    // What follows the first sentence is advice for programmers.
    throw new UsageError(messageOf(error).split(/\.\s/)[0], { cause: error });
  }
}

/** Gives the words of the command line; when they ask for help, prints it and ends the process. */
export function offerHelp(help: string): readonly string[] {
  const args = process.argv.slice(2);
  if (!args.includes("--help")) return args;
  console.log(help);
  process.exit(0);
}

/**
 * Reads the command line of a tool whose file is never imported, before it does anything. `--help` prints the help and
 * ends the process; what the tool does not take ends it with one line on stderr and code 2.
 */
export function readArguments<const T extends ParseArgsOptionsConfig>(tool: Tool<T>) {
  const args = offerHelp(tool.help);
  try {
    return parseWords(tool, args);
  } catch (error) {
    reportFailure(error);
    process.exit();
  }
}

/** Which of these words an option was given, null for none. Another one ends the process as an unknown option does. */
export function oneOf<const W extends string>(
  words: readonly W[],
  { option, given }: { option: string; given: string | undefined },
): W | null {
  if (given === undefined) return null;
  const found = words.find((word) => word === given);
  if (found !== undefined) return found;
  reportFailure(new UsageError(`--${option} is one of ${words.join(", ")}, not '${given}'`));
  process.exit();
}

/** The whole number that an option was given. Throws UsageError for anything else. */
export function wholeNumber({ option, given }: { option: string; given: string }): number {
  if (/^[0-9]{1,15}$/.test(given)) return Number(given);
  throw new UsageError(`--${option} is a whole number, not '${given}'`);
}

/** A command-line tool whose file is imported too: what it says of itself, its switches, and what it does. */
export interface Command {
  help: string;
  switches: readonly string[];
  /** Options with a value. */
  options?: readonly string[];
  run(given: ReadonlySet<string>, values: ReadonlyMap<string, string>): Promise<void>;
}

/** Whether a file was started, not imported. */
export function isStarted(file: string): boolean {
  return process.argv[1] !== undefined && realpathSync(process.argv[1]) === file;
}

/** Runs the command when its file was started, not when it was imported. Failures are one line on stderr. */
export async function runCommand(
  file: string,
  { help, switches, options = [], run }: Command,
): Promise<void> {
  if (!isStarted(file)) return;
  const known = switches.map((name) => [name, { type: "boolean" }] as const);
  const valued = options.map((name) => [name, { type: "string" }] as const);
  const parsed = Object.entries(
    readArguments({ help, options: Object.fromEntries([...known, ...valued]) }).values,
  );
  const values = parsed.flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value] as const] : [],
  );
  try {
    await run(new Set(parsed.map(([name]) => name)), new Map(values));
  } catch (error) {
    reportFailure(error);
  }
}

/** Says what went wrong in one line, and lets the process end with code 2 for its command line, else with 1. */
export function reportFailure(error: unknown): void {
  const misused = error instanceof UsageError;
  // Clients repeat the addresses they asked, and those hold keys.
  console.error(`${redact(messageOf(error))}${misused ? "; --help shows what there is" : ""}`);
  process.exitCode = misused ? 2 : 1;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
