import { realpathSync } from "node:fs";
import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import { redact } from "../src/lib/logger.ts";

/** An invalid command line; its message is for the user. */
export class UsageError extends Error {}

/** Help text and options of a command-line tool; `--help` is implied. */
export interface Tool<T extends ParseArgsOptionsConfig> {
  help: string;
  options?: T;
  /** True when positional arguments are accepted. */
  words?: boolean;
}

/**
 * Parses a command line into `values` and `positionals`. `--help` is not implied. Throws UsageError with a one-line
 * message for an unknown option, a missing value, or an argument that is not accepted.
 */
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
    // Node's first sentence names the option; the rest is advice for the tool's author.
    throw new UsageError(messageOf(error).split(/\.\s/)[0], { cause: error });
  }
}

/** Returns the command line's arguments; with `--help`, prints the help and exits with code 0. */
export function offerHelp(help: string): readonly string[] {
  const args = process.argv.slice(2);
  if (!args.includes("--help")) return args;
  console.log(help);
  process.exit(0);
}

/**
 * Parses the command line of a tool that is never imported. `--help` prints the help and exits; an invalid command
 * line exits with one line on stderr and code 2.
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

/**
 * Returns the option's value as one of the allowed words, or null when absent. Exits with code 2 on any other word.
 */
export function oneOf<const W extends string>(
  words: readonly W[],
  { option, given }: { option: string; given: string | undefined },
): W | null {
  if (given === undefined) return null;
  const found = words.find((word) => word === given);
  if (found !== undefined) return found;
  reportFailure(new UsageError(`--${option} must be one of ${words.join(", ")}, not '${given}'`));
  process.exit();
}

/** Parses an option's value as a whole number of up to 15 digits. Throws UsageError on anything else. */
export function wholeNumber({ option, given }: { option: string; given: string }): number {
  if (/^[0-9]{1,15}$/.test(given)) return Number(given);
  throw new UsageError(`--${option} must be a whole number, not '${given}'`);
}

/**
 * A command-line tool that other files import as well: help, options and action. `run` gets the names of the given
 * options and, by name, their values.
 */
export interface Command {
  help: string;
  switches: readonly string[];
  /** Options that take a value. */
  options?: readonly string[];
  run(given: ReadonlySet<string>, values: ReadonlyMap<string, string>): Promise<void>;
}

/** Returns true when the file was started directly, false when it was imported. */
export function isStarted(file: string): boolean {
  return process.argv[1] !== undefined && realpathSync(process.argv[1]) === file;
}

/**
 * Runs the command if `file`, the module's `import.meta.filename`, was started directly. A failure is one line on
 * stderr and the exit code of `reportFailure`.
 */
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

/**
 * Prints an error's message on stderr, redacted and cut to 500 characters, and sets the exit code: 2 for an invalid
 * command line, otherwise 1.
 */
export function reportFailure(error: unknown): void {
  const misused = error instanceof UsageError;
  // Clients repeat the URLs they requested, which may hold API keys.
  console.error(`${redact(messageOf(error))}${misused ? "; see --help" : ""}`);
  process.exitCode = misused ? 2 : 1;
}

/** Returns an error's message, or any other thrown value as text. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
