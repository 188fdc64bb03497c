import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { families } from "../../../src/vaults/families/vault-families.ts";

/** The adapters that are named in the files that call a suite. */
async function adaptersUnder(suite: RegExp): Promise<Set<string>> {
  const files = (await readdir(import.meta.dirname)).filter((name) => name.endsWith(".integration.test.ts"));
  const texts = await Promise.all(files.map((name) => readFile(`${import.meta.dirname}/${name}`, "utf8")));
  const calling = texts.filter((text) => suite.test(text));
  return new Set(
    calling.flatMap((text) => [...text.matchAll(/adapter: "(\w+)"/g)].map(([, name]) => name ?? "")),
  );
}

test("the conformance suites cover every vault family", async () => {
  const covered = await adaptersUnder(/^(conformance|requesting)\(/m);
  expect(families.map(({ adapter }) => adapter.name).filter((name) => !covered.has(name))).toEqual([]);
});

test("the conformance suite of asynchronous deposits covers every family that has them", async () => {
  const covered = await adaptersUnder(/^requesting\(/m);
  const asynchronous = families.filter(({ adapter }) => adapter.asyncDeposits !== undefined);
  expect(asynchronous.map(({ adapter }) => adapter.name).filter((name) => !covered.has(name))).toEqual([]);
});
