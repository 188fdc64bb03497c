import type { Address } from "viem";
import { describe, expect, test } from "vitest";
import { toVault } from "../../src/vaults/vault.ts";
import { USDC, vault } from "../support/deposits/fixtures.ts";

describe("toVault()", () => {
  const lower = (address: Address): string => address.toLowerCase();
  const row = {
    chainId: 31337,
    address: lower(vault.address),
    type: vault.type,
    adapter: vault.adapter,
    params: {},
    name: vault.name,
    assetAddress: lower(USDC),
    assetSymbol: "USDC",
    assetDecimals: 6,
    shareToken: lower(vault.shareToken),
    shareDecimals: 18,
    entryPoint: lower(vault.entryPoint),
    spender: lower(vault.spender),
    pricer: lower(vault.pricer),
    acceptedAssets: [{ address: lower(USDC), symbol: "USDC", decimals: 6 }],
    caller: "router",
    curator: vault.curator,
    status: "active",
    statusReason: "",
    minDeposit: "5",
    noMinimum: false,
    startBlock: null,
  } as const;

  test("checksums addresses and keeps exact amounts", () => {
    const accepted = [{ address: USDC, symbol: "USDC", decimals: 6 }];
    expect(toVault({ ...row, acceptedAssets: [...row.acceptedAssets] })).toEqual({
      ...vault,
      acceptedAssets: accepted,
      minDeposit: 5n,
    });
    expect(toVault({ ...row, acceptedAssets: [], minDeposit: null }).minDeposit).toBe(null);
  });

  test.each(["address", "assetAddress", "shareToken", "entryPoint", "spender", "pricer"] as const)(
    "throws for an invalid address in %s",
    (column) => {
      expect(() => toVault({ ...row, acceptedAssets: [], [column]: "0x12" })).toThrow(/invalid/i);
    },
  );
});
