import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Run, runWorkflow } from "../support/deploy/runner.ts";
import { fillIn, holds, readWorkflow } from "../support/deploy/workflow.ts";

const text = (name: string): string =>
  readFileSync(join(import.meta.dirname, "../../.github/workflows", name), "utf8");

/** A workflow that somebody with a repository of his own starts by a pull request, all secrets being set. */
const run = (workflow: string, change: Partial<Run> = {}) =>
  runWorkflow({
    workflow,
    github: {
      ref: "refs/pull/1/merge",
      repository: "owner/causeway",
      sha: "0".repeat(40),
      event: {
        action: "opened",
        pull_request: { number: 1, head: { repo: { full_name: "fork/causeway" } } },
      },
    },
    secrets: { NEON_API_KEY: "k3y", DATABASE_URL: "postgresql://owner@db/causeway" },
    env: {},
    plan: {},
    ...change,
  });

describe("ci", () => {
  test("installs, then tests, and asks for no secret whoever started it", async () => {
    const { jobs, steps, npm } = await run("ci.yml");
    expect([jobs, steps, npm]).toEqual([{ test: "success" }, [".ci/run"], ["npm ci", "npm test"]]);
    expect(text("ci.yml")).not.toContain("secrets.");
  });

  test.each([
    ["ci", ["npm ci"]],
    ["test", ["npm ci", "npm test"]],
  ])("fails where npm %s does", async (npmFails, npm) => {
    expect(await run("ci.yml", { npmFails })).toMatchObject({ jobs: { test: "failure" }, npm });
  });
});

describe("preview", () => {
  test.each(["opened", "synchronize", "reopened", "closed"])(
    "does nothing for a fork's pull request, %s",
    async (action) => {
      const pullRequest = { number: 1, head: { repo: { full_name: "fork/causeway" } } };
      const github = { repository: "owner/causeway", event: { action, pull_request: pullRequest } };
      const { jobs, steps, npm, calls } = await run("preview.yml", { github });
      expect(jobs).toEqual({ up: "skipped", down: "skipped" });
      expect([steps, npm, calls]).toEqual([[], [], []]);
    },
  );
});

describe("deploy", () => {
  const main = { ref: "refs/heads/main", repository: "owner/causeway", sha: "0".repeat(40) };

  test("releases nothing from another branch", async () => {
    const { jobs, calls } = await run("deploy.yml");
    expect([jobs, calls]).toEqual([{ test: "success", release: "skipped" }, []]);
  });

  test("releases nothing that fails its tests", async () => {
    const { jobs, steps, calls } = await run("deploy.yml", { github: main, npmFails: "test" });
    expect([jobs, steps, calls]).toEqual([{ test: "failure", release: "skipped" }, [".ci/run"], []]);
  });
});

describe("what runs them", () => {
  const situation = { github: { ref: "main", event: { number: 5 } }, secrets: { A: "a" } };

  test("fills in what is there, and nothing for what is not", () => {
    const all = ["github.event.number", "secrets.A", "secrets.B", "github.event.x.y"];
    expect(fillIn(all.map((term) => `\${{ ${term} }}`).join(), situation)).toBe("5,a,,");
    expect(() => fillIn(`\${{ vars.A }}`, situation)).toThrow("this is no term: vars.A");
  });

  test("compares, and refuses what is no comparison", () => {
    expect(holds("github.ref == 'main' && github.event.number != 'x'", situation)).toBe(true);
    expect(holds("github.ref == 'main' && secrets.A == 'b'", situation)).toBe(false);
    expect(() => holds("github.ref == 'main' || secrets.A == 'b'", situation)).toThrow("no comparison");
    expect(() => holds("always()", situation)).toThrow("no comparison");
  });

  test.each(["continue-on-error: true", "shell: sh", "if: always()"])("refuses a step with %s", (line) => {
    const more = text("ci.yml").replace("- run: .ci/run", `- run: .ci/run\n        ${line}`);
    expect(() => readWorkflow(more)).toThrow();
  });
});
