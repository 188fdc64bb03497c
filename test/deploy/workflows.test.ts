import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Run, runWorkflow } from "../support/deploy/runner.ts";
import { fillIn, holds, readWorkflow } from "../support/deploy/workflow.ts";

const text = (name: string): string =>
  readFileSync(join(import.meta.dirname, "../../.github/workflows", name), "utf8");

/** Runs a workflow for a pull request from a fork, with all secrets set. */
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

describe("workflow ci", () => {
  test("installs and tests without any secret", async () => {
    const { jobs, steps, npm } = await run("ci.yml");
    expect([jobs, steps, npm]).toEqual([{ test: "success" }, [".ci/run"], ["npm ci", "npm test"]]);
    expect(text("ci.yml")).not.toContain("secrets.");
  });

  test.each([
    ["ci", ["npm ci"]],
    ["test", ["npm ci", "npm test"]],
  ])("fails when npm %s fails", async (npmFails, npm) => {
    expect(await run("ci.yml", { npmFails })).toMatchObject({ jobs: { test: "failure" }, npm });
  });
});

describe("workflow preview", () => {
  test.each(["opened", "synchronize", "reopened", "closed"])(
    "does nothing for a fork's pull request: %s",
    async (action) => {
      const pullRequest = { number: 1, head: { repo: { full_name: "fork/causeway" } } };
      const github = { repository: "owner/causeway", event: { action, pull_request: pullRequest } };
      const { jobs, steps, npm, calls } = await run("preview.yml", { github });
      expect(jobs).toEqual({ up: "skipped", down: "skipped" });
      expect([steps, npm, calls]).toEqual([[], [], []]);
    },
  );
});

describe("workflow deploy", () => {
  const main = { ref: "refs/heads/main", repository: "owner/causeway", sha: "0".repeat(40) };

  test("releases from no branch but main", async () => {
    const { jobs, calls } = await run("deploy.yml");
    expect([jobs, calls]).toEqual([{ test: "success", release: "skipped" }, []]);
  });

  test("releases no version that fails its tests", async () => {
    const { jobs, steps, calls } = await run("deploy.yml", { github: main, npmFails: "test" });
    expect([jobs, steps, calls]).toEqual([{ test: "failure", release: "skipped" }, [".ci/run"], []]);
  });
});

describe("workflow runner of the tests", () => {
  const situation = { github: { ref: "main", event: { number: 5 } }, secrets: { A: "a" } };

  test("replaces known expressions, and unknown ones by an empty text", () => {
    const all = ["github.event.number", "secrets.A", "secrets.B", "github.event.x.y"];
    expect(fillIn(all.map((term) => `\${{ ${term} }}`).join(), situation)).toBe("5,a,,");
    expect(() => fillIn(`\${{ vars.A }}`, situation)).toThrow("not a term: vars.A");
  });

  test("evaluates comparisons and rejects other conditions", () => {
    expect(holds("github.ref == 'main' && github.event.number != 'x'", situation)).toBe(true);
    expect(holds("github.ref == 'main' && secrets.A == 'b'", situation)).toBe(false);
    expect(() => holds("github.ref == 'main' || secrets.A == 'b'", situation)).toThrow("not a comparison");
    expect(() => holds("always()", situation)).toThrow("not a comparison");
  });

  test.each(["continue-on-error: true", "shell: sh", "if: always()"])("rejects a step with %s", (line) => {
    const more = text("ci.yml").replace("- run: .ci/run", `- run: .ci/run\n        ${line}`);
    expect(() => readWorkflow(more)).toThrow();
  });
});
