import { type Described, describeAll, mapDescribed } from "../chains/read.ts";
import { adapterOf } from "../vaults/adapters.ts";
import type { Vault } from "../vaults/vault.ts";

/** Which vaults' balances must not be valued as their rows say, by vault id; null where none may have changed. */
export function describeOutdated(vaults: readonly Vault[]): Described<ReadonlySet<string>> | null {
  const parts = Object.fromEntries(
    vaults.flatMap((vault) => {
      const still = adapterOf(vault).stillValued?.(vault);
      return still === undefined ? [] : [[vault.vaultId, still] as const];
    }),
  );
  if (Object.keys(parts).length === 0) return null;
  return mapDescribed(describeAll(parts), (told) => {
    const outdated = Object.entries(told).filter(([, still]) => !still);
    return new Set(outdated.map(([vaultId]) => vaultId));
  });
}
