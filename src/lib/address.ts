import { type Address, checksumAddress, zeroAddress } from "viem";

const SHAPE = /^0x[0-9a-fA-F]{40}$/;
/** The alias many services use for a chain's native token. */
const NATIVE_ALIAS = "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee";

/**
 * Parses an address in lower, upper or EIP-55 case and returns it checksummed; null when the text is no address or
 * its mixed case does not match the checksum. Source: EIP-55.
 */
export function parseAddress(text: string): Address | null {
  if (!SHAPE.test(text)) return null;
  const digits = text.slice(2);
  const checksummed = checksumAddress(text as Address);
  const oneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  return oneCase || text === checksummed ? checksummed : null;
}

/** Returns true for the zero address, which stands for a chain's native token inside this program. */
export function isNative(address: string): boolean {
  return address === zeroAddress;
}

/**
 * Returns true for the addresses by which requests and upstream services name the native token: the zero address and
 * the 0xEeee… alias.
 */
export function isNativeAlias(address: string): boolean {
  const lower = address.toLowerCase();
  return lower === NATIVE_ALIAS || lower === zeroAddress;
}

/** Compares two addresses regardless of case. */
export function sameAddress(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
