import { globSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";
import { buildStandIns } from "../../scripts/contracts/stand-ins.ts";
import { standInTargets } from "../../scripts/contracts/targets.ts";

const modules = ".cache/stand-ins";

test("buildStandIns() has run before the first test and writes nothing the second time", async () => {
  expect(readdirSync(modules)).toEqual(
    expect.arrayContaining(standInTargets.map(({ name }) => `${name}.ts`)),
  );
  expect(await buildStandIns()).toEqual([]);
});

test("every stand-in exists in its sources and has ABI and creation code", () => {
  for (const { name, contracts } of standInTargets) {
    const text = readFileSync(`${modules}/${name}.ts`, "utf8");
    const exported = [...text.matchAll(/^export const (\w+?)(Abi|CreationCode) =/gm)].map(
      ([, prefix]) => prefix,
    );
    const asked = contracts.map((contract) => contract.charAt(0).toLowerCase() + contract.slice(1));
    expect(exported).toEqual(asked.flatMap((prefix) => [prefix, prefix]));
  }
});

/** Returns everything that a file imports at load time: files and `#stand-ins/…`. */
function reached(file: string, seen = new Set<string>()): Set<string> {
  seen.add(file);
  if (file.startsWith("#")) return seen;
  const imports = /^(?:import|export)\s+(?!type\s)(?:[\w*{},\s]+\sfrom\s+)?["']([.#][^"']+)["']/gm;
  for (const [, path = ""] of readFileSync(file, "utf8").matchAll(imports)) {
    const target = path.startsWith(".") ? normalize(join(dirname(file), path)) : path;
    if (!seen.has(target) && !target.endsWith(".json")) reached(target, seen);
  }
  return seen;
}

test.each(globSync("scripts/{*,stress/*}.ts"))(
  "%s imports no stand-in before the stack has compiled them",
  (file) => {
    expect([...reached(file)].filter((target) => target.startsWith("#stand-ins/"))).toEqual([]);
  },
);
