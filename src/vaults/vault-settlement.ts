import type { VaultSettlement } from "../schemas/vault-schema.ts";
import type { Vault } from "./vault.ts";
import { adapterOf, asyncDepositsOf } from "./vault-families.ts";

/**
 * Returns how a vault settles deposits and withdrawals in general. Families that do both, depending on their state, count
 * as the one that waits: a caller who is prepared to wait is not surprised. So do vaults whose way out is not known.
 */
export function settlementOf(vault: Vault): VaultSettlement {
  const modes = adapterOf(vault).exits?.modes(vault) ?? [];
  const waiting = modes.find((mode) => mode !== "instant");
  return {
    deposit: asyncDepositsOf(vault) === null ? "instant" : "request",
    withdraw: waiting ?? (modes.length === 0 ? "request" : "instant"),
    withdraw_seconds: null,
  };
}
