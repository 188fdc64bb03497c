/** A kind of credential: `live` is an API key, `secret` its secret, `session` a session token. */
export type CredentialKind = "live" | "secret" | "session";

/** Number of random bytes in a credential, by kind. The minimum is 24 bytes (192 bits). */
const RANDOM_BYTES: Readonly<Record<CredentialKind, number>> = { live: 24, secret: 32, session: 32 };
/** Digits of base 62, in ascending order. */
const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** Number of base-62 digits of a credential's checksum. */
const CHECKSUM_LENGTH = 6;

/**
 * Generates a credential: `cw_<kind>_`, random bytes in base 62 with a fixed length, and a CRC-32 checksum of six
 * digits, with which secret scanners recognize it offline. The format is modeled on GitHub's tokens.
 */
export function generateCredential(kind: CredentialKind): string {
  const bytes = crypto.getRandomValues(new Uint8Array(RANDOM_BYTES[kind]));
  return withChecksum(`cw_${kind}_${toBase62(numberOf(bytes), bodyLength(kind))}`);
}

/**
 * Returns true if a text is a well-formed credential: its prefix, length, digits and checksum are correct. The checksum
 * is always computed.
 */
export function isCredential(kind: CredentialKind, text: string): boolean {
  const prefix = `cw_${kind}_`;
  const length = prefix.length + bodyLength(kind) + CHECKSUM_LENGTH;
  const shaped = text.slice(0, length).padEnd(length, "0");
  const sums = withChecksum(shaped.slice(0, -CHECKSUM_LENGTH)) === shaped;
  const spelled = text.startsWith(prefix) && /^[0-9A-Za-z]+$/.test(shaped.slice(prefix.length));
  return sums && spelled && text.length === length;
}

/** Shortens an API key to its first twelve and last four characters, for display. */
export function credentialPrefix(key: string): string {
  return `${key.slice(0, 12)}…${key.slice(-4)}`;
}

/** Returns the number of base-62 digits that a credential's random bytes take. */
function bodyLength(kind: CredentialKind): number {
  return Math.ceil((RANDOM_BYTES[kind] * 8) / Math.log2(DIGITS.length));
}

/** Appends the CRC-32 checksum of a text to the text, in base 62. */
function withChecksum(text: string): string {
  return text + toBase62(BigInt(crc32(new TextEncoder().encode(text))), CHECKSUM_LENGTH);
}

/** Returns the big-endian number that bytes encode. */
function numberOf(bytes: Uint8Array): bigint {
  return bytes.reduce((number, byte) => number * 256n + BigInt(byte), 0n);
}

/** Encodes a number in base 62, padded with zeros to `length` digits. */
function toBase62(number: bigint, length: number): string {
  let text = "";
  for (let rest = number; text.length < length; rest /= 62n) text = (DIGITS[Number(rest % 62n)] ?? "") + text;
  return text;
}

/**
 * Returns the CRC-32 checksum of bytes, as Ethernet and zlib define it (reflected polynomial 0xEDB88320). Source: RFC
 * 1952, section 8.
 */
export function crc32(bytes: Uint8Array): number {
  let checksum = 0xffffffff;
  for (const byte of bytes) {
    checksum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) checksum = (checksum >>> 1) ^ (checksum & 1 ? 0xedb88320 : 0);
  }
  return (checksum ^ 0xffffffff) >>> 0;
}
