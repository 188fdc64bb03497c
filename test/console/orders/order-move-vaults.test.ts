import { describe, expect, test } from "vitest";
import type { Vault } from "../../../src/client/operations/read-operations.ts";
import { holdsSameAsset, moveTargets } from "../../../src/console/orders/order-move-vaults.ts";

const wstEth = {
  address: "0x00000000000000000000000000000000000000Aa",
  symbol: "wstETH",
  decimals: 18,
} as const;
const other = { ...wstEth, address: "0x00000000000000000000000000000000000000bb" } as const;
const moved: Parameters<typeof holdsSameAsset>[0] = {
  ...{ vaultId: "1:own", chainId: 1 },
  ...{ assetAddress: "0x00000000000000000000000000000000000000aA", assetSymbol: "wstETH" },
};

const vault = (name: string, fields: Partial<Vault>): Vault =>
  ({ vaultId: `1:${name}`, name, chainId: 1, asset: wstEth, paused: false, ...fields }) as Vault;

const usdc = { ...other, symbol: "USDC" };

describe("the vaults into which a position can be moved", () => {
  test("start with those of the same asset, on the same chain first", () => {
    const vaults = [
      vault("Another token", { asset: usdc }),
      vault("Elsewhere", { chainId: 10, asset: other }),
      vault("Same name only", { asset: other }),
      vault("Same", {}),
    ];
    const names = moveTargets(vaults, moved).map(({ name }) => name);
    expect(names).toEqual(["Same", "Elsewhere", "Another token", "Same name only"]);
  });

  test("leave out paused ones and the own one", () => {
    expect(moveTargets([vault("own", {}), vault("Paused", { paused: true })], moved)).toEqual([]);
  });
});

test("on the same chain a token is the same by its address, not by its symbol", () => {
  expect(holdsSameAsset(moved, { chainId: 1, asset: { ...wstEth, symbol: "X" } })).toBe(true);
  expect(holdsSameAsset(moved, { chainId: 1, asset: other })).toBe(false);
  expect(holdsSameAsset(moved, { chainId: 10, asset: other })).toBe(true);
  expect(holdsSameAsset(moved, { chainId: 10, asset: usdc })).toBe(false);
  // Positions have the symbol in uppercase.
  expect(holdsSameAsset({ ...moved, assetSymbol: "WSTETH" }, { chainId: 10, asset: other })).toBe(true);
});
