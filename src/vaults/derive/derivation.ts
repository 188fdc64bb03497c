import { type Address, getAddress } from "viem";
import type { Described } from "../../chains/read.ts";
import type { VaultKey } from "../../lib/vault-id.ts";
import type { VaultType } from "../../schemas/vault.ts";
import { type Derivation, underivable } from "../derivation.ts";
import type { StoredVault } from "../vault.ts";

/**
 * Which vault is meant, and what its registry row says of it where there is one. Each token and address is asked of
 * the chain, none is taken on trust; what no contract tells is kept as the reviewed row has it.
 */
export interface Subject extends VaultKey {
  tokens: readonly Address[];
  /** Null: nothing was reviewed or derived yet. */
  entryPoint: Address | null;
  params: Readonly<Record<string, string>>;
}

/** A vault of which nothing is known but where it is. */
export const unknownSubject = ({ chainId, address }: VaultKey): Subject => ({
  ...{ chainId, address, tokens: [], entryPoint: null, params: {} },
});

/** A vault as its registry row has it. */
export function rowSubject(row: StoredVault): Subject {
  const { chainId, address, acceptedAssets, entryPoint, params } = row;
  const tokens = [row.assetAddress, ...acceptedAssets.map((token) => token.address)].map((text) =>
    getAddress(text),
  );
  return { chainId, address: getAddress(address), tokens, entryPoint: getAddress(entryPoint), params };
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
