import { describe, test } from "vitest";
import { checkTree, type Tree } from "../support/planted-tree.ts";

/** A small tree that follows the import table. */
const tidy: Tree = {
  "src/lib/amount.ts": "export const one = 1n;\n",
  "src/errors.ts": "export class AppError extends Error {}\n",
  "src/schemas/vault.ts": 'import { one } from "../lib/amount.ts";\nexport const vault = one;\n',
  "src/db/client.ts": 'import { AppError } from "../errors.ts";\nexport const db = AppError;\n',
  "src/chains/client.ts": 'import { one } from "../lib/amount.ts";\nexport const chain = one;\n',
  "src/vaults/find-vault.ts":
    'import type { Context } from "../context.ts";\nimport { db } from "../db/client.ts";\nexport const list = (_: Context) => db;\n',
  "src/deposits/build/build.ts":
    'import { list } from "../vaults/registry.ts";\nexport const build = list;\n',
  "src/deposits/quote.ts": 'import { build } from "../deposits/build.ts";\nexport const quote = build;\n',
  "src/http/respond.ts": 'import { vault } from "../schemas/vault.ts";\nexport const respond = vault;\n',
  "src/routes/quotes.ts":
    'import { respond } from "../http/respond.ts";\nimport { quote } from "../listings/get-vault.ts";\nexport const route = [respond, quote];\n',
  "src/context.ts": 'import { db } from "./db/client.ts";\nexport type Context = typeof db;\n',
  "src/app.ts": 'import { route } from "./routes/quotes.ts";\nexport const app = route;\n',
};
const check = (planted: Tree = {}) => checkTree("layers.ts", { ...tidy, ...planted });

/** A planted file, its line and the expected problem. */
type Planted = readonly [file: string, line: string, problem: string];
const treeOf = (planted: readonly Planted[]): Tree =>
  Object.fromEntries(planted.map(([file, line]) => [`src/${file}`, `${line}\nexport const planted = 1;\n`]));
const problemsOf = (planted: readonly Planted[]): string[] =>
  planted.map(([file, , problem]) => `src/${file} -> src/${problem}`).sort();

const directions: readonly Planted[] = [
  [
    "lib/x.ts",
    'import { vault } from "../schemas/vault.ts";',
    "schemas/vault.ts: lib (rank 0) may not import schemas (rank 1)",
  ],
  [
    "lib/y.ts",
    'import type { Context } from "../context.ts";',
    "context.ts: lib (rank 0) may not import context.ts (rank 10)",
  ],
  [
    "schemas/x.ts",
    'import { db } from "../db/client.ts";',
    "db/client.ts: schemas (rank 1) may not import db (rank 2)",
  ],
  [
    "db/x.ts",
    'import { chain } from "../chains/client.ts";',
    "chains/client.ts: db (rank 2) may not import chains (rank 2)",
  ],
  [
    "redis/x.ts",
    'import type { Context } from "../context.ts";',
    "context.ts: redis (rank 2) may not import context.ts (rank 10)",
  ],
  [
    "vaults/x.ts",
    'import { build } from "../deposits/build.ts";',
    "deposits/build.ts: vaults (rank 3) may not import deposits (rank 6)",
  ],
  [
    "vaults/y.ts",
    'import { Context } from "../context.ts";',
    "context.ts: vaults (rank 3) may not import context.ts (rank 10)",
  ],
  ["vaults/z.ts", 'import { z } from "../utils/y.ts";', "utils/y.ts: utils is not in the table"],
  [
    "positions/x.ts",
    'import { quote } from "../listings/get-vault.ts";',
    "listings/get-vault.ts: positions (rank 6) may not import listings (rank 6)",
  ],
  [
    "listings/x.ts",
    'import { respond } from "../http/respond.ts";',
    "http/respond.ts: listings (rank 6) may not import http (rank 8)",
  ],
  [
    "http/x.ts",
    'import { list } from "../vaults/registry.ts";',
    "vaults/registry.ts: http may not import vaults",
  ],
  ["http/y.ts", 'import { db } from "../db/client.ts";', "db/client.ts: http may not import db"],
  [
    "http/z.ts",
    'import { route } from "../routes/quotes.ts";',
    "routes/quotes.ts: http may not import routes",
  ],
  [
    "routes/x.ts",
    'import { db } from "../db/client.ts";',
    "db/client.ts: routes may not import db: call a verb",
  ],
  [
    "routes/y.ts",
    'import type { db } from "../db/client.ts";',
    "db/client.ts: routes may not import db: call a verb",
  ],
  [
    "routes/z.ts",
    'import { chain } from "../chains/client.ts";',
    "chains/client.ts: routes may not import chains: call a verb",
  ],
  [
    "routes/v.ts",
    'import { app } from "../app.ts";',
    "app.ts: routes (rank 9) may not import app.ts (rank 10)",
  ],
  ["jobs.ts", 'import { db } from "./db/client.ts";', "db/client.ts: jobs.ts may not import db: call a verb"],
  [
    "openapi/x.ts",
    'import { quote } from "../listings/get-vault.ts";',
    "listings/get-vault.ts: openapi may not import listings",
  ],
  ["utils/x.ts", 'import { one } from "../lib/amount.ts";', "lib/amount.ts: utils is not in the table"],
];

