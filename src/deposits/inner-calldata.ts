import { type Hex, keccak256 } from "viem";

/** No calldata of ours is shorter than a function's four bytes and two words. */
const LEAST_BYTES = 68;
/** Bounds what a transaction that somebody names can cost: bytes that are searched, and that are hashed in all. */
const MOST_BYTES = 131_072;
const MOST_HASHED_BYTES = 262_144;
const WORD_DIGITS = 64;
/** A length is a word whose first 28 bytes are zero; the search may begin in the zeros of the word before. */
const LENGTH_WORD = /(?=0{56}([0-9a-f]{8}))/g;

/**
 * The hashes of all calldata that a transaction may hand on: every run of bytes in its input that stands behind its
 * own length, as batches of smart accounts write the calls they make, and at any depth. Where to look, not proof:
 * nothing says that a call is made with them. Source: EIP-5792, ERC-7579, ERC-4337, Safe's MultiSend.
 */
export function innerDataHashes(input: Hex): Set<Hex> {
  const text = input.slice(2, 2 + 2 * MOST_BYTES).toLowerCase();
  const hashes = new Set<Hex>();
  let left = MOST_HASHED_BYTES;
  for (const match of text.matchAll(LENGTH_WORD)) {
    const bytes = Number.parseInt(match[1] ?? "0", 16);
    const start = match.index + WORD_DIGITS;
    if (match.index % 2 !== 0 || bytes < LEAST_BYTES || start + 2 * bytes > text.length) continue;
    left -= bytes;
    if (left < 0) break;
    hashes.add(keccak256(`0x${text.slice(start, start + 2 * bytes)}`));
  }
  return hashes;
}
