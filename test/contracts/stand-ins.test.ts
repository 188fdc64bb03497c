import { globSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";
import { buildStandIns } from "../../scripts/contracts/stand-ins.ts";
import { standInTargets } from "../../scripts/contracts/targets.ts";

const modules = ".cache/stand-ins";

test("the stand-ins are there before the first test, and are not written twice", async () => {
  expect(readdirSync(modules)).toEqual(
    expect.arrayContaining(standInTargets.map(({ name }) => `${name}.ts`)),
  );
  expect(await buildStandIns()).toEqual([]);
});

test("each contract is one that its sources have, with what deploys and what calls it", () => {
  for (const { name, contracts } of standInTargets) {
    const text = readFileSync(`${modules}/${name}.ts`, "utf8");
    const exported = [...text.matchAll(/^export const (\w+?)(Abi|CreationCode) =/gm)].map(
      ([, prefix]) => prefix,
    );
    const asked = contracts.map((contract) => contract.charAt(0).toLowerCase() + contract.slice(1));
    expect(exported).toEqual(asked.flatMap((prefix) => [prefix, prefix]));
  }
});

/** What a file imports when it is evaluated, and what that does: the files, or `#stand-ins/…`. */
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

test.each(globSync("scripts/{*,stress/*}.ts"))("%s needs none before the stack has compiled them", (file) => {
  expect([...reached(file)].filter((target) => target.startsWith("#stand-ins/"))).toEqual([]);
});
