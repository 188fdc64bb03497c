import type { Hex } from "viem";
import type { Vault } from "../vault.ts";
import type { AsyncDeposits, VaultAdapter, VaultFamily } from "../vault-adapter.ts";
import type { Deriver } from "../vault-deriver.ts";
import {
  type ExplainedRevert,
  explainCommonRevert,
  explainExitError,
  unwrapRevert,
} from "../vault-reverts.ts";
import { aaveStataFamily } from "./aave-stata-family.ts";
import { accountableFamily } from "./accountable-family.ts";
import { centrifugeFamily } from "./centrifuge/centrifuge-family.ts";
import { erc4626Family } from "./erc4626-family.ts";
import { eulerEarnFamily, eulerFamily } from "./euler-family.ts";
import { fluidFamily } from "./fluid-family.ts";
import { gearboxFamily } from "./gearbox-family.ts";
import { iporFamily } from "./ipor/ipor-family.ts";
import { lagoonFamily } from "./lagoon/lagoon-family.ts";
import { mellowFamily } from "./mellow/mellow-adapter.ts";
import { mellowLrtFamily } from "./mellow/mellow-lrt-family.ts";
import { midasFamily } from "./midas/midas-adapter.ts";
import { metaMorphoFamily, morphoV2Family } from "./morpho/morpho-family.ts";
import { siloFamily } from "./silo-family.ts";
import { sparkFamily } from "./spark-family.ts";
import { upshiftFamily } from "./upshift/upshift-adapter.ts";
import { upshiftLegacyFamily } from "./upshift/upshift-legacy-adapter.ts";
import { vedaFamily } from "./veda/veda-adapter.ts";
import { yearnFamily } from "./yearn-family.ts";

/**
 * All vault families, in the order in which they are recognized: a vault belongs to the first one with a conclusive
 * deriver that accepts it. The last, for any other ERC-4626 vault, is not conclusive.
 */
export const families: readonly VaultFamily[] = [
  vedaFamily,
  midasFamily,
  mellowFamily,
  upshiftFamily,
  lagoonFamily,
  centrifugeFamily,
  metaMorphoFamily,
  morphoV2Family,
  iporFamily,
  accountableFamily,
  mellowLrtFamily,
  upshiftLegacyFamily,
  eulerFamily,
  yearnFamily,
  aaveStataFamily,
  sparkFamily,
  gearboxFamily,
  fluidFamily,
  siloFamily,
  eulerEarnFamily,
  erc4626Family,
];

/** Vault families by name, which registry entries store as `adapter`. */
const byName = new Map<string, VaultFamily>(families.map((family) => [family.adapter.name, family]));

/** Finds a vault family by its name in registry entries, or returns null if no family has that name. */
export function findFamily(name: string): VaultFamily | null {
  return byName.get(name) ?? null;
}

/** Finds the adapter of a vault family by the family's name, or returns null if no family has that name. */
export function findAdapter(name: string): VaultAdapter | null {
  return findFamily(name)?.adapter ?? null;
}

/** Finds the deriver of a vault family by the family's name, or returns null if no family has that name. */
export function deriverOf(name: string): Deriver | null {
  return findFamily(name)?.deriver ?? null;
}

/** Returns the adapter of a vault's family. Throws an Error if no family has the name in the registry entry. */
export function adapterOf(vault: Vault): VaultAdapter {
  const adapter = findAdapter(vault.adapter);
  if (adapter === null) throw new Error(`${vault.vaultId}: no adapter is called ${vault.adapter}`);
  return adapter;
}

/**
 * Returns a vault's asynchronous deposits, or null if it has none. Throws an Error if the vault's family is unknown or
 * a parameter that decides this is invalid.
 */
export function asyncDepositsOf(vault: Vault): AsyncDeposits | null {
  return adapterOf(vault).asyncDeposits?.(vault) ?? null;
}

/**
 * Maps the revert data of a deposit to an error code and a text, by errors of the vault's family, then by common ones.
 * The code is null if the error is unknown or has none. Throws an Error if the family is unknown.
 */
export function explainVaultRevert(vault: Vault, revert: Hex): ExplainedRevert {
  const reason = unwrapRevert(revert);
  return adapterOf(vault).explain?.(reason) ?? explainCommonRevert(reason);
}

/**
 * Maps the revert data of a withdrawal to an error code and a text by withdrawal errors, the family's before common
 * ones, then by deposit errors (`explainExitError`). Each is null if unknown, the code also for an error without one.
 * Throws an Error if the family is unknown.
 */
export function explainExitRevert(vault: Vault, revert: Hex): ExplainedRevert {
  const reason = unwrapRevert(revert);
  const own = adapterOf(vault).exits?.explain?.(reason) ?? null;
  return own ?? explainExitError(reason, explainVaultRevert(vault, reason));
}
