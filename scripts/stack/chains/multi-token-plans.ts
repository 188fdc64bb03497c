import type { VaultPlan } from "./plan.ts";
import { withHistory } from "./vault-history.ts";

/** Plans a vault of a family that accepts several tokens. Its history shows only in the share price. */
function multiTokenVault(
  adapter: "veda" | "midas",
  named: Pick<VaultPlan, "name" | "symbol" | "token" | "also">,
): VaultPlan {
  return withHistory({ ...named, build: { kind: "family", adapter }, scenario: "several" }, [0n, 0n]);
}

/** Vaults that accept other tokens in addition to their asset. */
export const multiTokenVaults: readonly VaultPlan[] = [
  multiTokenVault("veda", { name: "Boring Basket", symbol: "bBSK", token: "WETH", also: ["WBTC", "USDT"] }),
  multiTokenVault("midas", { name: "Midas Dollars", symbol: "mTUSD", token: "USDC", also: ["USDT"] }),
];
