import { globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { leanSource } from "../../../scripts/worker/lean-source.ts";
import { isWorkerSource } from "../../../scripts/worker/worker-sources.ts";

const workerFiles = globSync("src/**/*.ts").filter((file) => isWorkerSource(file));

describe("leanSource()", () => {
  test.each([
    ['const a = z.int().meta({ description: "é — one" });', "const a = z.int();"],
    ["z.string().meta({ example: '.meta({})' }).nullable();", "z.string().nullable();"],
    ['z.object({ a: A.meta({ id: "A" }), b: B }).meta({ id: "C" });', "z.object({ a: A, b: B });"],
    [
      'z\n  .int()\n  .meta({\n    description: "one",\n  })\n  .nullable();',
      "z\n  .int()\n\n\n\n  .nullable();",
    ],
    // Not zod's description of a schema.
    ["import.meta.url; other.meta(); other.meta(name);", "import.meta.url; other.meta(); other.meta(name);"],
    ['const text = "z.int().meta({})";', 'const text = "z.int().meta({})";'],
    [
      'defineRoute({ operationId: "a.b", path: "/a", summary: "A", tag: "T", response: { schema: S, description: "R", status: 201 }, errors: [...E], handler });',
      'defineRoute({ path: "/a", response: { schema: S, status: 201 }, handler });',
    ],
    [
      'const t = { a: { status: 404, title: "A", retryable: false }, b: { retryable: true } };',
      'const t = { a: { status: 404, title: "A", }, b: { retryable: true } };',
    ],
    ["defineRoute({ ...a, response, summary });", "defineRoute({ ...a, response, });"],
    [
      'other({ summary: "A", response: { description: "B" } });',
      'other({ summary: "A", response: { description: "B" } });',
    ],
    [
      'pgTable("a", { b: text("b").$type<B>().notNull().references(() => c.d) }, (t) => [index("i").on(t.b)]);',
      'pgTable("a", { b: text("b") });',
    ],
    ['isNotNull(a.b); pgTable("a", columns);', 'isNotNull(a.b); pgTable("a", columns);'],
  ])("turns %j into %j", (text, rest) => {
    expect(leanSource("some.ts", text).replace(/^ +$/gm, "")).toBe(rest);
  });

  test.each([
    [
      "raw`\n  select a,\n    'b  c'\n  from @{t}\n  where x = @{1}`;",
      "raw` select a, 'b  c' from @{t} where x = @{1}`\n\n\n\n;",
    ],
    ["raw`a @{raw`\n b`}\n c`.d;", "raw`a @{raw` b`\n} c`\n.d;"],
    // Where whitespace has a meaning, it stays.
    ["raw`a -- b\n c`;", "raw`a -- b\n c`;"],
    ["raw`a /* b\n */ c`;", "raw`a /* b\n */ c`;"],
    ["raw`a = 'b\n c'`;", "raw`a = 'b\n c'`;"],
    ["raw`a = '@{b}\n c'`;", "raw`a = '@{b}\n c'`;"],
    ['raw`a "b\n c"`;', 'raw`a "b\n c"`;'],
    ["raw`a = $$b\n c$$`;", "raw`a = $$b\n c$$`;"],
    ["raw`a\\n\n c`;", "raw`a\\n\n c`;"],
    ["other`a\n c`;", "other`a\n c`;"],
    // An empty string is balanced.
    ["raw`a = ''\n and b = 'c'`;", "raw`a = '' and b = 'c'`\n;"],
  ])("turns the SQL of %j into %j", (text, rest) => {
    const [given, wanted] = [text, rest].map((code) => code.replaceAll("@{", "${"));
    expect(leanSource("some.ts", given ?? "")).toBe(wanted);
  });

  test("throws on a module that cannot be parsed", () => {
    expect(() => leanSource("some.ts", "z.int().meta({ ;")).toThrow("some.ts");
  });

  test("leaves no documentation in the Worker's modules", () => {
    const shortened = workerFiles.filter((file) =>
      /\.meta\(\{|defineRoute\(/.test(readFileSync(file, "utf8")),
    );
    expect(shortened.length).toBeGreaterThan(40);
    for (const file of shortened) {
      const rest = leanSource(file, readFileSync(file, "utf8"));
      const code = rest.replace(/^\s*(?:\*|\/\/).*$/gm, "");
      expect([file, /\.meta\(|^\s*operationId:/m.exec(code)]).toEqual([file, null]);
    }
  });

  test("leaves every line at its number, and no more of an SQL text than spaces out", () => {
    for (const file of workerFiles) {
      const text = readFileSync(file, "utf8");
      const rest = leanSource(file, text);
      expect([file, rest.split("\n").length]).toEqual([file, text.split("\n").length]);
      if (!file.startsWith("src/db/queries/")) continue;
      const words = (code: string): string => code.replaceAll(/\s+/g, "");
      expect([file, words(rest)]).toEqual([file, words(text)]);
    }
  });

  // A text that a response contained would be missing in the Worker alone. Its types keep the Worker from reading a
  // route's documentation (`ServedRoute`).
  test("no module of the Worker reads a schema's description, or a table's indexes", () => {
    const reading = /globalRegistry|\.meta\(\)|toJSONSchema|getTableConfig|db\.query\b|defineRelations/;
    const readers = workerFiles.filter((file) => reading.test(readFileSync(file, "utf8")));
    expect(readers).toEqual(["src/openapi/openapi-references.ts"]);
  });

  test("only the OpenAPI document reads a route with its documentation", () => {
    const documented = /\bAnyRoute\b/;
    const readers = workerFiles.filter((file) => documented.test(readFileSync(file, "utf8")));
    const composing = readers.filter((file) => !/^src\/(?:routes|openapi)\//.test(file));
    expect(composing.sort()).toEqual(["src/app.ts", "src/http/define-route.ts"]);
  });
});
