/** Everything: verify, then contracts, integration and end-to-end tests on the embedded stack. */
import { runSteps } from "./run-steps.ts";

await runSteps("test", [
  { name: "verify", command: "node scripts/verify.ts" },
  { name: "contract tests", command: "node scripts/contracts/test.ts" },
  { name: "integration tests", command: "vitest run --project integration" },
  { name: "end-to-end tests", command: "vitest run --project e2e" },
]);
