import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

interface Manifest {
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}
const read = (file: string) => JSON.parse(readFileSync(file, "utf8")) as Manifest;
const ours = read("package.json");

test("miniflare has the version that wrangler depends on", () => {
  const { dependencies = {} } = read("node_modules/wrangler/package.json");
  expect(dependencies["miniflare"]).toMatch(/^\d/);
  expect(ours.devDependencies?.["miniflare"]).toBe(dependencies["miniflare"]);
});

test("drizzle-kit uses wrangler's esbuild, so that it is installed once", () => {
  const { overrides } = JSON.parse(readFileSync("package.json", "utf8")) as {
    overrides: Record<string, Record<string, string>>;
  };
  const { dependencies = {} } = read("node_modules/wrangler/package.json");
  expect(overrides["drizzle-kit"]?.["esbuild"]).toBe(dependencies["esbuild"]);
});

test("the bundler of the Worker is Vite's, so that it is installed once", () => {
  const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8")) as {
    packages: Record<string, { version?: string }>;
  };
  const installed = Object.keys(packages).filter((path) => path.endsWith("node_modules/rolldown"));
  expect(installed).toEqual(["node_modules/rolldown"]);
  expect(ours.devDependencies?.["rolldown"]).toBe(packages["node_modules/rolldown"]?.version);
});

test("every package has an exact version", () => {
  const versions = Object.values({ ...ours.dependencies, ...ours.devDependencies });
  expect(versions.filter((version) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
});
