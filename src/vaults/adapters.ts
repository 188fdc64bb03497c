import type { VaultAdapter } from "./adapter.ts";
import { erc4626 } from "./families/erc4626.ts";
import { mellow } from "./families/mellow.ts";
import { midas } from "./families/midas.ts";
import { metaMorpho } from "./families/morpho.ts";
import { veda } from "./families/veda.ts";
import type { Vault } from "./vault.ts";

/** Every family the program can talk to, by the name that registry rows use. */
const adapters: ReadonlyMap<string, VaultAdapter> = new Map(
  [erc4626, metaMorpho, mellow, midas, veda].map((a) => [a.name, a]),
);

/** The adapter of a vault. Throws an Error for a row that names none: such a row must be `unsupported`. */
export function adapterOf(vault: Vault): VaultAdapter {
  const adapter = adapters.get(vault.adapter);
  if (adapter === undefined) throw new Error(`${vault.vaultId}: no adapter is called ${vault.adapter}`);
  return adapter;
}

/** The adapter of a name that somebody gives; null: there is none. */
export function findAdapter(name: string): VaultAdapter | null {
  return adapters.get(name) ?? null;
}
