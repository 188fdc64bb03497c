import type { Deriver } from "./derivation.ts";
import { erc7540Derivers } from "./erc7540.ts";
import { mellowDeriver } from "./mellow.ts";
import { midasDeriver } from "./midas.ts";
import { nearDerivers } from "./near.ts";
import { upshiftDeriver } from "./upshift.ts";
import { vedaDeriver } from "./veda.ts";

/** How the vaults of each adapter are derived from their chain. Those that tell their family come first. */
export const derivers: readonly Deriver[] = [
  vedaDeriver,
  midasDeriver,
  mellowDeriver,
  upshiftDeriver,
  ...erc7540Derivers,
  ...nearDerivers,
];

/** The deriver of an adapter; null: its vaults are not derived. */
export function deriverOf(adapter: string): Deriver | null {
  return derivers.find((deriver) => deriver.adapter === adapter) ?? null;
}