const SHORTCUT = "db/client.ts: routes may not import db: call a verb";
const spellings: readonly Planted[] = [
  ["routes/a.ts", 'export { db } from "../db/client.ts";', SHORTCUT],
  ["routes/b.ts", 'import "../db/client.ts";', SHORTCUT],
  ["routes/c.ts", 'import {\n  db,\n} from "../db/client.ts";', SHORTCUT],
  ["routes/d.ts", "import { db } from '../db/client.ts';", SHORTCUT],
  ["routes/e.ts", 'import * as all from "../db/client.ts";', SHORTCUT],
  ["routes/f.ts", 'export * from "../db/client.ts";', SHORTCUT],
  ["routes/g.ts", 'import { db } from "../../src/db/client.ts";', SHORTCUT],
  ["routes/i.ts", 'const all = await import("../db/client.ts");', SHORTCUT],
  ["routes/j.ts", "  const all = () => import(\n  '../db/client.ts',\n);", SHORTCUT],
  ["routes/k.ts", 'type All = typeof import("../db/client.ts");', SHORTCUT],
  ["routes/h.ts", 'import { one } from "../lib/amount.ts";\nimport { db } from "../db/client.ts";', SHORTCUT],
];

describe("layers.ts", { concurrent: true }, () => {
  test("accepts a tree that follows the import table", async ({ expect }) => {
    expect(await check()).toEqual({
      code: 0,
      problems: [],
      said: "layers: 12 files, 12 imports, no violation, no cycle",
    });
  });

  test("reports every forbidden import with its rule", async ({ expect }) => {
    const { code, problems } = await check(treeOf(directions));
    expect([code, problems.sort()]).toEqual([1, problemsOf(directions)]);
  });

  test("reports a forbidden import in every syntax", async ({ expect }) => {
    const { code, problems } = await check(treeOf(spellings));
    expect([code, problems.sort()]).toEqual([1, problemsOf(spellings)]);
  });

  test("reports a cycle within a folder", async ({ expect }) => {
    const { code, problems } = await check({
      "src/lib/a.ts": 'import { b } from "./b.ts";\nexport const a = b;\n',
      "src/lib/b.ts": 'import { c } from "./c.ts";\nexport const b = c;\n',
      "src/lib/c.ts": 'import { a } from "./a.ts";\nexport const c = a;\n',
    });
    const named = "cycle: src/lib/a.ts -> src/lib/b.ts -> src/lib/c.ts -> src/lib/a.ts";
    expect([code, problems]).toEqual([1, [named]]);
  });

  test("reports a cycle of type imports", async ({ expect }) => {
    const planted = {
      "src/lib/a.ts": 'import type { B } from "./b.ts";\nexport type A = B;\n',
      "src/lib/b.ts": 'import type { A } from "./a.ts";\nexport type B = A;\n',
    };
    const named = "cycle: src/lib/a.ts -> src/lib/b.ts -> src/lib/a.ts";
    expect(await check(planted)).toMatchObject({ code: 1, problems: [named] });
  });
});
