import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { unstable_readConfig } from "wrangler";
import { jobNames } from "../src/health/job-runs.ts";
import { jobsByCron } from "../src/jobs.ts";

const root = join(import.meta.dirname, "..");
const jobs = Object.values(jobsByCron).flat(2);

test("jobsByCron has jobs for exactly the cron triggers of the deployment", () => {
  const { crons } = unstable_readConfig({ config: join(root, "wrangler.toml") }).triggers;
  expect([...(crons ?? [])].sort()).toEqual(Object.keys(jobsByCron).sort());
  expect(jobs.every(({ run }) => typeof run === "function")).toBe(true);
});

test("jobsByCron gives every job a unique, listed name and so its own lock", () => {
  expect(jobs.map(({ name }) => name).sort()).toEqual([...jobNames].sort());
  expect(new Set(jobNames).size).toBe(jobs.length);
});

test("jobs.ts imports verbs only", () => {
  const imports = readFileSync(join(root, "src/jobs.ts"), "utf8").match(/from "\.\/[^"]+"/g) ?? [];
  expect(imports.filter((path) => /\/(db|redis|chains|providers|vaults)\//.test(path))).toEqual([]);
});
