import type { Scenario, VaultPlan } from "./plan.ts";

/** Plans earlier deposits and a yield, in basis points, for a vault. */
export function withHistory(
  vault: Pick<VaultPlan, "name" | "symbol" | "token" | "also" | "build"> & { scenario?: Scenario },
  [deposited, yieldBps]: readonly [bigint, bigint],
): VaultPlan {
  return { scenario: "honest", ...vault, deposited, accrued: (deposited * yieldBps) / 10_000n };
}

/** Converts whole USDC or USDT to their smallest unit. */
export const usd = (whole: bigint): bigint => whole * 10n ** 6n;
/** Converts whole WBTC to its smallest unit. */
export const btc = (whole: bigint): bigint => whole * 10n ** 8n;
/** Converts whole ether to wei. */
export const ether = (whole: bigint): bigint => whole * 10n ** 18n;
