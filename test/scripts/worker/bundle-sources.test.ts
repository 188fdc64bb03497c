import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type BundledModule, bundleSources } from "../../../scripts/worker/bundle-sources.ts";

const sourcesOf = (modules: readonly BundledModule[]): string[] => modules.flatMap(({ sources }) => sources);

describe("bundleSources()", () => {
  let root = "";
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const written = (): Record<string, string> => {
    const folder = join(root, ".cache/bundled");
    return Object.fromEntries(
      readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), "utf8")]),
    );
  };

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "causeway-bundle-"));
    write(
      "src/worker.ts",
      'import { one } from "./one.ts";\nexport default [one, () => import("./late.ts")];',
    );
    write("src/one.ts", 'export const one: string[] = ["ONE"];\nexport const two = "UNUSED";');
    write(
      "src/late.ts",
      'import { z } from "named";\nexport const late = z.int().meta({ id: "DESCRIBED" });',
    );
    write(
      "node_modules/named/package.json",
      '{ "exports": { "node": "./node.js", "workerd": "./workerd.js" } }',
    );
    write("node_modules/named/workerd.js", "export const z = globalThis.WORKERD;");
    write("node_modules/named/node.js", "export const z = globalThis.NODE;");
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  test("bundles what is used, in one module for all that is loaded together", async () => {
    const modules = await bundleSources(root);
    const [entry, late, ...rest] = modules.toSorted((a, b) => b.file.localeCompare(a.file));
    expect(rest).toEqual([]);
    expect(entry).toEqual({ file: "worker.js", imports: [], sources: ["src/one.ts", "src/worker.ts"] });
    expect(late?.sources).toEqual(["node_modules/named/workerd.js", "src/late.ts"]);
    const files = written();
    expect(Object.keys(files).sort()).toEqual([late?.file, "worker.js"]);
    const code = Object.values(files).join("\n");
    for (const text of ["ONE", "WORKERD"]) expect(code).toContain(text);
    for (const text of ["UNUSED", "DESCRIBED", "NODE", ": string"]) expect(code).not.toContain(text);
  });

  test("removes the modules of an earlier build", async () => {
    await bundleSources(root);
    const before = Object.keys(written());
    write("src/late.ts", "export const late = 1;");
    const after = (await bundleSources(root)).map(({ file }) => file);
    expect(after.toSorted()).not.toEqual(before.toSorted());
    expect(Object.keys(written()).sort()).toEqual(after.toSorted());
  });

  test.each([
    [
      "a file of the client",
      'export * from "./client/a.ts";',
      "src/client/a.ts is not a source of the Worker",
    ],
    ["a script", 'export * from "../scripts/a.ts";', "scripts/a.ts is not a source of the Worker"],
    ["a package that is not installed", 'export * from "absent";', "absent"],
    ["a name that does not exist", 'import { none } from "./one.ts";\nexport default none;', "none"],
    ["a file that does not parse", "export default (;", "worker.ts"],
  ])("refuses %s", async (_what, text, message) => {
    write("src/client/a.ts", "export const a = 1;");
    write("scripts/a.ts", "export const a = 1;");
    write("src/worker.ts", text);
    await expect(bundleSources(root)).rejects.toThrow(message);
  });
});

describe("the Worker's bundle", () => {
  test("contains no other language of zod, no generator of the document, and no code of routes in its start", async () => {
    const modules = await bundleSources(process.cwd());
    const sources = sourcesOf(modules);
    expect(sources.filter((file) => file.endsWith("zod/v4/locales/en.js"))).toHaveLength(1);
    const needless =
      /zod-(to-)?openapi|src\/openapi\/(?!docs-pages|rendered-docs-pages|docs-page-layout)|zod\/v4\/locales\/(?!en\.|index\.)/;
    expect(sources.filter((file) => needless.test(file))).toEqual([]);
    const loaded = new Set(["worker.js"]);
    for (const file of loaded)
      for (const next of modules.find((one) => one.file === file)?.imports ?? []) loaded.add(next);
    const start = sourcesOf(modules.filter(({ file }) => loaded.has(file)));
    expect(start).toContain("src/app.ts");
    const late =
      /^src\/(?:db\/open-drizzle|routes|schemas|listings|deposits|flows|history|orders|positions|registry|signals|vaults|providers|router|jobs\b)/;
    expect(sources.filter((file) => late.test(file)).length).toBeGreaterThan(100);
    expect(start.filter((file) => late.test(file))).toEqual([]);
  });
});
