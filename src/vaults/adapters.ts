import type { AsyncDeposits, VaultAdapter } from "./adapter.ts";
import { aaveStata } from "./families/aave-stata.ts";
import { accountable } from "./families/accountable.ts";
import { centrifuge } from "./families/centrifuge.ts";
import { erc4626 } from "./families/erc4626.ts";
import { euler, eulerEarn } from "./families/euler.ts";
import { fluid } from "./families/fluid.ts";
import { gearbox } from "./families/gearbox.ts";
import { ipor } from "./families/ipor.ts";
import { lagoon } from "./families/lagoon.ts";
import { mellow } from "./families/mellow.ts";
import { mellowLrt } from "./families/mellow-lrt.ts";
import { midas } from "./families/midas.ts";
import { metaMorpho } from "./families/morpho.ts";
import { morphoV2 } from "./families/morpho-v2.ts";
import { silo } from "./families/silo.ts";
import { spark } from "./families/spark.ts";
import { upshift } from "./families/upshift.ts";
import { upshiftLegacy } from "./families/upshift-legacy.ts";
import { veda } from "./families/veda.ts";
import { yearn } from "./families/yearn.ts";
import type { Vault } from "./vault.ts";

/** ERC-4626, the families that keep to it, and those that keep to it more or less. */
const nearErc4626 = [erc4626, euler, eulerEarn, yearn, aaveStata, spark, gearbox, fluid, silo] as const;
const curated = [metaMorpho, morphoV2, ipor, mellowLrt, upshift, upshiftLegacy, accountable] as const;

/** Families with calls of their own, and those that settle later. */
const farther = [veda, midas, mellow, lagoon, centrifuge] as const;

/** Every family the program can talk to, by the name that registry rows use. */
const adapters: ReadonlyMap<string, VaultAdapter> = new Map(
  [...nearErc4626, ...curated, ...farther].map((adapter) => [adapter.name, adapter]),
);

/** The adapter of a vault. Throws an Error for a row that names none: such a row must be `unsupported`. */
export function adapterOf(vault: Vault): VaultAdapter {
  const adapter = adapters.get(vault.adapter);
  if (adapter === undefined) throw new Error(`${vault.vaultId}: no adapter is called ${vault.adapter}`);
  return adapter;
}

/** How deposits into a vault are followed when it settles them later; null: each gives shares at once. Throws as `adapterOf`. */
export function requestsOf(vault: Vault): AsyncDeposits | null {
  return adapterOf(vault).requests?.(vault) ?? null;
}

/** The adapter of a name that somebody gives; null: there is none. */
export function findAdapter(name: string): VaultAdapter | null {
  return adapters.get(name) ?? null;
}
