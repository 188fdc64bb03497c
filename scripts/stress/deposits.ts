/**
 * Makes random deposits into every kind of local vault on a chain: the end-to-end test of the same name with more
 * runs.
 *
 *   node scripts/stress/deposits.ts
 *   node scripts/stress/deposits.ts --runs 5000
 */
import { readArguments } from "../command.ts";
import { runVitest } from "../run-vitest.ts";

const { values: options } = readArguments({
  help: `Makes random deposits into every kind of local vault on a chain.

  node scripts/stress/deposits.ts [--runs 1000]

  --runs  number of deposits
  --help  show this text`,
  options: { runs: { type: "string", default: "1000" } },
});
process.exit(
  await runVitest(["--project", "e2e", "test/e2e/deposits/random"], { RANDOM_DEPOSITS: options.runs }),
);
