import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { compileTexts } from "./compile.ts";
import { forge } from "./forge.ts";
import type { Mutant } from "./mutant.ts";
import { mutants } from "./mutants.ts";

/** The Router's sources; a mutant changes one place in them. */
const SOURCES = ["DepositRouter", "Executor", "GuardedCalls", "OrderTypes"].map(
  (name) => `src/router/${name}.sol`,
);
const ARTIFACT = ".cache/forge/out/DepositRouter.sol/DepositRouter.json";
/** Minimum share of the mutants that the tests must kill. */
const MIN_KILLED = 0.95;

const INVARIANTS = ["--match-contract", "InvariantsTest", "--match-test", "invariant_"];
/** Options that exclude gas tests, because mutants are compiled without the optimizer. */
const OTHERS = [
  ...["--no-match-contract", "InvariantsTest|GasTest"],
  ...["--no-match-test", "test_tooLittleGasForTheCloneSaysSo"],
];

interface Verdict {
  mutant: Mutant;
  killer: string | null;
  /** For a grave mutant: the invariant that failed, or null if none did. */
  invariant?: string | null;
}

interface MutantRun {
  /** Text that the names of the mutants must contain. */
  match: string;
  /** Number of threads of forge. */
  threads: string;
  /** Part of the mutants to run, such as 1 of 4. */
  shard: { index: number; count: number };
}

/**
 * Runs the Router's tests against every chosen mutant, in a copy of the work tree. Prints each result and returns true
 * if all are as their tables expect and, unless only a part was chosen, at least 95 % are killed. Throws if a mutant
 * does not compile or its place is not unique, and if the tests fail without a mutant.
 */
export async function runMutants(asked: MutantRun): Promise<boolean> {
  const started = performance.now();
  const chosen = mutants
    .filter((mutant) => mutant.name.includes(asked.match))
    .filter((_, at) => at % asked.shard.count === asked.shard.index);
  const sources = Object.fromEntries(SOURCES.map((file) => [file, readFileSync(file, "utf8")]));
  for (const mutant of chosen) mutate(sources, mutant);
  const unmutated = await forge({ root: ".", args: ["build"], quiet: true });
  if (unmutated.code !== 0) throw new Error(unmutated.output);
  const scratch = makeScratch();
  const verdicts: Verdict[] = [];
  try {
    install(scratch, sources);
    const sound = await firstFailure(scratch, { args: OTHERS, threads: asked.threads });
    if (sound !== null) throw new Error(`${sound} fails without a mutant`);
    for (const mutant of chosen) {
      const verdict = await judge(scratch, { mutant, sources, threads: asked.threads });
      verdicts.push(verdict);
      console.log(describe(verdict));
    }
  } finally {
    rmSync(scratch, { recursive: true });
  }
  const seconds = (performance.now() - started) / 1000;
  return summarise(verdicts, { seconds, part: chosen.length < mutants.length });
}

function summarise(
  verdicts: readonly Verdict[],
  { seconds, part }: { seconds: number; part: boolean },
): boolean {
  const killed = verdicts.filter((verdict) => verdict.killer !== null).length;
  const share = killed / verdicts.length;
  console.log(
    `${killed} of ${verdicts.length} mutants killed (${(share * 100).toFixed(1)} %), ${seconds.toFixed(0)} s`,
  );
  const surprising = verdicts.filter(
    ({ mutant, killer, invariant }) =>
      (killer === null) !== (mutant.survives !== undefined) ||
      (mutant.grave !== undefined && invariant === null),
  );
  for (const verdict of surprising) console.error(`not as expected: ${describe(verdict)}`);
  // A part of the mutants may hold most of the explained survivors.
  return surprising.length === 0 && (part || share >= MIN_KILLED);
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
    "scripts/stack/contracts",
    ".cache/forge",
  ]) {
    cpSync(path, join(scratch, path), { recursive: true });
  }
  symlinkSync(resolve("node_modules"), join(scratch, "node_modules"), "dir");
  return scratch;
}

/** Applies a mutant's edits to the sources. Throws unless each place occurs exactly once in them together. */
function mutate(sources: Readonly<Record<string, string>>, mutant: Mutant): Record<string, string> {
  const texts = { ...sources };
  for (const [find, replace] of [[mutant.find, mutant.replace] as const, ...(mutant.also ?? [])]) {
    const places = Object.keys(texts).flatMap((file) =>
      (texts[file] ?? "")
        .split(find)
        .slice(1)
        .map(() => file),
    );
    const [file] = places;
    if (file === undefined || places.length !== 1)
      throw new Error(`${mutant.name}: found ${places.length} times: ${find}`);
    texts[file] = (texts[file] ?? "").split(find).join(replace);
  }
  return texts;
}

/** Stores a Router's code where the tests load it from, so that nothing is compiled again. */
function install(scratch: string, sources: Readonly<Record<string, string>>): void {
  const router = compileTexts(sources).get("DepositRouter");
  if (router === undefined) throw new Error("no DepositRouter in the mutant");
  const path = join(scratch, ARTIFACT);
  const artifact = JSON.parse(readFileSync(path, "utf8")) as { bytecode: { object: string } };
  artifact.bytecode.object = router.creationCode;
  writeFileSync(path, JSON.stringify(artifact));
}

/** Returns the name of the first failing test, or null if all pass. Throws if forge fails in another way. */
async function firstFailure(
  scratch: string,
  { args, threads }: { args: readonly string[]; threads: string },
): Promise<string | null> {
  const { code, output } = await forge({
    root: scratch,
    args: ["test", "--threads", threads, ...args],
    settings: {
      FOUNDRY_FUZZ_RUNS: "100",
      FOUNDRY_INVARIANT_RUNS: "16",
      FOUNDRY_INVARIANT_SHRINK_RUN_LIMIT: "0",
    },
    quiet: true,
  });
  if (code === 0) return null;
  const failure = /^\[FAIL[^\n]*?\] (\w+)\(/m.exec(output) ?? /^\s(invariant_\w+)\(/m.exec(output);
  if (failure === null) throw new Error(output);
  return failure[1] ?? null;
}

async function judge(
  scratch: string,
  { mutant, sources, threads }: { mutant: Mutant; sources: Record<string, string>; threads: string },
): Promise<Verdict> {
  try {
    install(scratch, mutate(sources, mutant));
  } catch (error) {
    throw new Error(`${mutant.name} does not compile: ${error instanceof Error ? error.message : error}`);
  }
  const killer = await firstFailure(scratch, { args: OTHERS, threads });
  if (killer !== null && mutant.grave === undefined) return { mutant, killer };
  const invariant = await firstFailure(scratch, { args: INVARIANTS, threads });
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
