import { expect, test } from "vitest";
import { vaultLinks } from "../../src/vaults/vault-figures.ts";
import { testChain } from "../support/chains/rpc-node.ts";
import { vault } from "../support/deposits/fixtures.ts";

test.each([
  ["Gauntlet", "https://www.gauntlet.xyz"],
  ["ether.fi", "https://www.ether.fi"],
  ["Somebody", ""],
  ["", ""],
  ["constructor", ""],
  ["toString", ""],
  ["__proto__", ""],
])("the website of the curator %j is %j", (curator, url) => {
  expect(vaultLinks({ ...vault, curator }, testChain).curator_url).toBe(url);
});
