import { expect, test } from "vitest";
import { vaultFamilies } from "../../../src/schemas/vault-schema.ts";
import {
  adapterOf,
  deriverOf,
  families,
  findAdapter,
  findFamily,
} from "../../../src/vaults/families/vault-families.ts";
import { vault } from "../../support/deposits/fixtures.ts";

const names = families.map(({ adapter }) => adapter.name);

test("the wire names every family", () => {
  expect([...vaultFamilies]).toEqual(names);
});

test("families have distinct names", () => {
  expect(names).toEqual([...new Set(names)]);
});

test.each(families)("findFamily() finds $adapter.name with its adapter and deriver", (family) => {
  const { name } = family.adapter;
  expect(findFamily(name)).toBe(family);
  expect(findAdapter(name)).toBe(family.adapter);
  expect(deriverOf(name)).toBe(family.deriver);
  expect(adapterOf({ ...vault, adapter: name })).toBe(family.adapter);
});

test("families with a conclusive deriver come before those that accept any ERC-4626 vault", () => {
  const conclusive = families.map(({ deriver }) => deriver.conclusive);
  expect(conclusive).toEqual([...conclusive].sort((a, b) => Number(b) - Number(a)));
  expect(names.at(-1)).toBe("erc4626");
});

test("only families whose contracts enforce no minimum deposit are marked noMinimum", () => {
  const marked = families.filter(({ adapter }) => adapter.noMinimum).map(({ adapter }) => adapter.name);
  expect(marked).toEqual(["veda", "mellow", "metamorpho", "spark"]);
});

test.each(["", "vedas", "ERC4626", "constructor", "__proto__"])("the name %j is no family", (name) => {
  expect([findFamily(name), findAdapter(name), deriverOf(name)]).toEqual([null, null, null]);
  expect(() => adapterOf({ ...vault, adapter: name })).toThrow(
    `${vault.vaultId}: no adapter is called ${name}`,
  );
});
