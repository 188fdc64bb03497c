import type { Address, Hex } from "viem";
import { sameAddress } from "../../lib/address.ts";
import { positionLensCreationCode } from "./artifact.ts";

/**
 * What the lens reads of one vault. `shareToken` is where `balanceOf(user)` is read; `pricer` answers what
 * the shares are worth and may be the same contract. `kind` says how:
 * - `convert_or_ratio`: `convertToAssets(balance)`, and when that fails `balance × totalAssets() of the pricer /
 *   totalSupply() of the share token`, rounded down. Only where totalAssets means the net assets of all shares.
 * - `convert`: `convertToAssets(balance)` and nothing else (idle-only totalAssets, several vaults per share).
 * - `balance`: the share balance alone.
 * - `rate`: for a balance that is not zero, the first word which `selector(argument)` of the pricer answers;
 *   the family that chose the selector knows what it means. A function without parameter ignores the argument.
 * - `report`: as `rate`, where the third word is there and zero; else nothing is known, for that word says that
 *   nobody may use the first.
 * - `pair`: as `rate`, of two contracts: what `selector()` of the pricer answers in the upper 128 bits of the word,
 *   what the argument's answers in the lower; nothing is known where one does not answer or is larger.
 */
export type LensVault =
  | { kind: "convert_or_ratio" | "convert"; shareToken: Address; pricer: Address }
  | { kind: "balance"; shareToken: Address }
  | {
      kind: "rate" | "report" | "pair";
      shareToken: Address;
      pricer: Address;
      selector: Hex;
      argument: Address;
    };

/** One `eth_call` without `to`: its data and the vaults it answers for, in the order of the answer. */
export interface PositionCall<V extends LensVault> {
  data: Hex;
  vaults: readonly V[];
}

/**
 * What one vault answered. Balances in share units, `acrossAssets` in asset units, `rate` as the pricer gave it.
 * `none`: the balance is zero. `assets_unknown`: no conversion answered, or none was asked for.
 * `balance_unknown`: balanceOf failed. `not_reached`: gas or room ran out before this vault; ask again.
 * The smaller the numbers, the more positions have room: on the wire a number takes its own bytes and one.
 */
export type PositionRead =
  | { status: "none" | "balance_unknown" | "not_reached" }
  | { status: "assets_unknown"; balance: bigint }
  | { status: "converted" | "ratio"; balance: bigint; assets: bigint }
  | { status: "rate"; balance: bigint; rate: bigint };

/**
 * The answer to one call and the chain and block it was made at. `blockNumber` is null when the chain does
 * not tell it; the timestamp is in seconds.
 */
export interface PositionAnswer {
  chainId: number;
  blockNumber: bigint | null;
  blockTimestamp: bigint;
  positions: PositionRead[];
}

/** The most that creation code and payload may weigh together, in bytes. Source: EIP-3860. */
export const MAX_INITCODE_BYTES = 49_152;
/** Gas for one read of one vault. Vaults over many markets use several 100,000 for a conversion. */
export const DEFAULT_READ_GAS = 3_000_000;

const KIND_CODES = { convert_or_ratio: 0, convert: 1, balance: 2, rate: 3, report: 4, pair: 5 } as const;
const HAS_PRICER = 1;
const TAIL_BYTES = 28;
const CODE_BYTES = (positionLensCreationCode.length - 2) / 2;
const ADDRESS_PATTERN = /^0x[0-9a-fA-F]{40}$/;
const SELECTOR_PATTERN = /^0x[0-9a-fA-F]{8}$/;

/** The user, the vaults, gas per read (`readGas`, below 2^32) and the most bytes that one call may have. */
export interface PositionQuery<V extends LensVault> {
  user: Address;
  vaults: readonly V[];
  readGas?: number;
  maxBytes?: number;
}

