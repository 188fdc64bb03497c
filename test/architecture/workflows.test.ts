import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

const folder = join(import.meta.dirname, "../../.github/workflows");
const workflows = readdirSync(folder).map(
  (name) => [name, readFileSync(join(folder, name), "utf8")] as const,
);

test("there are five workflows", () => {
  expect(workflows.map(([name]) => name).sort()).toEqual([
    "ci.yml",
    "daily.yml",
    "deploy.yml",
    "preview.yml",
    "stress.yml",
  ]);
});

describe.each(workflows)("%s", (name, text) => {
  const jobs = text
    .slice(text.indexOf("\njobs:"))
    .split(/^ {2}(?=\w+:$)/m)
    .slice(1);

  test("pins every action by commit", () => {
    const used = [...text.matchAll(/uses: (.*)/g)].map(([, what]) => what);
    expect(used.length).toBeGreaterThan(0);
    for (const what of used) expect(what).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  test("grants at most write access to pull requests, per job", () => {
    const granted = [...text.matchAll(/^ +([\w-]+): write$/gm)].map(([, what]) => what);
    expect(new Set(granted)).toEqual(new Set(name === "preview.yml" ? ["pull-requests"] : []));
    expect(text).toMatch(/^permissions:( \{\}|\n {2}contents: read)$/m);
  });

  test("has timeouts, and passes secrets only to single steps of jobs with an environment", () => {
    for (const job of jobs) {
      expect(job).toMatch(/timeout-minutes: \d+/);
      expect(job.split("steps:")[0]).not.toContain("secrets.");
      if (job.includes("secrets.")) expect(job).toMatch(/^ {4}environment: \w+$/m);
    }
  });

  test("runs no untrusted code with secrets and inserts no untrusted text into commands", () => {
    expect(text).not.toContain("pull_request_target");
    for (const [, command] of text.matchAll(/- run: (.*)/g)) expect(command).not.toContain("${{");
    if (text.includes("pull_request:") && text.includes("secrets."))
      for (const job of jobs) expect(job).toMatch(/^ {4}if: .+head\.repo\.full_name == github\.repository$/m);
  });
});
