import { type Hex, keccak256 } from "viem";

/** Minimum length of a deposit's or withdrawal's calldata, in bytes: a selector and one word, as `redeem(uint256)`. */
const MIN_CALL_BYTES = 36;
/** Maximum number of bytes of a transaction's input that are searched for calls. */
const MAX_SEARCHED_BYTES = 131_072;
/** Maximum number of bytes that are hashed for one transaction, over all candidate calls. */
const MAX_HASHED_BYTES = 262_144;
/** Number of hex digits of a 32-byte word. */
const WORD_DIGITS = 64;
/** The first 28 bytes of a 32-byte length word, in hex. */
const LENGTH_ZEROS = "0".repeat(56);

/**
 * Returns the keccak256 hashes of byte strings, of 36 bytes or more, that follow their own length in an input, as calls
 * in batches do, each with the number of such strings. None proves that its call is made. Inputs that are long or
 * contain many lengths are read in part. Sources: ERC-7579, ERC-4337, Safe's MultiSend.
 */
export function innerDataHashes(input: Hex): Map<Hex, number> {
  const text = input.slice(2, 2 + 2 * MAX_SEARCHED_BYTES).toLowerCase();
  const hashes = new Map<Hex, number>();
  let left = MAX_HASHED_BYTES;
  for (const start of lengthWordEnds(text)) {
    const bytes = Number.parseInt(text.slice(start - 8, start), 16);
    if (bytes < MIN_CALL_BYTES || start + 2 * bytes > text.length) continue;
    left -= bytes;
    if (left < 0) break;
    const hash = keccak256(`0x${text.slice(start, start + 2 * bytes)}`);
    hashes.set(hash, (hashes.get(hash) ?? 0) + 1);
  }
  return hashes;
}

/**
 * Yields the positions in hex digits behind every 32-byte word that may be a length, on byte boundaries: its first 28
 * bytes are zero, the others are not all zero. Several times as fast as a regular expression.
 */
function* lengthWordEnds(text: string): Generator<number> {
  let zeros = text.indexOf(LENGTH_ZEROS);
  while (zeros !== -1) {
    let end = zeros + LENGTH_ZEROS.length;
    while (text[end] === "0") end += 1;
    const first = Math.max(zeros, end - WORD_DIGITS + 1);
    for (let at = first + (first % 2); at <= end - LENGTH_ZEROS.length; at += 2) {
      if (at + WORD_DIGITS <= text.length) yield at + WORD_DIGITS;
    }
    zeros = text.indexOf(LENGTH_ZEROS, end);
  }
}
