import type { Scenario, VaultPlan } from "./plan.ts";

/** A vault that has been in use: some deposits, then some yield in basis points. */
export function used(
  vault: Pick<VaultPlan, "name" | "symbol" | "token" | "also" | "build"> & { scenario?: Scenario },
  [deposited, yieldBps]: readonly [bigint, bigint],
): VaultPlan {
  return { scenario: "honest", ...vault, deposited, accrued: (deposited * yieldBps) / 10_000n };
}

/** Whole tokens, in their smallest unit. */
export const usd = (whole: bigint): bigint => whole * 10n ** 6n;
export const btc = (whole: bigint): bigint => whole * 10n ** 8n;
export const ether = (whole: bigint): bigint => whole * 10n ** 18n;
