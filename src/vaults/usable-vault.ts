import { adapterOf } from "./adapters.ts";
import { type StoredVault, toVault, type Vault } from "./vault.ts";

/**
 * Reads a registry row that is to be used. What is wrong with one is found out here, where it costs that vault
 * alone, and not among the reads of a whole chain. Throws an Error for a row whose addresses, adapter or parameters
 * are none.
 */
export function usableVault(row: StoredVault): Vault {
  const vault = toVault(row);
  adapterOf(vault).checkParams?.(vault);
  return vault;
}
