import { bytesToHex } from "viem";
import type { Pepper } from "../config/config.ts";

const encoder = new TextEncoder();
/** Imported HMAC keys by pepper, so that an isolate imports each pepper only once. */
const imported = new Map<string, CryptoKey>();

/** Encodes bytes as lowercase hex without `0x`. */
export function toHexDigits(bytes: Uint8Array): string {
  return bytesToHex(bytes).slice(2);
}

/** Returns the SHA-256 digest of a text as lowercase hex without `0x`. */
export async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", encoder.encode(text));
  return toHexDigits(new Uint8Array(digest));
}

/**
 * Returns the HMAC-SHA-256 of an API key or secret under a pepper (a secret of the deployment), 32 bytes. The same text
 * has different digests as an API key and as a secret.
 */
export async function pepperedDigest(
  pepper: Pepper,
  text: { use: "key" | "secret"; value: string },
): Promise<Uint8Array> {
  const key = await importPepper(pepper.secret);
  const digest = await crypto.subtle.sign("HMAC", key, encoder.encode(`${text.use}:${text.value}`));
  return new Uint8Array(digest);
}

/** Returns the HMAC key of a pepper, imported on the first call. */
async function importPepper(secret: string): Promise<CryptoKey> {
  const known = imported.get(secret);
  if (known !== undefined) return known;
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, ["sign"]);
  imported.set(secret, key);
  return key;
}

/**
 * Returns true if two digests are equal. The comparison does not stop at the first difference. Throws a RangeError if
 * their lengths differ, since lengths are not secret.
 */
export function timingSafeEqual(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) throw new RangeError("digests of different lengths");
  let difference = 0;
  for (let i = 0; i < a.length; i += 1) difference |= (a[i] ?? 0) ^ (b[i] ?? 0);
  return difference === 0;
}
