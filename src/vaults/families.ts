import type { Hex } from "viem";
import type { Deriver } from "./derivation.ts";
import { erc7540Derivers } from "./derive/erc7540.ts";
import { erc4626Derivers } from "./derive/near.ts";
import { aaveStata } from "./families/aave-stata.ts";
import { accountable } from "./families/accountable.ts";
import { centrifuge } from "./families/centrifuge.ts";
import { erc4626 } from "./families/erc4626/index.ts";
import { euler, eulerEarn } from "./families/euler.ts";
import { fluid } from "./families/fluid.ts";
import { gearbox } from "./families/gearbox.ts";
import { ipor } from "./families/ipor.ts";
import { lagoon } from "./families/lagoon.ts";
import { mellowDeriver } from "./families/mellow/derive.ts";
import { mellow } from "./families/mellow/index.ts";
import { mellowLrt } from "./families/mellow-lrt.ts";
import { midasDeriver } from "./families/midas/derive.ts";
import { midas } from "./families/midas/index.ts";
import { metaMorpho, morphoV2 } from "./families/morpho.ts";
import { silo } from "./families/silo.ts";
import { spark } from "./families/spark.ts";
import { upshiftDeriver } from "./families/upshift/derive.ts";
import { upshift } from "./families/upshift/index.ts";
import { upshiftLegacy } from "./families/upshift/legacy.ts";
import { vedaDeriver } from "./families/veda/derive.ts";
import { veda } from "./families/veda/index.ts";
import { yearn } from "./families/yearn.ts";
import { type ExplainedRevert, explainCommonRevert } from "./reverts.ts";
import type { Vault } from "./vault.ts";
import type { AsyncDeposits, VaultAdapter } from "./vault-adapter.ts";

/** ERC-4626, the families that keep to it, and those that keep to it more or less. */
const erc4626Families = [erc4626, euler, eulerEarn, yearn, aaveStata, spark, gearbox, fluid, silo] as const;
const curatedFamilies = [metaMorpho, morphoV2, ipor, mellowLrt, upshift, upshiftLegacy, accountable] as const;

/** Families with calls of their own, and those that settle later. */
const otherFamilies = [veda, midas, mellow, lagoon, centrifuge] as const;

/** Every family the program can talk to, by the name that registry rows use. */
const adaptersByName: ReadonlyMap<string, VaultAdapter> = new Map(
  [...erc4626Families, ...curatedFamilies, ...otherFamilies].map((adapter) => [adapter.name, adapter]),
);

/** The adapter of a vault. Throws an Error for a row that names none: such a row must be `unsupported`. */
export function adapterOf(vault: Vault): VaultAdapter {
  const adapter = adaptersByName.get(vault.adapter);
  if (adapter === undefined) throw new Error(`${vault.vaultId}: no adapter is called ${vault.adapter}`);
  return adapter;
}

/** How deposits into a vault are followed when it settles them later; null: each gives shares at once. Throws as `adapterOf`. */
export function asyncDepositsOf(vault: Vault): AsyncDeposits | null {
  return adapterOf(vault).requests?.(vault) ?? null;
}

/** The adapter of a name that somebody gives; null: there is none. */
export function findAdapter(name: string): VaultAdapter | null {
  return adaptersByName.get(name) ?? null;
}

/** Reads revert data that came from a deposit into a vault: by its family's errors first, then by the common ones. */
export function explainVaultRevert(vault: Vault, revert: Hex): ExplainedRevert {
  return adapterOf(vault).explain?.(revert) ?? explainCommonRevert(revert);
}

/** How the vaults of each adapter are derived from their chain. Those that tell their family come first. */
export const derivers: readonly Deriver[] = [
  vedaDeriver,
  midasDeriver,
  mellowDeriver,
  upshiftDeriver,
  ...erc7540Derivers,
  ...erc4626Derivers,
];

/** The deriver of an adapter; null: its vaults are not derived. */
export function deriverOf(adapter: string): Deriver | null {
  return derivers.find((deriver) => deriver.adapter === adapter) ?? null;
}
