/**
 * Changes one or two fields of the providers' responses and of built transactions, and verifies each: every change of
 * amounts, receivers or allowances must be rejected, and every unchanged response accepted. Runs the unit tests of the
 * same name with more mutations.
 *
 *   node scripts/stress/mutations.ts                       12,000 for each provider
 *   node scripts/stress/mutations.ts --count 100000 --seed 42
 */
import { randomInt } from "node:crypto";
import { readArguments } from "../command.ts";
import { runVitest } from "../run-vitest.ts";

const { values: options } = readArguments({
  help: `Mutates fields of the providers' answers and of built transactions and verifies that each change is refused.

  node scripts/stress/mutations.ts [--count 12000] [--seed <number>]

  --count  mutations for each provider
  --seed   seed of the mutations; default: a new one
  --help   show this text`,
  options: {
    count: { type: "string", default: "12000" },
    seed: { type: "string", default: String(randomInt(2 ** 31)) },
  },
});
const files = [
  "test/providers/lifi/verify/verify-lifi-transfer.mutations.test.ts",
  "test/providers/across/verify-across-deposit.mutations.test.ts",
];
const env = { MUTATIONS: options.count, MUTATION_SEED: options.seed };
process.exit(await runVitest(["--project", "unit", ...files], env));
