/**
 * Runs the long tests one after the other: the contracts' fuzzing, invariants and mutants, then every script in
 * scripts/stress. Each can be run alone and has options of its own. Prints a summary; fails when one of them failed.
 *
 *   node scripts/stress.ts                       all
 *   node scripts/stress.ts browser               one, by name
 *   node scripts/stress.ts --only fuzz,chaos     some, by name
 */
import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { oneOf, readArguments } from "./command.ts";

interface LongRun {
  name: string;
  script: string;
}

interface Outcome {
  name: string;
  passed: boolean;
  seconds: number;
  /** Last line of the test's output. */
  verdict: string;
}

function longRuns(): LongRun[] {
  const folder = join(import.meta.dirname, "stress");
  const found = readdirSync(folder).filter((file) => file.endsWith(".ts"));
  const own = found.sort().map((file) => ({ name: basename(file, ".ts"), script: join(folder, file) }));
  return [{ name: "contracts", script: join(import.meta.dirname, "contracts/stress.ts") }, ...own];
}

async function run({ name, script }: LongRun): Promise<Outcome> {
  console.log(`\n── ${name}`);
  const startedAt = performance.now();
  const child = spawn(process.execPath, [script], { stdio: ["ignore", "pipe", "inherit"] });
  let tail = "";
  child.stdout.on("data", (chunk: Buffer) => {
    process.stdout.write(chunk);
    tail = (tail + chunk.toString()).slice(-2_000);
  });
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  const seconds = (performance.now() - startedAt) / 1000;
  return { name, passed: code === 0, seconds, verdict: tail.trim().split("\n").at(-1) ?? "" };
}

const runs = longRuns();
const names = runs.map(({ name }) => name);
const { values: options, positionals } = readArguments({
  help: `Runs the long tests one after the other and prints a summary. Each can be run alone, with options of its own.

  npm run stress [-- <name>… | --only <names> | --skip <names>]

  --only  names, separated by commas: ${names.join(", ")}
  --skip  names of those to leave out
  --help  show this text

Fails when one of the tests fails.`,
  options: { only: { type: "string" }, skip: { type: "string" } },
  words: true,
});
const listed = (option: "only" | "skip"): readonly string[] | null =>
  options[option]?.split(",").flatMap((given) => oneOf(names, { option, given }) ?? []) ?? null;
const named = positionals.flatMap((given) => oneOf(names, { option: "only", given }) ?? []);
const [only, skip] = [listed("only") ?? (named.length > 0 ? named : names), listed("skip") ?? []];

const outcomes: Outcome[] = [];
for (const one of runs)
  if (only.includes(one.name) && !skip.includes(one.name)) outcomes.push(await run(one));
console.log("\nstress");
for (const { name, passed, seconds, verdict } of outcomes) {
  console.log(
    `  ${passed ? "passed" : "FAILED"}  ${name.padEnd(12)} ${seconds.toFixed(0).padStart(6)} s  ${verdict}`,
  );
}
process.exit(outcomes.length > 0 && outcomes.every(({ passed }) => passed) ? 0 : 1);
