import type { Reporter, TestModule } from "vitest/node";

/**
 * Names every test that passed only when it was run again, after all else was printed: one second try keeps a hiccup
 * of the machine from stopping a release, and this keeps the hiccup in sight.
 */
export class FlakyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const flaky = modules.flatMap(({ children, moduleId }) =>
      [...children.allTests("passed")]
        .filter((test) => test.diagnostic()?.flaky === true)
        .map((test) => `  ${moduleId} > ${test.fullName}`),
    );
    if (flaky.length > 0) console.warn(`\nPassed only at the second try:\n${flaky.join("\n")}\n`);
  }
}
