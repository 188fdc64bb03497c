import type { Scenario, VaultPlan } from "./plan.ts";

/**
 * Plans a vault with a first deposit, in the asset's smallest unit, and a yield on it, in basis points. Its scenario is
 * `honest` by default.
 */
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
