import { describe, expect, test } from "vitest";
import type { Vault } from "../../../src/client/operations/read-operations.ts";
import {
  changeFilters,
  choicesOf,
  readVaultFilters,
  selectVaults,
} from "../../../src/console/vaults/vault-filters.ts";

const usdc = { address: "0x01", symbol: "USDC", decimals: 6 } as const;
const weth = { address: "0x02", symbol: "WETH", decimals: 18 } as const;

function vault(fields: Partial<Vault>): Vault {
  const { name = "A", chainId = 1 } = fields;
  const plain = {
    ...{ vaultId: `1:${name}`, name, address: "0x0a", chainId, chainName: `Chain ${chainId}`, curator: "" },
    ...{ asset: usdc, acceptedAssets: [usdc], family: "erc4626", paused: false, tvlUsd: "1.00", apy7d: null },
    settlement: { deposit: "instant", withdraw: "instant", withdrawSeconds: null },
  };
  return { ...plain, ...fields } as Vault;
}

const names = (vaults: readonly Vault[]) => vaults.map(({ name }) => name);

describe("selectVaults()", () => {
  const vaults = [
    vault({ name: "Small", tvlUsd: "5.00", apy7d: 0.09 }),
    vault({ name: "Unknown", tvlUsd: null }),
    vault({ name: "Paused", tvlUsd: "900.00", paused: true }),
    vault({ name: "Large", tvlUsd: "100.00", apy7d: -0.01, chainId: 10, curator: "Careful Ones" }),
    vault({ name: "Other", asset: weth, acceptedAssets: [weth, usdc], family: "midas" }),
  ];

  test("puts paused vaults and unknown figures last", () => {
    expect(names(selectVaults(vaults, {}))).toEqual(["Large", "Small", "Other", "Unknown", "Paused"]);
    expect(names(selectVaults(vaults, { order: "apy" })).slice(0, 2)).toEqual(["Small", "Large"]);
    expect(names(selectVaults(vaults, { order: "name" }))[0]).toBe("Large");
  });

  test("finds by every word, in any field, and by what a vault accepts", () => {
    expect(names(selectVaults(vaults, { q: "careful LARGE" }))).toEqual(["Large"]);
    expect(names(selectVaults(vaults, { q: "careful small" }))).toEqual([]);
    expect(names(selectVaults(vaults, { asset: "WETH" }))).toEqual(["Other"]);
    expect(names(selectVaults(vaults, { asset: "USDC", family: "midas" }))).toEqual(["Other"]);
    expect(names(selectVaults(vaults, { chain: 10 }))).toEqual(["Large"]);
    expect(names(selectVaults(vaults, { settlement: "request" }))).toEqual([]);
  });

  test("offers only choices that find something", () => {
    const { chains, assets, families } = choicesOf(vaults);
    expect(chains.map(({ value }) => value)).toEqual([1, 10]);
    expect([assets, families]).toEqual([
      ["USDC", "WETH"],
      ["erc4626", "midas"],
    ]);
  });
});

describe("readVaultFilters()", () => {
  test("leaves out what it does not understand", () => {
    expect(readVaultFilters({ q: 12, chain: "10", order: "size", settlement: "later", asset: [] })).toEqual({
      q: "12",
      chain: 10,
    });
  });

  test("changeFilters() removes what is empty", () => {
    expect(changeFilters({ q: "a", chain: 1 }, { q: "", chain: undefined, asset: "USDC" })).toEqual({
      asset: "USDC",
    });
  });
});
