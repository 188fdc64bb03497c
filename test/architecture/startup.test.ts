import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";

/** What a file imports when it is evaluated: neither types alone, nor what `import()` names. */
function staticImports(file: string): string[] {
  const source = readFileSync(file, "utf8");
  const found = source.matchAll(
    /^(?:import|export)\s+(?!type\s)(?:[\w*{},\s]+\sfrom\s+)?["'](\.[^"']+)["']/gm,
  );
  return [...found].map(([, path = ""]) => normalize(join(dirname(file), path)));
}

/** Every file of ours that an isolate evaluates before its first request. */
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

test("an isolate starts with what every request needs", () => {
  expect(evaluated).toEqual(
    expect.arrayContaining(["src/app.ts", "src/config.ts", "src/routes/vaults.list.ts"]),
  );
});

test.each([
  ["the database driver", /^src\/db\/open-drizzle/],
  ["providers", /^src\/providers\/(across|lifi)\//],
  ["what partners and administrators ask for", /^src\/(routes|parts)\/(partners|applications|admin)\b/],
  ["jobs", /^src\/(jobs|scheduled|queued)\b/],
  ["the making of the OpenAPI document", /^src\/http\/openapi/],
])("left to the first who need it: %s", (_what, rare) => {
  expect(evaluated.filter((file) => rare.test(file))).toEqual([]);
});

test("no contract's interface is parsed at the start", () => {
  for (const file of evaluated) {
    const eager = readFileSync(file, "utf8").match(/^(?:export )?const \w+ = parseAbi\w*\(/gm);
    expect([file, eager]).toEqual([file, null]);
  }
});
