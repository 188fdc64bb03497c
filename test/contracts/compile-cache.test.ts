import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import { compileOnce, type ReadImport } from "../../scripts/contracts/compile-cache.ts";

const folder = mkdtempSync(join(tmpdir(), "causeway-compile-"));
afterAll(() => rmSync(folder, { recursive: true }));

const files = new Map<string, string>();
const readImport: ReadImport = (path) => files.get(path) ?? null;
let runs = 0;
beforeEach(() => {
  runs = 0;
  files.clear();
  files.set("a.sol", "contract A {}");
});
/** A compiler that outputs all of its input. */
const compileWith = (input: string) =>
  compileOnce(input, {
    folder,
    readImport,
    run: (read) => {
      runs += 1;
      return `${input}: ${read("a.sol")} ${read("b.sol")}`;
    },
  });

test("compileOnce() compiles the same input once, and again for another input or import", () => {
  expect([compileWith("x"), compileWith("x"), runs]).toEqual([
    "x: contract A {} null",
    "x: contract A {} null",
    1,
  ]);
  expect([compileWith("y"), runs]).toEqual(["y: contract A {} null", 2]);
  files.set("a.sol", "contract A { uint256 x; }");
  expect([compileWith("x"), runs]).toEqual(["x: contract A { uint256 x; } null", 3]);
  // A file that did not exist may now shadow another.
  files.set("b.sol", "contract B {}");
  expect([compileWith("x"), runs]).toEqual(["x: contract A { uint256 x; } contract B {}", 4]);
  expect([compileWith("x"), runs]).toEqual(["x: contract A { uint256 x; } contract B {}", 4]);
});

test("compileOnce() compiles again when a cache entry is incomplete", () => {
  compileWith("z");
  for (const name of readdirSync(folder)) writeFileSync(join(folder, name), '{"imports":[');
  expect([compileWith("z"), compileWith("z"), runs]).toEqual([
    "z: contract A {} null",
    "z: contract A {} null",
    2,
  ]);
});
