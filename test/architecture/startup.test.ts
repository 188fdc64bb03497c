import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";

/** Returns a file's imports at load time: no type imports, no `import()`. */
function staticImports(file: string): string[] {
  const source = readFileSync(file, "utf8");
  const found = source.matchAll(
    /^(?:import|export)\s+(?!type\s)(?:[\w*{},\s]+\sfrom\s+)?["'](\.[^"']+)["']/gm,
  );
  return [...found].map(([, path = ""]) => normalize(join(dirname(file), path)));
}

/** Returns every file of the project that an isolate loads before its first request. */
function evaluatedAtStart(): string[] {
  const seen = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const next of staticImports(file)) visit(next);
  };
  visit("src/worker.ts");
  return [...seen].filter((file) => file.endsWith(".ts"));
}

const evaluated = evaluatedAtStart();

test("the start imports only modules that every request needs", () => {
  expect(evaluated).toEqual(
    expect.arrayContaining(["src/app.ts", "src/config/config.ts", "src/http/create-app.ts"]),
  );
});

test.each([
  ["the database driver", /^src\/db\/open-drizzle/],
  ["every operation", /^src\/(routes|schemas)\//],
  ["what operations do", /^src\/(listings|deposits|flows|history|orders|positions|registry|signals)\//],
  ["vaults, providers and the Router", /^src\/(vaults|providers|router)\//],
  ["jobs", /^src\/(jobs\b|openapi\/openapi-document)/],
])("the start does not import %s", (_what, rare) => {
  expect(globSync("src/**/*.ts").filter((file) => rare.test(file))).not.toEqual([]);
  expect(evaluated.filter((file) => rare.test(file))).toEqual([]);
});

test("the start parses no ABI", () => {
  for (const file of evaluated) {
    const eager = readFileSync(file, "utf8").match(/^(?:export )?const \w+ = parseAbi\w*\(/gm);
    expect([file, eager]).toEqual([file, null]);
  }
});

// With `{ z }` a bundler keeps all of zod: 64 languages and the JSON Schema writers, a third of the Worker.
test("zod is imported as a namespace, so that unused parts are left out of the bundle", () => {
  const importing = /^import (?:type )?(?!type |\* as z )[^;]*from "(?:zod|@hono\/zod-openapi)"/m;
  const files = globSync("src/**/*.ts").filter((file) => importing.test(readFileSync(file, "utf8")));
  // The document's generator, which the Worker does not contain.
  expect(files).toEqual(["src/openapi/openapi-document.ts"]);
});

/** Imports each file in a process of its own and prints the number of schemas that each import creates. */
const COUNT = `
let built = 0;
const define = Object.defineProperty;
Object.defineProperty = (object, key, descriptor) => {
  if (key === "_zod") built += 1;
  return define(object, key, descriptor);
};
for (const file of process.argv.slice(1)) {
  const before = built;
  await import(file);
  console.log(file + " " + (built - before));
}`;

function schemasBuilt(files: readonly string[]): Map<string, number> {
  const args = [
    "--input-type=module",
    "--eval",
    COUNT,
    "--",
    ...files.map((file) => join(process.cwd(), file)),
  ];
  const lines = execFileSync(process.execPath, args, { encoding: "utf8" }).trim().split("\n");
  return new Map(files.map((file, index) => [file, Number(lines[index]?.split(" ").at(-1))]));
}

// Creating a schema takes 5 to 20 µs, so a thousand would be a third of the start. A resource's schemas are created
// by its first request; each described field is a copy of the schema that it shares with others.
test("the start builds only the schemas of settings and JSON-RPC; resources build their own later", () => {
  const files = ["src/worker.ts", ...globSync("src/routes/*.ts").sort()];
  const built = schemasBuilt(files);
  expect(built.get("src/worker.ts")).toBeGreaterThan(50);
  expect(built.get("src/worker.ts")).toBeLessThanOrEqual(240);
  for (const [index, file] of files.slice(1).entries()) {
    expect([file, built.get(file)]).toEqual([file, expect.any(Number)]);
    // The first file also builds the schemas that several resources share, whichever file that is.
    expect(built.get(file) ?? 0).toBeLessThanOrEqual(index === 0 ? 760 : 550);
  }
});
