import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";

const run = promisify(execFile);
// Inside the repository, so that the compiler finds its packages.
mkdirSync(".cache", { recursive: true });
const folder = mkdtempSync(join(".cache", "generated-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const HOOK = pathToFileURL(resolve("test/support/openapi/compiler-hook.ts")).href;
const DOCUMENT = resolve("openapi.json");

/** The README's request, as JSON text. */
const readmeBody = /quote\/build .*? -d '(\{.*?\})'/s.exec(readFileSync("README.md", "utf8"))?.[1] ?? "";

/** Starts a generator of a package, with the compiler that it needs. */
const generate = (file: string, ...args: readonly string[]) =>
  run(process.execPath, ["--import", HOOK, resolve("node_modules", file), ...args], { cwd: folder });

/** Type-checks a program that uses a generated client, and returns what the compiler says. */
async function check(name: string, program: string): Promise<string> {
  const file = `${name}.ts`;
  writeFileSync(join(folder, file), program);
  const options = ["--noEmit", "--strict", "--target", "es2023"];
  const modules = ["--module", "esnext", "--moduleResolution", "bundler", "--lib", "es2023,dom,dom.iterable"];
  const tsc = resolve("node_modules/typescript/bin/tsc");
  const types = ["--types", "", "--ignoreConfig"];
  return run(process.execPath, [tsc, ...options, ...modules, ...types, file], { cwd: folder }).then(
    () => "",
    (error: { stdout: string }) => error.stdout,
  );
}

/** What every client's types must take and refuse: `Body` of a build, `Problem`, `Step` and `Deposit` of answers. */
const uses = `
const body: Body = ${readmeBody};
// @ts-expect-error an amount is no number
const wrong: Body = { ...body, from_amount: 25 };
export function remedy(problem: Problem): string {
  if (problem.code === "vault_paused") return problem.reason;
  if (problem.code === "rate_limited") return String(problem.retry_after);
  // @ts-expect-error no code of the API
  if (problem.code === "vault_gone") return "";
  return problem.detail;
}
export function next(steps: readonly Step[]): string | undefined {
  const step = steps.find(({ state }) => state === "required");
  return step?.kind === "transaction" ? step.transaction_request?.to : step?.title;
}
export const isOver = ({ state, substatus }: Deposit): boolean => state === "completed" || substatus === null;
export { body, wrong };
`;

test("openapi-typescript makes types that compile and that the README's request has", async () => {
  await generate("openapi-typescript/bin/cli.js", DOCUMENT, "-o", "api.d.ts");
  const program = `import type { components } from "./api.d.ts";
type Schemas = components["schemas"];
type Body = Schemas["BuildInput"]; type Problem = Schemas["Problem"]; type Step = Schemas["Step"]; type Deposit = Schemas["Deposit"];
${uses}`;
  expect(await check("openapi-typescript", program)).toBe("");
});

test("@hey-api/openapi-ts makes a client that compiles and that the README's request has", async () => {
  const plugins = ["-p", "@hey-api/typescript", "@hey-api/sdk", "@hey-api/client-fetch"];
  await generate(
    "@hey-api/openapi-ts/dist/run.mjs",
    "-i",
    DOCUMENT,
    "-o",
    "hey",
    ...plugins,
    "--no-log-file",
  );
  const program = `import type { BuildInput as Body, Problem, Step, Deposit } from "./hey/types.gen";
import * as sdk from "./hey/sdk.gen";
${uses}
export const built = sdk.quotesBuild({ body });`;
  expect(await check("hey-api", program)).toBe("");
});

test("orval makes a client that compiles and that the README's request has", async () => {
  const output = { target: "./orval.ts", client: "fetch", mode: "single" };
  const config = { causeway: { input: { target: DOCUMENT }, output } };
  writeFileSync(join(folder, "orval.config.mjs"), `export default ${JSON.stringify(config)};`);
  await generate("orval/dist/bin/orval.mjs", "--config", "orval.config.mjs");
  const program = `import { type BuildInput as Body, type Problem, type Step, type Deposit, quotesBuild } from "./orval";
${uses}
export const built = quotesBuild(body);`;
  expect(await check("with-orval", program)).toBe("");
});
