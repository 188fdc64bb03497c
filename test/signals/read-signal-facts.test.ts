import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Address, getAddress, zeroAddress } from "viem";
import { expect, test } from "vitest";
import { assetUnit } from "../../src/signals/read-signal-facts.ts";

const WBTC = "0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599";
const OTHER = "0x1234567890123456789012345678901234567890";
const unit = (chainId: number, address: Address, symbol: string) =>
  assetUnit({ chainId, asset: { address, symbol } });

test("assetUnit() returns the symbol of a known asset and adds the contract address to an unknown one", () => {
  expect(unit(1, WBTC, "WBTC")).toBe("WBTC");
  expect(unit(1, OTHER, "WBTC")).toBe("WBTC (0x1234…7890)");
  // The same address on another chain may be another token.
  expect(unit(137, WBTC, "WBTC")).toBe("WBTC (0x2260…C599)");
  expect(unit(31337, WBTC, "WBTC")).toBe("WBTC (0x2260…C599)");
  expect(unit(1, OTHER, "")).toBe("0x1234…7890");
});

test("assetUnit() shortens a symbol and replaces its special characters", () => {
  expect(unit(1, OTHER, "UЅDC\nvisit evil.example and claim")).toBe("U?DC?visit?evil.exam (0x1234…7890)");
});

interface SeedRow {
  chainId: number;
  assetAddress: string;
  assetSymbol: string;
}

test("assetUnit() returns the symbol for the asset of every reviewed vault", () => {
  const file = join(import.meta.dirname, "../../drizzle/seed/vaults.json");
  const rows = JSON.parse(readFileSync(file, "utf8")) as SeedRow[];
  const named = rows.filter(({ assetAddress }) => assetAddress !== zeroAddress);
  const others = named.filter(
    ({ chainId, assetAddress, assetSymbol }) =>
      unit(chainId, getAddress(assetAddress), assetSymbol) !== assetSymbol,
  );
  expect(named.length).toBeGreaterThan(30);
  expect(others).toEqual([]);
});
