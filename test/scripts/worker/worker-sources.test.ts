import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  isWorkerSource,
  withoutDescriptions,
  writeWorkerSources,
} from "../../../scripts/worker/worker-sources.ts";

describe("withoutDescriptions()", () => {
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
  ])("turns %j into %j", (text, rest) => {
    expect(withoutDescriptions("some.ts", text).replace(/^ +$/gm, "")).toBe(rest);
  });

  test("throws on a module that cannot be parsed", () => {
    expect(() => withoutDescriptions("some.ts", "z.int().meta({ ;")).toThrow("some.ts");
  });

  test("leaves no description in the Worker's modules, and every line at its number", () => {
    const described = globSync("src/**/*.ts").filter(
      (file) => isWorkerSource(file) && /\.meta\(\{/.test(readFileSync(file, "utf8")),
    );
    expect(described.length).toBeGreaterThan(30);
    for (const file of described) {
      const text = readFileSync(file, "utf8");
      const rest = withoutDescriptions(file, text);
      const code = rest.replace(/^\s*(?:\*|\/\/).*$/gm, "");
      expect([file, code.includes(".meta(")]).toEqual([file, false]);
      expect([file, rest.split("\n").length]).toEqual([file, text.split("\n").length]);
    }
  });

  // A text that a response contained would be missing in the Worker alone.
  test("no module of the Worker reads a schema's description", () => {
    const reading = /globalRegistry|\.meta\(\)|toJSONSchema/;
    const files = globSync("src/**/*.ts").filter((file) => isWorkerSource(file));
    const readers = files.filter((file) => reading.test(readFileSync(file, "utf8")));
    expect(readers).toEqual(["src/openapi/openapi-references.ts"]);
  });
});

describe("writeWorkerSources()", () => {
  test("copies the Worker's modules, and again those that changed", () => {
    const root = mkdtempSync(join(tmpdir(), "causeway-sources-"));
    const write = (path: string, text: string) => {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    };
    const copied = () =>
      Object.fromEntries(
        globSync("**/*.*", { cwd: join(root, ".cache/bundled") }).map((path) => [
          path,
          readFileSync(join(root, ".cache/bundled", path), "utf8"),
        ]),
      );
    try {
      write("src/worker.ts", "export {};");
      write("src/schemas/one.ts", "z.int().meta({});");
      write("src/console/page.ts", "export {};");
      writeWorkerSources(root);
      expect(copied()).toEqual({ "src/worker.ts": "export {};", "src/schemas/one.ts": "z.int();" });
      write("src/worker.ts", "export default 1;");
      writeWorkerSources(root);
      expect(copied()).toMatchObject({ "src/worker.ts": "export default 1;" });
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });
});
