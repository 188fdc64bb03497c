import type { VaultSettlement } from "../schemas/vault-schema.ts";
import { adapterOf, asyncDepositsOf } from "./families/vault-families.ts";
import type { Vault } from "./vault.ts";

/**
 * Returns how a vault settles deposits and withdrawals. What may be settled later counts as `request` or `cooldown`,
 * even if it is often instant; withdrawals that are not supported count as `request`. Throws an Error if the vault's
 * family is unknown or a parameter that decides this is invalid.
 */
export function settlementOf(vault: Vault): VaultSettlement {
  const modes = adapterOf(vault).exits?.modes(vault) ?? [];
  const waiting = modes.find((mode) => mode !== "instant");
  return {
    deposit: asyncDepositsOf(vault) === null ? "instant" : "request",
    withdraw: waiting ?? (modes.length === 0 ? "request" : "instant"),
    withdraw_seconds: waiting === undefined ? null : waitOf(vault),
  };
}

/** Longest wait that is accepted as plausible: ten years, in seconds. */
const MAX_WAIT_S = 315_360_000;

/**
 * Returns the wait for a withdrawal that the vault's contracts stated at the last proof, in seconds. Null if they state
 * none, or one above ten years.
 */
function waitOf({ params }: Vault): number | null {
  const stated = params["withdraw_seconds"];
  const seconds = stated === undefined || stated === "" ? Number.NaN : Number(stated);
  return Number.isInteger(seconds) && seconds >= 0 && seconds <= MAX_WAIT_S ? seconds : null;
}
