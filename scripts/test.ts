/**
 * Runs everything: verify, then the end-to-end and the browser tests on local stacks in parallel with contract and integration
 * tests. Each of the two lanes spends about as much time waiting for its processes as computing.
 */
import { readArguments } from "./command.ts";
import { runSteps } from "./run-steps.ts";

readArguments({
  help: `Runs everything: verify, then contract, integration, end-to-end and browser tests on the local stack.

  npm test

  --help  show this text

Test files run in random order; --sequence.seed with the seed that vitest prints first repeats an order.
One file: vitest run --project unit|integration|e2e|browser <path>. Exits with the code of the first failing step.`,
});
await runSteps("test", [
  { name: "verify", command: "node scripts/verify.ts" },
  [
    [
      { name: "end-to-end tests", command: "vitest run --project e2e --sequence.shuffle.files" },
      { name: "browser tests", command: "vitest run --project browser --sequence.shuffle.files" },
    ],
    [
      { name: "contract tests", command: "node scripts/contracts/test.ts" },
      { name: "integration tests", command: "vitest run --project integration --sequence.shuffle.files" },
    ],
  ],
]);
