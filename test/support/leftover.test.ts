import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";

const Report = z.object({ testResults: z.array(z.object({ name: z.string(), message: z.string() })) });

/** Runs test files one after the other in one process. Returns the message with which each ended. */
async function run(files: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  const root = await mkdtemp(join(tmpdir(), "causeway-leftover-"));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  await symlink(resolve("node_modules"), join(root, "node_modules"));
  const imports = 'import { createServer } from "node:http";\nimport { afterAll, test } from "vitest";\n';
  for (const [name, text] of Object.entries(files))
    await writeFile(join(root, `${name}.test.js`), imports + text);
  const settings = { isolate: false, maxWorkers: 1, setupFiles: [resolve("test/support/leftover.ts")] };
  await writeFile(join(root, "vitest.config.mjs"), `export default ${JSON.stringify({ test: settings })};\n`);
  const report = join(root, "report.json");
  const options = ["run", "--reporter=json", `--outputFile=${report}`];
  await new Promise<void>((done) => {
    execFile(resolve("node_modules/.bin/vitest"), options, { cwd: root }, () => done());
  });
  const { testResults } = Report.parse(JSON.parse(await readFile(report, "utf8")));
  return Object.fromEntries(testResults.map(({ name, message }) => [basename(name, ".test.js"), message]));
}

test("leftover.ts fails a file that leaves open handles or changed globals, and no other", async () => {
  const server = "const server = createServer();\n";
  const listens = 'test("x", () => new Promise((done) => server.listen(0, done)));\n';
  const said = await run({
    closed: `${server}${listens}afterAll(() => new Promise((done) => server.close(done)));\n`,
    open: server + listens,
    replaced: 'test("x", () => void (Date.now = () => 0));\n',
    restored:
      'const { now } = Date;\ntest("x", () => void (Date.now = () => 0));\nafterAll(() => void (Date.now = now));\n',
    set: 'test("x", () => void (process.env.CAUSEWAY_LEFT = "secret"));\n',
  });
  expect(said).toEqual({
    closed: "",
    open: "left to the next file: TCPServerWrap",
    replaced: "left to the next file: Date.now",
    restored: "",
    set: "left to the next file: the environment's CAUSEWAY_LEFT",
  });
});
