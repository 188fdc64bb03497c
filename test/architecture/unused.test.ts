import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import * as z from "zod";

const Settings = z.strictObject({
  $schema: z.string(),
  entry: z.array(z.string()),
  project: z.array(z.string()),
  ignoreExportsUsedInFile: z.boolean(),
  ignoreDependencies: z.array(z.string()),
});
const settings = Settings.parse(JSON.parse(readFileSync("knip.json", "utf8")));

/** Packages that knip cannot see in use, each with the file that uses it and how it names it there. */
const UNSEEN: Readonly<Record<string, readonly [file: string, mention: string]>> = {
  // Bytecode that was published is read out of its JSON.
  "@across-protocol/contracts": ["scripts/stack/chains/published-code.ts", "@across-protocol/contracts"],
  // Its program is started by path.
  "@foundry-rs/forge": ["scripts/contracts/forge.ts", "@foundry-rs/forge"],
  // Bytecode that was published is read out of its JSON.
  "@morpho-org/morpho-blue-bundlers": [
    "scripts/stack/chains/published-code.ts",
    "@morpho-org/morpho-blue-bundlers",
  ],
  // Imported by Solidity.
  "@openzeppelin/contracts": ["scripts/stack/contracts/Vaults.sol", "@openzeppelin/contracts/"],
  // Its program is started by its package's name.
  "@redocly/cli": ["scripts/openapi.ts", '"@redocly/cli"'],
  // A string of it is written into public/.
  "@scalar/fastify-api-reference": ["scripts/static-assets.ts", "@scalar/fastify-api-reference/dist"],
  // Imported by Solidity.
  solmate: ["scripts/stack/contracts/Vaults.sol", "solmate/"],
};

describe("what the search for unused code passes over", () => {
  test("is known, package by package", () => {
    expect([...settings.ignoreDependencies].sort()).toEqual(Object.keys(UNSEEN).sort());
  });

  test.each(Object.entries(UNSEEN))("%s is in use where it is said to be", (_name, [file, mention]) => {
    expect(existsSync(file) && readFileSync(file, "utf8").includes(mention)).toBe(true);
  });

  test("is, of exports, what a file uses itself: schemas and types are exported for their names", () => {
    expect(settings.ignoreExportsUsedInFile).toBe(true);
  });

  test("is no file of src: every one must be reached from the worker", () => {
    expect(settings.entry.filter((pattern) => pattern.startsWith("src"))).toEqual([]);
    expect(settings.project).toContain("src/**/*.ts");
  });
});
