/** What partners are given: a key that names them, its secret, and a session's token. */
export type CredentialKind = "live" | "secret" | "session";

/** Random bytes of each: 192 bits at least, a session's token 256. */
const RANDOM_BYTES: Readonly<Record<CredentialKind, number>> = { live: 24, secret: 32, session: 32 };
const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const CHECKSUM_LENGTH = 6;

/**
 * Makes a credential: `cw_<kind>_`, the random bytes in base 62 at a fixed length, and a CRC-32 of all that in
 * six digits, so that a scanner can tell one from its like without asking us. The format is GitHub's.
 */
export function generateCredential(kind: CredentialKind): string {
  const bytes = crypto.getRandomValues(new Uint8Array(RANDOM_BYTES[kind]));
  return withChecksum(`cw_${kind}_${toBase62(numberOf(bytes), bodyLength(kind))}`);
}

/**
 * Whether a text is a credential of this kind: its prefix, length, digits and checksum. The checksum is made
 * whatever the text is, so that one that is no credential takes as long as one that is.
 */
export function isCredential(kind: CredentialKind, text: string): boolean {
  const prefix = `cw_${kind}_`;
  const length = prefix.length + bodyLength(kind) + CHECKSUM_LENGTH;
  const shaped = text.slice(0, length).padEnd(length, "0");
  const sums = withChecksum(shaped.slice(0, -CHECKSUM_LENGTH)) === shaped;
  const spelled = text.startsWith(prefix) && /^[0-9A-Za-z]+$/.test(shaped.slice(prefix.length));
  return sums && spelled && text.length === length;
}

/** The start and the last four digits of a key: enough to know it again, not to use it. */
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

/** The checksum of Ethernet and zlib (reflected polynomial 0xEDB88320). Source: RFC 1952 section 8. */
export function crc32(bytes: Uint8Array): number {
  let checksum = 0xffffffff;
  for (const byte of bytes) {
    checksum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) checksum = (checksum >>> 1) ^ (checksum & 1 ? 0xedb88320 : 0);
  }
  return (checksum ^ 0xffffffff) >>> 0;
}
