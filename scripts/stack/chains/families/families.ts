import type { FamilyVault } from "./family-vault.ts";
import { farFamilies, requestingFamilies } from "./far.ts";
import { nearFamilies } from "./near.ts";

/** Stand-ins for the families whose own contracts are not to be had, by the adapter that speaks to them. */
const families = { ...nearFamilies, ...farFamilies };

export type FamilyAdapter = keyof typeof families;

/** A family's vault, or the kind of it that takes requests alone. */
export type FamilyBuild =
  | { kind: "family"; adapter: FamilyAdapter; requests?: false }
  | { kind: "family"; adapter: keyof typeof requestingFamilies; requests: true };

export function familyOf(build: FamilyBuild): FamilyVault {
  return build.requests === true ? requestingFamilies[build.adapter] : families[build.adapter];
}