/**
 * Encodes as few `eth_call`s without `to` as hold all vaults; each answer belongs to `decodePositions`.
 * A vault takes 21 bytes, 20 more for a pricer of its own and 24 more for a rate, report or pair. No vaults, no calls.
 * One answer has room for 1,021 positions of 12-byte balances and 9-byte assets, for 500 whose balance and
 * assets take 46 bytes together on average, and for 366 at worst; vaults beyond are `not_reached`.
 * Throws a TypeError for a malformed address or selector, a RangeError for limits that cannot be kept.
 */
export function encodePositionCalls<V extends LensVault>(query: PositionQuery<V>): PositionCall<V>[] {
  const { user, vaults, readGas = DEFAULT_READ_GAS, maxBytes = MAX_INITCODE_BYTES } = query;
  if (!Number.isInteger(readGas) || readGas <= 0 || readGas >= 2 ** 32) {
    throw new RangeError(`gas per read must be a positive uint32, not ${readGas}`);
  }
  const caller = hexDigits(user, ADDRESS_PATTERN);
  const room = Math.min(maxBytes, MAX_INITCODE_BYTES) - CODE_BYTES - TAIL_BYTES;
  return chunkVaults(vaults, room).map(({ entries, members }) => {
    const tail =
      caller + hexNumber(readGas, 4) + hexNumber(members.length, 2) + hexNumber(entries.length / 2, 2);
    return { data: `${positionLensCreationCode as Hex}${entries}${tail}`, vaults: members };
  });
}

/** Cuts the vaults, in order, into runs whose entries take at most `room` bytes. */
function chunkVaults<V extends LensVault>(vaults: readonly V[], room: number) {
  const chunks: { entries: string; members: V[] }[] = [];
  for (const vault of vaults) {
    const entry = encodeEntry(vault);
    if (entry.length / 2 > room) throw new RangeError("the size limit leaves no room for a vault");
    const last = chunks.at(-1);
    if (last === undefined || (last.entries.length + entry.length) / 2 > room) {
      chunks.push({ entries: entry, members: [vault] });
    } else {
      last.entries += entry;
      last.members.push(vault);
    }
  }
  return chunks;
}

/** One entry of the payload as PositionLens.sol describes it, hex without prefix. */
function encodeEntry(vault: LensVault): string {
  const token = hexDigits(vault.shareToken, ADDRESS_PATTERN);
  const kind = KIND_CODES[vault.kind] * 2;
  if (vault.kind === "balance") return hexNumber(kind, 1) + token;
  const pricer = hexDigits(vault.pricer, ADDRESS_PATTERN);
  const head = sameAddress(vault.pricer, vault.shareToken)
    ? hexNumber(kind, 1) + token
    : hexNumber(kind + HAS_PRICER, 1) + token + pricer;
  if (!("selector" in vault)) return head;
  return head + hexDigits(vault.selector, SELECTOR_PATTERN) + hexDigits(vault.argument, ADDRESS_PATTERN);
}

function hexDigits(hex: Hex, shape: RegExp): string {
  if (!shape.test(hex))
    throw new TypeError(`${hex} is not ${shape === ADDRESS_PATTERN ? "an address" : "a selector"}`);
  return hex.slice(2).toLowerCase();
}

const hexNumber = (value: number, bytes: number): string => value.toString(16).padStart(bytes * 2, "0");

const UNKNOWN_BLOCK = 2n ** 64n - 1n;
const MAX_WORD_BYTES = 32;
/** By status byte; the position in the list is the byte. Source: PositionLens.sol. */
const POSITION_STATUSES = [
  "none",
  "balance_unknown",
  "not_reached",
  "assets_unknown",
  "converted",
  "ratio",
  "rate",
] as const;

/** Takes the next part of an answer: a number of so many bytes, or a word behind its length. */
interface ByteReader {
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

function decodePosition({ fixed, word }: ByteReader): PositionRead {
  const byte = Number(fixed(1));
  const status = POSITION_STATUSES[byte];
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
