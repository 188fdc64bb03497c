import { readdirSync, readFileSync } from "node:fs";
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
