/** Runs the static checks and the unit tests, the first part of CI. */
import { readArguments } from "./command.ts";
import { runSteps } from "./run-steps.ts";

readArguments({
  help: `Runs the static checks and the unit tests, the first part of CI.

  npm run verify

  --help  show this text

Exits with the code of the first failing step.`,
});
await runSteps("verify", [
  // First, because types, unused code and unit tests need the stand-ins that it compiles.
  { name: "contracts reproducible", command: "node scripts/contracts/build.ts --check" },
  { name: "format and lint", command: "biome check --error-on-warnings ." },
  { name: "layers", command: "node scripts/checks/layers.ts" },
  { name: "structure", command: "node scripts/checks/structure.ts" },
  { name: "size and style", command: "node scripts/checks/style.ts" },
  { name: "types", command: "tsc --noEmit -p tsconfig.json" },
  { name: "types of the console", command: "tsc --noEmit -p tsconfig.console.json" },
  { name: "unused code", command: "knip" },
  { name: "OpenAPI document", command: "node scripts/openapi.ts --check" },
  { name: "client's types", command: "node scripts/client/types.ts --check" },
  { name: "migrations up to date", command: "node scripts/checks/migrations.ts" },
  { name: "migrations only expand", command: "node scripts/checks/expand-only.ts" },
  { name: "unit tests", command: "vitest run --project unit --sequence.shuffle.files" },
]);
