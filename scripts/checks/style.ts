/** Enforces style rules that no linter has: file lengths, no disabled checks, no clock or randomness in pure code. */
import { globSync, readFileSync } from "node:fs";
import { readArguments } from "../command.ts";

readArguments({
  help: `Enforces style rules that no linter has: file lengths, disabled checks, clocks and randomness in pure code.

  node scripts/checks/style.ts

  --help  show this text`,
});

const MAX_LINES = 350;
const MEDIAN_LINES = 110;
/** Modules that decide about amounts. They must be pure; the current time is an argument. */
const PURE = [
  "src/lib/",
  "src/tracking/deposits/deposit-state-machine.ts",
  "src/tracking/deposits/deposit-check-schedule.ts",
  "src/orders/order-slippage.ts",
  "src/tracking/deposits/deposit-proofs.ts",
  "src/vaults/families/",
  "src/vaults/governance/",
];
/** Generated files and data tables are exempt. */
const GENERATED = /artifact\.ts$|generated\.ts$|contracts\/mutants\.ts$/;
/**
 * Pattern of module state that may change after loading. Test files must not share it, because they share the modules
 * that they import.
 */
const STATE = /^(export )?(let |const \w+(: [^=]+)? = (await |new (Map|Set|WeakMap)(<.+>)?\(\)|\[\];|\{\};))/;

const problems: string[] = [];
const lengths: number[] = [];
for (const file of globSync(["src/**/*.{ts,tsx}", "scripts/**/*.ts", "test/**/*.ts"]).sort()) {
  if (GENERATED.test(file)) continue;
  const text = readFileSync(file, "utf8");
  const lines = text.split("\n").length - 1;
  if (file.startsWith("src/")) lengths.push(lines);
  const refuse = (pattern: RegExp, why: string): void => {
    const at = text.split("\n").findIndex((line) => pattern.test(line));
    if (at !== -1) problems.push(`${file}:${at + 1}: ${why}`);
  };
  if (lines > MAX_LINES) problems.push(`${file}: ${lines} lines, at most ${MAX_LINES}`);
  if (file.startsWith("test/")) {
    refuse(/\bvi\.(mock|doMock)\(/, "a mocked module");
    refuse(/\b(it|test|describe)\.(skip|only|todo)\b/, "a test that does not run");
    if (!file.endsWith(".test.ts")) refuse(STATE, "state that one file of tests would hand to the next");
  }
  if (!file.endsWith("/neon-client.ts"))
    refuse(/^\s*neonConfig\./, "a setting of all clients of the database");
  if (file.startsWith("scripts/"))
    refuse(/from "(\.\.\/)+test\//, "what scripts share with tests lives in scripts");
  if (!file.startsWith("src/")) continue;
  refuse(/@ts-(ignore|expect-error|nocheck)|biome-ignore/, "a silenced check");
  refuse(/process\.env/, "the environment is read in config.ts, from the bindings");
  if (PURE.some((prefix) => file.startsWith(prefix)))
    refuse(
      /Date\.now\(|new Date\(\s*\)|new Date\b(?!\s*\()|performance\.now\(|Math\.random\(/,
      "pure code takes the time as input",
    );
}
lengths.sort((a, b) => a - b);
const median = lengths[Math.floor(lengths.length / 2)] ?? 0;
if (median > MEDIAN_LINES) problems.push(`src: the median file has ${median} lines, at most ${MEDIAN_LINES}`);
for (const problem of problems) console.error(problem);
if (problems.length === 0)
  console.log(`style: ${lengths.length} files in src, median ${median} lines, longest ${lengths.at(-1)}`);
process.exit(problems.length === 0 ? 0 : 1);
