import { defineConfig } from "vitest/config";
import { FlakyReporter } from "./test/support/flaky-reporter.ts";

const INTEGRATION = "test/**/*.integration.test.ts";
const E2E = "test/**/*.e2e.test.ts";

/** Tests of real processes, clocks and sockets are run once more when they fail; what that saves is named. */
const SECOND_TRY = 1;

/** Compiles what `#stand-ins/*` imports; the stack does so itself. */
const STAND_INS = "test/support/stand-ins.ts";

export default defineConfig({
  test: {
    reporters: ["default", new FlakyReporter()],
    projects: [
      {
        test: {
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: [INTEGRATION, E2E],
          globalSetup: [STAND_INS],
          // Some load half the program or hash for a while, which a busy machine takes several times as long for.
          testTimeout: 30_000,
          // Loading viem and zod anew for each file was three quarters of the work. Files of one worker share their
          // modules instead; `npm run verify` runs them in another order each time, so that none leans on another.
          isolate: false,
        },
      },
      {
        // Each file starts the processes it needs: a chain, an emulator, a database. Modules are shared as above.
        test: {
          name: "integration",
          include: [INTEGRATION],
          globalSetup: [STAND_INS],
          testTimeout: 30_000,
          hookTimeout: 60_000,
          retry: SECOND_TRY,
          isolate: false,
        },
      },
      {
        // One embedded stack for all files, driven over HTTP as a user would; modules are shared as above.
        test: {
          name: "e2e",
          include: [E2E],
          globalSetup: ["test/support/stack.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          retry: SECOND_TRY,
          fileParallelism: false,
          isolate: false,
        },
      },
    ],
  },
});
