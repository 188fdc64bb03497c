import type { VaultPlan } from "./plan.ts";
import { used } from "./used-vault.ts";

/** A vault of a family that accepts several tokens; its share price alone shows a history. */
function severalVault(
  adapter: "veda" | "midas",
  named: Pick<VaultPlan, "name" | "symbol" | "token" | "also">,
): VaultPlan {
  return used({ ...named, build: { kind: "family", adapter }, scenario: "several" }, [0n, 0n]);
}

/** Vaults that accept more tokens than their asset. */
export const several: readonly VaultPlan[] = [
  severalVault("veda", { name: "Boring Basket", symbol: "bBSK", token: "WETH", also: ["WBTC", "USDT"] }),
  severalVault("midas", { name: "Midas Dollars", symbol: "mTUSD", token: "USDC", also: ["USDT"] }),
];
