import { describe, test } from "vitest";
import { checkTree, type Tree } from "../support/planted-tree.ts";

/** A documented export of the given number of lines. */
const module = (name: string, lines = 2): string =>
  `/** A constant. */\nexport const ${name} = 1;\n${"// a line\n".repeat(lines - 2)}`;
/** A documented function of the given number of lines. */
const longFunction = (name: string, lines: number): string =>
  `/** A function. */\nexport function ${name}() {\n${"  // a line\n".repeat(lines - 2)}}\n`;
const numbered = (count: number, file: (index: number) => readonly [path: string, text: string]): Tree =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => file(index)));

/** Two folders; `shared.ts` has two importers, and every export has a docstring and a name of its own. */
const tidy: Tree = {
  "src/lib/shared.ts": module("shared"),
  "src/lib/first.ts": `import { shared } from "./shared.ts";\n/** A constant. */\nexport const first = shared;\n`,
  "src/chains/second.ts": `import { shared } from "../lib/shared.ts";\n/** A function. */\nexport const second = () => shared;\n`,
};
const check = (planted: Tree = {}) => checkTree("structure.ts", { ...tidy, ...planted });

describe("structure.ts", { concurrent: true }, () => {
  test("accepts a tidy tree", async ({ expect }) => {
    expect(await check()).toEqual({
      code: 0,
      problems: [],
      said: "structure: 3 files; 0 small ones with one importer; functions of 1 lines at the median, 1 at nine in ten, 1 at most; 100 % of the exports documented",
    });
  });

  test("reports a folder with more than 25 files", async ({ expect }) => {
    const fill = (count: number) =>
      numbered(count, (index) => [`src/catalog/file${index}.ts`, module(`name${index}`)]);
    expect((await check(fill(25))).problems).toEqual([]);
    expect(await check(fill(26))).toMatchObject({
      code: 1,
      problems: ["src/catalog: 26 files, at most 25"],
    });
  });

  test("reports a tiny file beside its only importer", async ({ expect }) => {
    const importer =
      'import { part } from "../lib/part.ts";\n/** A constant. */\nexport const whole = part;\n';
    const beside = importer.replace("../lib", ".");
    expect(
      (await check({ "src/lib/part.ts": module("part", 20), "src/lib/whole.ts": beside })).problems,
    ).toEqual(["src/lib/part.ts: 20 lines, imported only by src/lib/whole.ts: merge them"]);
    for (const planted of [
      { "src/lib/part.ts": module("part", 21), "src/lib/whole.ts": beside },
      { "src/lib/part.ts": module("part"), "src/chains/whole.ts": importer },
    ])
      expect((await check(planted)).problems).toEqual([]);
  });

  test("reports more than 60 small files with one importer", async ({ expect }) => {
    const parts = numbered(61, (index) => [`src/p${index % 3}/part${index}.ts`, module(`part${index}`, 21)]);
    const imports = Object.keys(parts).map((file) => `import "../${file.slice(4)}";\n`);
    const { problems } = await check({ ...parts, "src/whole/whole.ts": imports.join("") });
    expect(problems).toEqual(["src: 61 files of up to 60 lines have one importer, at most 60"]);
  });

  test("reports a file name that occurs twice", async ({ expect }) => {
    expect((await check({ "src/chains/shared.ts": module("another") })).problems).toEqual([
      "shared.ts is the name of src/chains/shared.ts and src/lib/shared.ts",
    ]);
  });

  test("reports a name that two files export, and no default export", async ({ expect }) => {
    const { problems } = await check({
      "src/chains/other.ts": module("shared"),
      "src/chains/a.ts": "/** A constant. */\nexport default 1;\n",
      "src/chains/b.ts": "/** A constant. */\nexport default 2;\n",
    });
    expect(problems).toEqual(["shared is exported by src/chains/other.ts and src/lib/shared.ts"]);
  });

  test("reports a function of more than 80 lines by its line", async ({ expect }) => {
    const short = `/** Functions. */\nexport const many = [${"() => 1,".repeat(30)}];\n`;
    const planted = (lines: number) => ({
      "src/lib/many.ts": short,
      "src/lib/long.ts": longFunction("long", lines),
    });
    expect((await check(planted(80))).problems).toEqual([]);
    expect((await check(planted(81))).problems).toEqual([
      "src/lib/long.ts:2: a function of 81 lines, at most 80",
    ]);
  });

  test("reports functions that are long on the whole", async ({ expect }) => {
    const planted = numbered(5, (index) => [`src/lib/f${index}.ts`, longFunction(`f${index}`, 26)]);
    expect((await check(planted)).problems).toEqual([
      "src: nine functions in ten have up to 26 lines, at most 25",
    ]);
  });

  test("reports undocumented exports by name when fewer than 90 % have a docstring", async ({ expect }) => {
    const documented = numbered(7, (index) => [`src/db/d${index}.ts`, module(`d${index}`)]);
    const bare = { "src/db/bare.ts": "// No docstring.\nexport const bare = 1;\n" };
    expect((await check({ ...documented, ...bare })).problems).toEqual([]);
    expect((await check(bare)).problems).toEqual([
      "src: 75 % of the exports have a docstring, at least 90 %",
      "src/db/bare.ts: bare has no docstring",
    ]);
  });

  test("ignores generated files", async ({ expect }) => {
    const planted = {
      "src/db/artifact.ts": "export const shared = 1;\n",
      "src/db/schema.generated.ts": "export const shared = 1;\n",
    };
    expect((await check(planted)).problems).toEqual([]);
  });
});
