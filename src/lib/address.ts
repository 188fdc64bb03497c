import { type Address, checksumAddress, zeroAddress } from "viem";

const SHAPE = /^0x[0-9a-fA-F]{40}$/;
/** The address that many services use for a chain's native currency. */
const NATIVE_ALIAS = "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee";

/**
 * Parses an address, `0x` and digits in lowercase, in uppercase or with an EIP-55 checksum, and returns it checksummed,
 * or null if the text is not an address or its mixed case does not match the checksum. Source: EIP-55.
 */
export function parseAddress(text: string): Address | null {
  if (!SHAPE.test(text)) return null;
  const digits = text.slice(2);
  const checksummed = checksumAddress(text as Address);
  const oneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  return oneCase || text === checksummed ? checksummed : null;
}

/** A text that looks like a symbol (`USDC.e`) or a short name. */
const NAME = /^(?!0x)[A-Za-z][\w.-]{0,15}$/i;

/** Words and symbols that wallets and other APIs use for a native currency. */
const NATIVE_WORD = /^(?:native|eth|ether|bnb|xdai|pol|matic|mon|hype|avax|xpl)$/i;

/** What a request's address is of: a token, which may be the native currency, or an account. */
export type AddressOwner = "token" | "account";

/**
 * Returns why `parseAddress` rejected a text, for example spaces around an address, an ENS name, a symbol, a wrong
 * length, or mixed case that does not match the EIP-55 checksum, and what to send instead. `owner` is what the address
 * must be of.
 */
export function explainAddress(text: string, owner: AddressOwner): string {
  if (text !== text.trim()) return "must be an address: remove the spaces around it";
  if (SHAPE.test(text))
    return "the letter case does not match the EIP-55 checksum: a digit may be wrong; an all-lowercase address has no checksum";
  // `USDC.e` is a symbol, `vitalik.eth` is not.
  if (/^[^\s.]+(?:\.[^\s.]+)*\.[^\s.]{3,}$/.test(text))
    return "is a name, not an address: resolve the ENS name and send the address";
  if (NAME.test(text)) return explainName(text, owner);
  const digits = /^0x([0-9a-fA-F]*)$/.exec(text)?.[1];
  const secret = digits?.length === 64 ? ", as a hash or a private key: never send a private key" : "";
  if (digits !== undefined)
    return `must have 40 hexadecimal digits after 0x; it has ${digits.length}${secret}`;
  if (/^0X[0-9a-fA-F]{40}$/.test(text)) return "must be an address: write 0x in front with a small x";
  if (/^[0-9a-fA-F]{40}$/.test(text)) return "must be an address: the 0x in front is missing";
  if (/^[\w:]+:0x[0-9a-fA-F]{40}$/.test(text))
    return "must be an address: 0x and 40 hexadecimal digits, without a chain in front";
  return "must be an address: 0x and 40 hexadecimal digits";
}

/** Returns what to send in place of a name or a symbol. */
function explainName(text: string, owner: AddressOwner): string {
  const problem = "is a name or a symbol, not an address: send";
  const digits = "0x and 40 hexadecimal digits";
  if (owner === "account") return `${problem} ${digits}`;
  const sent = NATIVE_WORD.test(text) ? "the zero address for the native currency" : digits;
  return `${problem} ${sent}; GET /v1/tokens lists the addresses of tokens`;
}

/**
 * Returns true for the zero address, which stands for a chain's native currency within this program. Returns false for
 * the alias 0xEeee…, which `isNativeAlias` recognizes.
 */
export function isNative(address: string): boolean {
  return address === zeroAddress;
}

/**
 * Returns true for the two addresses that stand for the native currency in requests and in providers' APIs: the zero
 * address and 0xEeee…, in any letter case.
 */
export function isNativeAlias(address: string): boolean {
  const lower = address.toLowerCase();
  return lower === NATIVE_ALIAS || lower === zeroAddress;
}

/** Returns true if two addresses are the same, regardless of case. */
export function sameAddress(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
