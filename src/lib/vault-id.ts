import type { Address } from "viem";
import { parseAddress } from "./address.ts";

/** Chain id and address of a vault. */
export interface VaultKey {
  chainId: number;
  /** Address of the vault, checksummed. */
  address: Address;
}

/** Formats a vault id: `<chain_id>:<lowercase address>`. */
export function formatVaultId(key: { chainId: number; address: string }): string {
  return `${key.chainId}:${key.address.toLowerCase()}`;
}

/**
 * Returns why a vault id in a request is invalid, and what to send instead. The text continues a sentence that starts
 * with the name of the field.
 */
export function explainVaultId(text: string): string {
  const rule = "must be <chain_id>:<vault address>, as GET /v1/vaults lists it";
  if (/^0x[0-9a-f]{40}$/i.test(text)) return `${rule}: the chain id is missing, as in 8453:${text}`;
  if (/^0x[0-9a-f]{40}(?::|@|%3a)\d+$/i.test(text)) return `${rule}: the chain id stands first`;
  if (/^0x[0-9a-f]+:0x[0-9a-f]{40}$/i.test(text)) return `${rule}: the chain id in decimal digits`;
  if (/^trk_/.test(text)) return `${rule}; this is a tracking id`;
  if (/^[a-z].*:0x[0-9a-f]{40}$/i.test(text)) return `${rule}: the chain by its id alone, as in 8453:0x…`;
  if (/^\d+[^\d:%]/.test(text) && !text.startsWith("0x")) return `${rule}, with a colon between the two`;
  return rule;
}

/**
 * Parses a vault id, `<chain_id>:<vault address>`. The address may be in any letter case (a checksum is not verified),
 * and the colon may be URL-encoded (`%3A`). Returns null if the text is malformed or the chain id exceeds 2^53 − 1.
 */
export function parseVaultId(text: string): VaultKey | null {
  const match = /^([1-9][0-9]{0,15})(?::|%3[aA])(0[xX][0-9a-fA-F]{40})$/.exec(text);
  if (match?.[1] === undefined || match[2] === undefined) return null;
  const chainId = Number(match[1]);
  const address = parseAddress(match[2].toLowerCase());
  return Number.isSafeInteger(chainId) && address !== null ? { chainId, address } : null;
}
