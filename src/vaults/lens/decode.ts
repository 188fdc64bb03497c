import type { Hex } from "viem";
import type { PositionAnswer, PositionRead } from "./types.ts";

const UNKNOWN_BLOCK = 2n ** 64n - 1n;
const MAX_WORD_BYTES = 32;
/** By status byte; the position in the list is the byte. Source: PositionLens.sol. */
const STATUSES = [
  "none",
  "balance_unknown",
  "not_reached",
  "assets_unknown",
  "converted",
  "ratio",
  "rate",
] as const;

/** Takes the next part of an answer: a number of so many bytes, or a word behind its length. */
interface Reader {
  fixed(bytes: number): bigint;
  word(): bigint;
}

/**
 * Reads what the lens answered to one call of `encodePositionCalls`, `count` being its number of vaults.
 * Throws an Error when the answer is not exactly that: odd hex, too short, too long, an unknown status, a
 * word of more than 32 bytes or with a leading zero byte. A position has one encoding alone.
 */
export function decodePositions(data: Hex, count: number): PositionAnswer {
  if (!/^0x(?:[0-9a-fA-F]{2})*$/.test(data)) throw new Error("position answer is not hex bytes");
  const size = (data.length - 2) / 2;
  let offset = 0;
  const fixed = (bytes: number): bigint => {
    const end = offset + bytes;
    if (end > size) throw new Error(`position answer ends at byte ${size}, expected ${end} or more`);
    // The zero in front is what BigInt needs to read no bytes as zero.
    const value = BigInt(`0x0${data.slice(2 + offset * 2, 2 + end * 2)}`);
    offset = end;
    return value;
  };
  const word = (): bigint => {
    const length = Number(fixed(1));
    if (length > MAX_WORD_BYTES) throw new Error(`position answer has a word of ${length} bytes`);
    const value = fixed(length);
    if (length > 0 && value >> BigInt(8 * (length - 1)) === 0n) {
      throw new Error(`position answer has a word of ${length} bytes with a leading zero byte`);
    }
    return value;
  };
  const chainId = Number(fixed(8));
  const blockNumber = fixed(8);
  const blockTimestamp = fixed(8);
  const positions = Array.from({ length: count }, () => decodePosition({ fixed, word }));
  if (offset !== size) throw new Error(`position answer has ${size} bytes, expected ${offset}`);
  const height = blockNumber === UNKNOWN_BLOCK ? null : blockNumber;
  return { chainId, blockNumber: height, blockTimestamp, positions };
}

function decodePosition({ fixed, word }: Reader): PositionRead {
  const byte = Number(fixed(1));
  const status = STATUSES[byte];
  if (status === undefined) throw new Error(`position answer has an unknown status ${byte}`);
  switch (status) {
    case "none":
    case "balance_unknown":
    case "not_reached":
      return { status };
    case "assets_unknown":
      return { status, balance: word() };
    case "rate":
      return { status, balance: word(), rate: word() };
    case "converted":
    case "ratio":
      return { status, balance: word(), assets: word() };
  }
}
