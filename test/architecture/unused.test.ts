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

/** Packages whose use knip cannot see, with the file that uses each and the text that names it there. */
const UNSEEN: Readonly<Record<string, readonly [file: string, mention: string]>> = {
  // Its published bytecode is read from JSON.
  "@across-protocol/contracts": ["scripts/stack/chains/published-code.ts", "@across-protocol/contracts"],
  // Its program is started by path.
  "@foundry-rs/forge": ["scripts/contracts/forge.ts", "@foundry-rs/forge"],
  // Its program is started by path.
  "@hey-api/openapi-ts": [
    "test/openapi/generated-clients.integration.test.ts",
    "@hey-api/openapi-ts/dist/run.mjs",
  ],
  // Its published bytecode is read from JSON.
  "@morpho-org/morpho-blue-bundlers": [
    "scripts/stack/chains/published-code.ts",
    "@morpho-org/morpho-blue-bundlers",
  ],
  // Imported by Solidity.
  "@openzeppelin/contracts": ["scripts/stack/contracts/Vaults.sol", "@openzeppelin/contracts/"],
  // Its program is started by package name.
  "@redocly/cli": ["scripts/openapi.ts", '"@redocly/cli"'],
  // Its script is read as text and written to public/.
  "@scalar/fastify-api-reference": ["scripts/static-assets.ts", "@scalar/fastify-api-reference/dist"],
  // Its script is read as text and run in the browser.
  "axe-core": ["test/support/browser/page-checks.ts", "axe-core/axe.min.js"],
  // Its program is started by path.
  orval: ["test/openapi/generated-clients.integration.test.ts", "orval/dist/bin/orval.mjs"],
  // Its program is started by name.
  publint: ["scripts/client/package.ts", "publint --strict"],
  // Imported by Solidity.
  solmate: ["scripts/stack/contracts/Vaults.sol", "solmate/"],
  // Imported by CSS.
  tailwindcss: ["src/console/console.css", '@import "tailwindcss"'],
};

describe("knip's exceptions", () => {
  test("are listed package by package", () => {
    expect([...settings.ignoreDependencies].sort()).toEqual(Object.keys(UNSEEN).sort());
  });

  test.each(Object.entries(UNSEEN))("%s is used in the listed file", (_name, [file, mention]) => {
    expect(existsSync(file) && readFileSync(file, "utf8").includes(mention)).toBe(true);
  });

  test("include exports that their own file uses", () => {
    expect(settings.ignoreExportsUsedInFile).toBe(true);
  });

  test("include no file of src but the client's package and the Worker's entry, which must reach all others", () => {
    expect(settings.entry.filter((pattern) => pattern.startsWith("src"))).toEqual([
      "src/client/**/*.ts",
      "src/worker.ts",
    ]);
    expect(settings.project).toContain("src/**/*.ts");
  });
});
