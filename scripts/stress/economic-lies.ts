/**
 * Draws lies of several fields by the providers, alone and together, and lets the service evaluate each. None may be
 * accepted that takes more than the user allows. Runs the unit test of the same name with more lies.
 *
 *   node scripts/stress/economic-lies.ts                       20,000 lies
 *   node scripts/stress/economic-lies.ts --count 100000 --seed 42
 */
import { randomInt } from "node:crypto";
import { readArguments } from "../command.ts";
import { runVitest } from "../run-vitest.ts";

const { values: options } = readArguments({
  help: `Draws consistent lies of the providers and verifies that none takes more than the user allows.

  node scripts/stress/economic-lies.ts [--count 20000] [--seed <number>]

  --count  number of lies
  --seed   seed of the lies; default: a new one
  --help   show this text`,
  options: {
    count: { type: "string", default: "20000" },
    seed: { type: "string", default: String(randomInt(2 ** 31)) },
  },
});
const files = ["test/orders/order-fairness-rules.lies.test.ts"];
const env = { LIES: options.count, LIE_SEED: options.seed };
process.exit(await runVitest(["--project", "unit", ...files], env));
