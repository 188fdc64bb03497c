import { defineConfig } from "vitest/config";

const INTEGRATION = "test/**/*.integration.test.ts";
const E2E = "test/**/*.e2e.test.ts";
const BROWSER = "test/browser/**/*.browser.test.ts";

/**
 * Loading viem and zod anew for each file was three quarters of the work, so the files of one worker share their modules.
 * A file that leaves a server, a process or a changed global behind fails, and the files run in another order each time,
 * so that none depends on another. No test is retried: one that fails now and then shows a defect.
 */
const shared = {
  isolate: false,
  setupFiles: ["test/support/leftover.ts"],
  // Ends what hangs and says nothing about speed: a busy machine needs many times as long for the same work, and a test
  // that is given up goes on beside the next one.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  // What must come is waited for as long: how soon it comes depends on what else the machine does.
  expect: { poll: { timeout: 240_000 } },
};

/** Compiles what `#stand-ins/*` imports; the stack does so itself. */
const STAND_INS = "test/support/stand-ins.ts";

export default defineConfig({
  test: {
    // A CI log keeps only its end, and one test of thousands of rounds would fill it. What failed is printed.
    silent: "passed-only",
    projects: [
      {
        test: {
          ...shared,
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: [INTEGRATION, E2E, BROWSER],
          globalSetup: [STAND_INS],
        },
      },
      {
        // Each file starts the processes it needs: a chain, an emulator, a database.
        test: {
          ...shared,
          name: "integration",
          include: [INTEGRATION],
          globalSetup: [STAND_INS],
        },
      },
      {
        // One embedded stack for all files, driven over HTTP as a user would.
        test: {
          ...shared,
          name: "e2e",
          include: [E2E],
          globalSetup: ["test/support/stack.ts"],
          setupFiles: [...shared.setupFiles, "test/support/stack-left.ts"],
          fileParallelism: false,
        },
      },
      {
        // The console in a real browser, with a wallet that signs on the stack's chains.
        test: {
          ...shared,
          name: "browser",
          include: [BROWSER],
          globalSetup: ["test/support/stack.ts"],
          setupFiles: [...shared.setupFiles, "test/support/stack-left.ts"],
          fileParallelism: false,
        },
      },
    ],
  },
});
