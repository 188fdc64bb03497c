import type { Address } from "viem";
import { parseAddress } from "./address.ts";

/** A vault's chain and address. */
export interface VaultKey {
  chainId: number;
  /** Checksummed. */
  address: Address;
}

/** Formats a vault id: `<chain_id>:<lowercase address>`. */
export function formatVaultId(key: { chainId: number; address: string }): string {
  return `${key.chainId}:${key.address.toLowerCase()}`;
}

/** Parses a vault id in any case, its colon plain or as %3A; null when it is malformed. */
export function parseVaultId(text: string): VaultKey | null {
  const match = /^([1-9][0-9]{0,15})(?::|%3[aA])(0[xX][0-9a-fA-F]{40})$/.exec(text);
  if (match?.[1] === undefined || match[2] === undefined) return null;
  const chainId = Number(match[1]);
  const address = parseAddress(match[2].toLowerCase());
  return Number.isSafeInteger(chainId) && address !== null ? { chainId, address } : null;
}
