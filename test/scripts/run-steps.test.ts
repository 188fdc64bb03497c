import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Lane, Step } from "../../scripts/run-steps.ts";

const module = resolve("scripts/run-steps.ts");
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "causeway-steps-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs the stages in a process of their own and returns its code and output. */
async function run(stages: readonly (Step | readonly Lane[])[]): Promise<{ code: number; said: string }> {
  const code = `const { runSteps } = await import(${JSON.stringify(module)});
    await runSteps("all", ${JSON.stringify(stages)});`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", code], { cwd: folder });
  const ended = new Promise<number>((done) => child.once("close", (status) => done(status ?? -1)));
  const said = (await Promise.all([text(child.stdout), text(child.stderr)])).join("");
  return { code: await ended, said };
}

const step = (name: string, command: string): Step => ({ name, command });

test("runSteps() runs lanes in parallel and the steps of each in order", async () => {
  // Each lane waits for a file that the other lane writes.
  const wait = (file: string) =>
    `for i in $(seq 4000); do test -e ${file} && exit 0; sleep 0.05; done; exit 1`;
  const { code, said } = await run([
    [
      [step("one", "touch a"), step("two", wait("b"))],
      [step("three", wait("a")), step("four", "touch b; echo made")],
    ],
    step("five", "test -e a && test -e b && echo there"),
  ]);
  expect(code, said).toBe(0);
  expect(said).toContain("four │ made\n");
  expect(said).toMatch(/── five\nthere\n── five: [\d.]+ s\n\nall: passed in [\d.]+ s\n/);
});

test("runSteps() stops a failing lane, finishes the others and exits with the failure", async () => {
  const { code, said } = await run([
    step("before", "true"),
    [
      [step("bad", "echo why >&2; exit 3"), step("never", "touch never")],
      [step("slow", "sleep 0.3"), step("after", "echo done")],
    ],
    step("later", "touch later"),
  ]);
  expect(code).toBe(3);
  expect(said).toContain("bad │ why\n");
  expect(said).toContain("after │ done\n");
  expect(said).toMatch(/all: bad failed after [\d.]+ s \(echo why/);
  expect(said).not.toMatch(/── never|── later|passed/);
});

test("runSteps() prints the end of a failed step's output last", async () => {
  const { said } = await run([
    [[step("bad", "seq 1000; echo what failed; exit 1")], [step("slow", "sleep 0.5; echo much else")]],
  ]);
  const [, end] = said.split("all: bad failed after");
  expect(end).toMatch(/\nbad │ 999\nbad │ 1000\nbad │ what failed\n$/);
  expect(end?.split("\n").length).toBeLessThan(100);
});

test("runSteps() exits with the code of a failing step", async () => {
  const { code, said } = await run([step("bad", "exit 7"), step("never", "true")]);
  expect(code).toBe(7);
  expect(said).not.toMatch(/── never|passed/);
});
