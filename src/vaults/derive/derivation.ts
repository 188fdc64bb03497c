import type { Address } from "viem";
import type { Described } from "../../chains/read.ts";
import type { VaultKey } from "../../lib/vault-id.ts";
import type { VaultType } from "../../schemas/vault.ts";
import { type Derivation, underivable } from "../derivation.ts";

/** Which vault is meant, and the tokens that it may take: each is asked of the chain, none is taken on trust. */
export interface Subject extends VaultKey {
  tokens: readonly Address[];
}

/** How the vaults of one adapter are found from one address. Does no I/O. */
export interface Deriver {
  /** The adapter's name. */
  adapter: string;
  /** The public family label of its vaults. */
  type: VaultType;
  /** Whether only this family's vaults pass: then one that passes is of this family. */
  telling: boolean;
  /** Finds what the registry holds of a vault from the vault itself, in as many rounds of reads as that takes. */
  derive(subject: Subject): Described<Derivation>;
}

/** No derivation, and why: for people. */
export function refused(reason: string): Described<Derivation> {
  return { reads: {}, interpret: () => underivable(reason) };
}
