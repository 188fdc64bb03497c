import type { VaultSettlement } from "../schemas/vault-schema.ts";
import type { Vault } from "./vault.ts";
import { asyncDepositsOf } from "./vault-families.ts";

/** How withdrawals of a family are paid, where it is not at once. */
const WITHDRAWALS: ReadonlyMap<string, "request" | "cooldown"> = new Map([
  ["accountable", "request"],
  ["centrifuge", "request"],
  ["lagoon", "request"],
  ["mellow", "request"],
  ["mellow_lrt", "request"],
  ["midas", "request"],
  ["upshift", "request"],
  ["upshift_legacy", "request"],
  ["veda", "request"],
]);

/**
 * Returns how a vault settles deposits and withdrawals in general. Families that do both, depending on their state, count
 * as `request`: a caller who is prepared to wait is not surprised.
 */
export function settlementOf(vault: Vault): VaultSettlement {
  return {
    deposit: asyncDepositsOf(vault) === null ? "instant" : "request",
    withdraw: WITHDRAWALS.get(vault.adapter) ?? "instant",
    withdraw_seconds: null,
  };
}
