import type { FamilyVault } from "./family-vault.ts";
import { farFamilies } from "./far.ts";
import { nearFamilies } from "./near.ts";

/** Stand-ins for the families whose own contracts are not to be had, by the adapter that speaks to them. */
const families = { ...nearFamilies, ...farFamilies };

export type FamilyAdapter = keyof typeof families;

export function familyOf(adapter: FamilyAdapter): FamilyVault {
  return families[adapter];
}
