import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseConfig } from "../../src/config/config.ts";

const root = join(import.meta.dirname, "../..");
const read = (file: string): string => readFileSync(join(root, file), "utf8");
const page = read(".github/docs/configuration.md");
const wrangler = read("wrangler.toml");

/** Returns the names in the first column of a section's table. */
function listed(section: string): string[] {
  const [, after = ""] = page.split(`## ${section}\n`);
  const [text = ""] = after.split("\n## ");
  return text
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .flatMap((line) => [...(line.split("|")[1] ?? "").matchAll(/`([A-Z][A-Z0-9_]+)`/g)])
    .map(([, name = ""]) => name)
    .sort();
}

test("configuration.md lists exactly the variables that the code reads", () => {
  const asked = new Set<string>();
  const env = new Proxy({}, { get: (_target, name) => asked.add(String(name)) && undefined });
  expect(() => parseConfig(env)).toThrow("missing or invalid: DATABASE_URL");
  // The queues are bindings, which the code looks up by their methods.
  const queues = ["FLOWS", "FOLLOWING"];
  const names = [...asked].filter((name) => /^[A-Z_]+$/.test(name) && !queues.includes(name)).sort();
  expect(names.length).toBeGreaterThan(10);
  expect(listed("The Worker's variables")).toEqual(names);
});

test("configuration.md marks exactly the required variables as required", () => {
  const [, list = ""] = /^required = \[(.+)\]$/m.exec(wrangler) ?? [];
  const required = [...list.matchAll(/"(\w+)"/g)].map(([, name]) => name).sort();
  const told = [...page.matchAll(/^\| `(\w+)` *\| yes, secret *\|/gm)].map(([, name]) => name).sort();
  expect(told).toEqual(required);
});

test("configuration.md lists exactly the bindings of wrangler.toml", () => {
  const bound = [...wrangler.matchAll(/^(?:binding|name) = "([A-Z][A-Z0-9_]+)"$/gm)].map(
    ([, name = ""]) => name,
  );
  expect(listed("The Worker's bindings")).toEqual([...new Set(bound)].sort());
});

test("configuration.md lists every variable of the workflows and deployment scripts", () => {
  const found = globSync("scripts/deploy/*.ts", { cwd: root }).flatMap((file) => [
    ...read(file).matchAll(/"([A-Z]+_[A-Z_]+)"|\b([A-Z]+_[A-Z_]+): \w+ = ""|required\("(\w+)"\)/g),
  ]);
  const given = globSync(".github/workflows/*.yml", { cwd: root }).flatMap((file) => [
    ...read(file).matchAll(/^ {10}([A-Z_]+): /gm),
  ]);
  const names = [...found, ...given]
    .map(([, a, b, c]) => a ?? b ?? c ?? "")
    .filter((name) => name !== "PULL_REQUEST");
  expect(names.length).toBeGreaterThan(20);
  for (const name of names) expect(page).toContain(`\`${name}\``);
});
