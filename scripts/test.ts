/**
 * Everything: verify, then the end-to-end tests on the embedded stack and, beside them, contracts and integration tests.
 * Each of the two lanes waits for its own processes about as long as it computes.
 */
import { runSteps } from "./run-steps.ts";

await runSteps("test", [
  { name: "verify", command: "node scripts/verify.ts" },
  [
    [{ name: "end-to-end tests", command: "vitest run --project e2e" }],
    [
      { name: "contract tests", command: "node scripts/contracts/test.ts" },
      { name: "integration tests", command: "vitest run --project integration" },
    ],
  ],
]);
