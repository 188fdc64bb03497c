/**
 * Long tests of the contracts, part of `npm run stress`: fuzzing and invariants with many runs and a fresh seed, then
 * mutation testing of the Router.
 *
 *   node scripts/contracts/stress.ts                      everything
 *   node scripts/contracts/stress.ts --only fuzz          or invariants, or mutants
 *   node scripts/contracts/stress.ts --only mutants --match allowance
 *
 * Fails when a test fails, a mutant survives without a reason in its table, a mutant with a reason is killed, fewer
 * than 95 % are killed, or the invariants alone miss a grave mutant.
 */
import { randomBytes } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { readArguments } from "../command.ts";
import { forge } from "./forge.ts";
import { runMutants } from "./run-mutants.ts";

/** Number of handler calls in one invariant run. */
const DEPTH = 400;

const { values: options } = readArguments({
  help: `Fuzzes the contracts with many runs and a new seed, then checks the Router's tests with mutants.

  node scripts/contracts/stress.ts [--only fuzz|invariants|mutants] [--match <text>] [--fuzz-calls 10000000] [--calls 1000000] [--seed 0x…] [--threads 1] [--shard 1/1]

  --only        one part only
  --match       only mutants whose name contains this
  --fuzz-calls  calls of all properties together; default: 10000000
  --calls       calls of the invariants' handler; default: 1000000
  --seed        seed of the random inputs; default: a new one
  --threads     threads of forge; default: 1
  --shard       part of the mutants, such as 2/4; default: 1/1
  --help        show this text`,
  options: {
    only: { type: "string" },
    match: { type: "string", default: "" },
    "fuzz-calls": { type: "string", default: "10000000" },
    calls: { type: "string", default: "1000000" },
    seed: { type: "string", default: `0x${randomBytes(8).toString("hex")}` },
    threads: { type: "string", default: "1" },
    shard: { type: "string", default: "1/1" },
  },
});
const wanted = (part: string): boolean => options.only === undefined || options.only === part;

/** Runs the matching tests with these settings; returns true when all pass. */
async function long(
  args: readonly string[],
  run: { what: string; settings: Record<string, string> },
): Promise<boolean> {
  const started = performance.now();
  const { code } = await forge({
    root: ".",
    args: ["test", ...args, "--threads", options.threads],
    settings: { ...run.settings, FOUNDRY_FUZZ_SEED: options.seed },
  });
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  console.log(`${run.what}: ${code === 0 ? "passed" : "FAILED"}, seed ${options.seed}, ${seconds} s`);
  return code === 0;
}

/** Counts the fuzzed properties of all suites. */
function countProperties(): number {
  const texts = globSync("test/contracts/*.t.sol").map((file) => readFileSync(file, "utf8"));
  return texts.join("\n").match(/function testFuzz_/g)?.length ?? 0;
}

async function fuzz(): Promise<boolean> {
  const properties = countProperties();
  const runs = Math.ceil(Number(options["fuzz-calls"]) / properties);
  const what = `${properties} properties, ${runs * properties} fuzz calls`;
  return long(["--match-test", "testFuzz_"], { what, settings: { FOUNDRY_FUZZ_RUNS: `${runs}` } });
}

async function invariants(): Promise<boolean> {
  const runs = Math.ceil(Number(options.calls) / DEPTH);
  const settings = { FOUNDRY_INVARIANT_RUNS: `${runs}`, FOUNDRY_INVARIANT_DEPTH: `${DEPTH}` };
  return long(["--match-contract", "InvariantsTest"], {
    what: `invariants, ${runs * DEPTH} calls`,
    settings,
  });
}

const [index = 1, count = 1] = options.shard.split("/").map(Number);
let passed = true;
if (wanted("fuzz")) passed = (await fuzz()) && passed;
if (wanted("invariants")) passed = (await invariants()) && passed;
if (wanted("mutants")) {
  const { match, threads } = options;
  passed = (await runMutants({ match, threads, shard: { index: index - 1, count } })) && passed;
}
process.exit(passed ? 0 : 1);
