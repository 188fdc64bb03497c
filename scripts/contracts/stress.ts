/**
 * Long tests of the contracts, part of `npm run stress`: fuzzing and invariants with many runs and a fresh seed, then
 * mutation testing of the Router.
 *
 *   node scripts/contracts/stress.ts                      everything
 *   node scripts/contracts/stress.ts --only fuzz          or invariants, or mutants
 *   node scripts/contracts/stress.ts --only mutants --match allowance
 *
 * Options: --runs 10000 (per property), --calls 102400 (of the invariants' handler), --seed 0x…, --threads 1.
 * Fails when a test fails, a mutant survives without a reason in mutants.ts, a mutant with a reason is killed, fewer
 * than 90 % are killed, or the invariants alone miss a grave mutant.
 */
import { randomBytes } from "node:crypto";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { readArguments } from "../command.ts";
import { forge } from "./forge.ts";
import { type Mutant, mutants } from "./mutants.ts";

const ROUTER = "src/router/DepositRouter.sol";
const DEPTH = 400;
const MIN_KILLED = 0.9;

const { values: options } = readArguments({
  help: `Fuzzes the contracts with many runs and a new seed, then checks the Router's tests with mutants.

  node scripts/contracts/stress.ts [--only fuzz|invariants|mutants] [--match <text>] [--runs 10000] [--calls 102400] [--seed 0x…] [--threads 1]

  --only     one part only
  --match    only mutants whose name contains this
  --runs     runs per property; default: 10000
  --calls    calls of the invariants' handler; default: 102400
  --seed     seed of the random inputs; default: a new one
  --threads  threads of forge; default: 1
  --help     show this text`,
  options: {
    only: { type: "string" },
    match: { type: "string", default: "" },
    runs: { type: "string", default: "10000" },
    calls: { type: "string", default: "102400" },
    seed: { type: "string", default: `0x${randomBytes(8).toString("hex")}` },
    threads: { type: "string", default: "1" },
  },
});
const wanted = (part: string): boolean => options.only === undefined || options.only === part;
const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(0)} s`;

/** Runs the matching tests with these settings; returns true when all pass. */
async function long(contract: string, settings: Record<string, string>): Promise<boolean> {
  const started = performance.now();
  const { code } = await forge({
    root: ".",
    args: ["test", "--match-contract", contract, "--threads", options.threads],
    settings: { ...settings, FOUNDRY_FUZZ_SEED: options.seed },
  });
  console.log(`${contract}: ${code === 0 ? "passed" : "FAILED"}, seed ${options.seed}, ${seconds(started)}`);
  return code === 0;
}

/** Copies what forge needs, compiled tests included, so that mutants never touch the work tree. */
function makeScratch(): string {
  const scratch = mkdtempSync(join(tmpdir(), "router-mutants-"));
  for (const path of [
    "foundry.toml",
    "package.json",
    "src/router",
    "test/contracts",
    "scripts/contracts",
    ".cache/forge",
  ]) {
    cpSync(path, join(scratch, path), { recursive: true });
  }
  symlinkSync(resolve("node_modules"), join(scratch, "node_modules"), "dir");
  return scratch;
}

/** Applies a mutant's edits to the source. Throws unless each place occurs exactly once. */
function mutate(source: string, mutant: Mutant): string {
  const edits = [[mutant.find, mutant.replace] as const, ...(mutant.also ?? [])];
  return edits.reduce((text, [find, replace]) => {
    const parts = text.split(find);
    if (parts.length !== 2) throw new Error(`${mutant.name}: found ${parts.length - 1} times: ${find}`);
    return parts.join(replace);
  }, source);
}

/** Returns the name of the first failing test, null when all pass. Throws when the mutant does not compile. */
async function firstFailure(scratch: string, args: readonly string[]): Promise<string | null> {
  const { code, output } = await forge({
    root: scratch,
    args: ["test", "--threads", options.threads, ...args],
    settings: {
      FOUNDRY_FUZZ_RUNS: "100",
      FOUNDRY_INVARIANT_RUNS: "24",
      FOUNDRY_INVARIANT_SHRINK_RUN_LIMIT: "0",
    },
    quiet: true,
  });
  if (code === 0) return null;
  const failure = /^\[FAIL[^\n]*?\] (\w+)\(/m.exec(output) ?? /^\s(invariant_\w+)\(/m.exec(output);
  if (failure === null) throw new Error(output);
  return failure[1] ?? null;
}

const INVARIANTS = ["--match-contract", "InvariantsTest", "--match-test", "invariant_"];
const OTHERS = ["--no-match-contract", "InvariantsTest"];

interface Verdict {
  mutant: Mutant;
  killer: string | null;
  /** Of a grave mutant: the invariant that failed, null when none did. */
  invariant?: string | null;
}

async function judge(scratch: string, source: string, mutant: Mutant): Promise<Verdict> {
  writeFileSync(join(scratch, ROUTER), mutate(source, mutant));
  const killer = await firstFailure(scratch, OTHERS);
  if (killer !== null && mutant.grave === undefined) return { mutant, killer };
  const invariant = await firstFailure(scratch, INVARIANTS);
  return { mutant, killer: killer ?? invariant, invariant };
}

function describe({ mutant, killer, invariant }: Verdict): string {
  const grave =
    mutant.grave === undefined
      ? ""
      : invariant === null
        ? ", NOT BY THE INVARIANTS"
        : ", and by the invariants";
  if (killer !== null) return `killed    ${mutant.name} (${killer}${grave})`;
  return `survived  ${mutant.name}: ${mutant.survives ?? "NOT EXPLAINED"}`;
}

/** Runs every mutant; returns true when all results are as mutants.ts expects. */
async function runMutants(): Promise<boolean> {
  const started = performance.now();
  const chosen = mutants.filter((mutant) => mutant.name.includes(options.match));
  const source = readFileSync(ROUTER, "utf8");
  for (const mutant of chosen) mutate(source, mutant);
  const unmutated = await forge({ root: ".", args: ["build"], quiet: true });
  if (unmutated.code !== 0) throw new Error(unmutated.output);
  const scratch = makeScratch();
  const verdicts: Verdict[] = [];
  try {
    for (const mutant of chosen) {
      const verdict = await judge(scratch, source, mutant);
      verdicts.push(verdict);
      console.log(describe(verdict));
    }
  } finally {
    rmSync(scratch, { recursive: true });
  }
  const killed = verdicts.filter((verdict) => verdict.killer !== null).length;
  const share = killed / verdicts.length;
  console.log(
    `${killed} of ${verdicts.length} mutants killed (${(share * 100).toFixed(1)} %), ${seconds(started)}`,
  );
  const surprising = verdicts.filter(
    ({ mutant, killer, invariant }) =>
      (killer === null) !== (mutant.survives !== undefined) ||
      (mutant.grave !== undefined && invariant === null),
  );
  for (const verdict of surprising) console.error(`not as expected: ${describe(verdict)}`);
  return surprising.length === 0 && share >= MIN_KILLED;
}

let passed = true;
if (wanted("fuzz")) passed = (await long("PropertiesTest", { FOUNDRY_FUZZ_RUNS: options.runs })) && passed;
if (wanted("invariants")) {
  const runs = Math.ceil(Number(options.calls) / DEPTH);
  const settings = { FOUNDRY_INVARIANT_RUNS: `${runs}`, FOUNDRY_INVARIANT_DEPTH: `${DEPTH}` };
  passed = (await long("InvariantsTest", settings)) && passed;
}
if (wanted("mutants")) passed = (await runMutants()) && passed;
process.exit(passed ? 0 : 1);
