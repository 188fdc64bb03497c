import type { VaultPlan } from "./plan.ts";
import { withHistory } from "./vault-history.ts";

/** A vault of a family that accepts several tokens; its share price alone shows a history. */
function multiTokenVault(
  adapter: "veda" | "midas",
  named: Pick<VaultPlan, "name" | "symbol" | "token" | "also">,
): VaultPlan {
  return withHistory({ ...named, build: { kind: "family", adapter }, scenario: "several" }, [0n, 0n]);
}

/** Vaults that accept more tokens than their asset. */
export const multiTokenVaults: readonly VaultPlan[] = [
  multiTokenVault("veda", { name: "Boring Basket", symbol: "bBSK", token: "WETH", also: ["WBTC", "USDT"] }),
  multiTokenVault("midas", { name: "Midas Dollars", symbol: "mTUSD", token: "USDC", also: ["USDT"] }),
];
