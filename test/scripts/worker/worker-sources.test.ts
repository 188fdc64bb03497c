import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { writeWorkerSources } from "../../../scripts/worker/worker-sources.ts";

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
