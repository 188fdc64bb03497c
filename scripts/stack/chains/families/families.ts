import { customFamilies, requestingFamilies } from "./custom-families.ts";
import { erc4626Families } from "./erc4626-families.ts";
import type { FamilyVault } from "./family-vault.ts";
import { waitingFamilies } from "./waiting-families.ts";

/** Stand-ins for the vault families whose own contracts are not published as packages, by adapter. */
const families = { ...erc4626Families, ...customFamilies };

/** An adapter that has a stand-in. */
export type FamilyAdapter = keyof typeof families;

/**
 * A family's vault. With `requests`, its variant that accepts deposit requests only; with `pays`, a variant that pays
 * withdrawals later only.
 */
export type FamilyBuild =
  | { kind: "family"; adapter: FamilyAdapter; requests?: false }
  | { kind: "family"; adapter: keyof typeof requestingFamilies; requests: true }
  | { kind: "family"; adapter: "erc4626"; pays: "cooldown" | "pool" }
  | { kind: "family"; adapter: "veda"; pays: "queue" };

/** Returns the stand-in of a family. */
export function familyOf(build: FamilyBuild): FamilyVault {
  if ("pays" in build) return waitingFamilies[build.pays];
  return build.requests === true ? requestingFamilies[build.adapter] : families[build.adapter];
}
