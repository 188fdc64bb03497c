/** A kind of credential: API key (`live`), its secret, or session token. */
export type CredentialKind = "live" | "secret" | "session";

/** Random bytes of a credential by kind: at least 192 bits. */
const RANDOM_BYTES: Readonly<Record<CredentialKind, number>> = { live: 24, secret: 32, session: 32 };
const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const CHECKSUM_LENGTH = 6;

/**
 * Generates a credential: `cw_<kind>_`, random bytes in base 62 at a fixed length, and a CRC-32 checksum of six digits, by
 * which secret scanners recognize it offline. The format follows GitHub's tokens.
 */
export function generateCredential(kind: CredentialKind): string {
  const bytes = crypto.getRandomValues(new Uint8Array(RANDOM_BYTES[kind]));
  return withChecksum(`cw_${kind}_${toBase62(numberOf(bytes), bodyLength(kind))}`);
}

/**
 * Returns true when a text has the prefix, length, digits and checksum of a credential. Always computes the checksum, so
 * that a malformed text takes as long as a well-formed one.
 */
export function isCredential(kind: CredentialKind, text: string): boolean {
  const prefix = `cw_${kind}_`;
  const length = prefix.length + bodyLength(kind) + CHECKSUM_LENGTH;
  const shaped = text.slice(0, length).padEnd(length, "0");
  const sums = withChecksum(shaped.slice(0, -CHECKSUM_LENGTH)) === shaped;
  const spelled = text.startsWith(prefix) && /^[0-9A-Za-z]+$/.test(shaped.slice(prefix.length));
  return sums && spelled && text.length === length;
}

/** Shortens an API key to its beginning and last four characters, for display. */
export function credentialPrefix(key: string): string {
  return `${key.slice(0, 12)}…${key.slice(-4)}`;
}

function bodyLength(kind: CredentialKind): number {
  return Math.ceil((RANDOM_BYTES[kind] * 8) / Math.log2(DIGITS.length));
}

function withChecksum(text: string): string {
  return text + toBase62(BigInt(crc32(new TextEncoder().encode(text))), CHECKSUM_LENGTH);
}

function numberOf(bytes: Uint8Array): bigint {
  return bytes.reduce((number, byte) => number * 256n + BigInt(byte), 0n);
}

function toBase62(number: bigint, length: number): string {
  let text = "";
  for (let rest = number; text.length < length; rest /= 62n) text = (DIGITS[Number(rest % 62n)] ?? "") + text;
  return text;
}

/** Computes the CRC-32 checksum of Ethernet and zlib (reflected polynomial 0xEDB88320). Source: RFC 1952, section 8. */
export function crc32(bytes: Uint8Array): number {
  let checksum = 0xffffffff;
  for (const byte of bytes) {
    checksum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) checksum = (checksum >>> 1) ^ (checksum & 1 ? 0xedb88320 : 0);
  }
  return (checksum ^ 0xffffffff) >>> 0;
}
