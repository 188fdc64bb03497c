/**
 * Changes one or two fields of the providers' answers and of built transactions, and verifies each: all that change
 * money or authority must be refused, and none that is unchanged.
 *
 *   node scripts/stress/mutations.ts                       12,000 for each provider
 *   node scripts/stress/mutations.ts --count 100000 --seed 42
 */
import { randomInt } from "node:crypto";
import { findDepositDifferences } from "../../src/providers/across/verify-deposit.ts";
import { built, kinds } from "../../test/support/across/built.ts";
import { runAcrossMutations } from "../../test/support/across/mutations.ts";
import { answerOf } from "../../test/support/lifi/answers.ts";
import { verifyAnswer } from "../../test/support/lifi/harness.ts";
import { type MutationRun, runMutations } from "../../test/support/lifi/mutations.ts";
import { scenarios } from "../../test/support/lifi/scenarios.ts";
import { readArguments } from "../command.ts";

const { values: options } = readArguments({
  help: `Changes fields of the providers' answers and of built transactions, and verifies each.

  node scripts/stress/mutations.ts [--count 12000] [--seed <number>]

  --count  how many for each provider
  --seed   of what is changed; another one each time
  --help   show this text`,
  options: {
    count: { type: "string", default: "12000" },
    seed: { type: "string", default: String(randomInt(2 ** 31)) },
  },
});

/** Whatever is unchanged must pass; throws where it does not. */
function acceptUnchanged(): number {
  for (const scenario of scenarios) verifyAnswer(scenario.request, answerOf(scenario));
  for (const [name, change, integratorId] of kinds) {
    const { transaction, expected } = built(change, integratorId);
    const found = findDepositDifferences(transaction, expected);
    if (found.length > 0) throw new Error(`${name} was refused: ${found.join(", ")}`);
  }
  return scenarios.length + kinds.length;
}

const given = { count: Number(options.count), seed: Number(options.seed) };
const unchanged = acceptUnchanged();
const runs: [string, MutationRun][] = [
  ["lifi", runMutations(given)],
  ["across", runAcrossMutations(given)],
];
for (const [name, { tried, refused, harmless, violations }] of runs) {
  console.log(
    `  ${name.padEnd(8)} ${tried} tried, ${refused} refused, ${harmless} harmless, ${violations.length} wrong`,
  );
  for (const violation of violations.slice(0, 10)) console.log(`    ${violation.slice(0, 300)}`);
}
const sum = (count: (run: MutationRun) => number) => runs.reduce((total, [, run]) => total + count(run), 0);
const wrong = sum(({ violations }) => violations.length);
console.log(
  `${sum(({ tried }) => tried)} mutations, ${sum(({ refused }) => refused)} refused, ${wrong} wrong, ` +
    `${unchanged} unchanged accepted, seed ${options.seed}`,
);
process.exit(wrong === 0 ? 0 : 1);
