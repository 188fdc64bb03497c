import type { Address, Hex } from "viem";
import { sameAddress } from "../../lib/address.ts";
import { positionLensCreationCode } from "./position-lens-artifact.ts";

/**
 * How the position lens (code that reads many balances in one `eth_call`) reads one vault: `balanceOf(user)` of
 * `shareToken`, then its value by `kind` (not for `balance`). The family's `toAssets` converts the word of `rate`,
 * `report` and `pair`.
 */
export type LensVault =
  // `convertToAssets(balance)` of the pricer. If that fails, `convert_or_ratio` takes `balance × totalAssets() of the
  // pricer / totalSupply() of the share token`, rounded down, which is right if totalAssets are the net assets of all
  // shares.
  | { kind: "convert_or_ratio" | "convert"; shareToken: Address; pricer: Address }
  | { kind: "balance"; shareToken: Address }
  // `rate`: the first word of the pricer's `selector(argument)`. `report`: the same, if the third word exists and is
  // zero. `pair`: the pricer's `selector()` in the upper 128 bits, the argument's `selector()` in the lower.
  | {
      kind: "rate" | "report" | "pair";
      shareToken: Address;
      pricer: Address;
      selector: Hex;
      argument: Address;
    };

/**
 * The data of one `eth_call` of the position lens (`encodePositionCalls` says how to send it), and the vaults that it
 * reads, in the order of the returned positions.
 */
export interface PositionCall<V extends LensVault> {
  data: Hex;
  vaults: readonly V[];
}

/**
 * A user's position in one vault as the position lens read it; `balance` and `assets` are in smallest units, `rate` is
 * a raw word. `none`: the balance is zero. `not_reached`: gas or output space ran out. `converted`, `ratio`: how the
 * assets were computed (see `LensVault`).
 */
export type PositionRead =
  | { status: "none" | "balance_unknown" | "not_reached" }
  | { status: "assets_unknown"; balance: bigint }
  | { status: "converted" | "ratio"; balance: bigint; assets: bigint }
  | { status: "rate"; balance: bigint; rate: bigint };

/**
 * The decoded result of one `eth_call` of the position lens, with the chain and block at which it ran. `blockNumber` is
 * null if the chain does not provide it. The timestamp is in seconds.
 */
export interface PositionAnswer {
  chainId: number;
  blockNumber: bigint | null;
  blockTimestamp: bigint;
  positions: PositionRead[];
}

/** Maximum size of creation code and payload together, in bytes. Source: EIP-3860. */
export const MAX_INITCODE_BYTES = 49_152;
/** Maximum size of code and payload that a state override sets as an account's code, in bytes. */
export const MAX_OVERRIDE_BYTES = 128 * 1_024;
/**
 * Default gas limit of each read of the position lens. A conversion in a vault with many markets may need several
 * hundred thousand gas.
 */
export const DEFAULT_READ_GAS = 3_000_000;

const KIND_CODES = { convert_or_ratio: 0, convert: 1, balance: 2, rate: 3, report: 4, pair: 5 } as const;
const HAS_PRICER = 1;
const TAIL_BYTES = 29;
const CODE_BYTES = (positionLensCreationCode.length - 2) / 2;
const ADDRESS_PATTERN = /^0x[0-9a-fA-F]{40}$/;
const SELECTOR_PATTERN = /^0x[0-9a-fA-F]{8}$/;

/** The user and the vaults whose positions to read. */
export interface PositionQuery<V extends LensVault> {
  user: Address;
  vaults: readonly V[];
  /** Gas limit of each read, a positive uint32; `DEFAULT_READ_GAS` if absent. */
  readGas?: number;
  /** Maximum size of one call's data in bytes; `MAX_INITCODE_BYTES` if absent, never above `MAX_OVERRIDE_BYTES`. */
  maxBytes?: number;
}

/**
 * Encodes the `eth_call`s that read a user's positions. Data above `MAX_INITCODE_BYTES` must be set as code by a state
 * override; other data can be sent without `to`. Throws a TypeError for a malformed address or selector, and a
 * RangeError if `readGas` is no positive uint32 or `maxBytes` leaves no room for a vault.
 */
export function encodePositionCalls<V extends LensVault>(query: PositionQuery<V>): PositionCall<V>[] {
  const { user, vaults, readGas = DEFAULT_READ_GAS, maxBytes = MAX_INITCODE_BYTES } = query;
  if (!Number.isInteger(readGas) || readGas <= 0 || readGas >= 2 ** 32) {
    throw new RangeError(`gas per read must be a positive uint32, not ${readGas}`);
  }
  const caller = hexDigits(user, ADDRESS_PATTERN);
  const room = Math.min(maxBytes, MAX_OVERRIDE_BYTES) - CODE_BYTES - TAIL_BYTES;
  return chunkVaults(vaults, room).map(({ entries, members }) => {
    const tail =
      caller + hexNumber(readGas, 4) + hexNumber(members.length, 2) + hexNumber(entries.length / 2, 3);
    return { data: `${positionLensCreationCode as Hex}${entries}${tail}`, vaults: members };
  });
}

/** Splits the vaults, in order, into chunks whose encoded entries take at most `room` bytes. */
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

/**
 * Encodes one vault as an entry of the position lens's payload, as defined in PositionLens.sol, in hex without prefix.
 */
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
/** Position statuses in the order of their byte values. Source: PositionLens.sol. */
const POSITION_STATUSES = [
  "none",
  "balance_unknown",
  "not_reached",
  "assets_unknown",
  "converted",
  "ratio",
  "rate",
] as const;

/**
 * Reads the next number from the result of the position lens: one of a fixed size in bytes, or a word that is preceded
 * by its length.
 */
interface ByteReader {
  fixed(bytes: number): bigint;
  word(): bigint;
}

/**
 * Decodes the result of one call of `encodePositionCalls` that reads `count` vaults; the positions are in the order of
 * the call's vaults. Throws an Error if the result is malformed.
 */
export function decodePositions(data: Hex, count: number): PositionAnswer {
  if (!/^0x(?:[0-9a-fA-F]{2})*$/.test(data)) throw new Error("position answer is not hex bytes");
  const size = (data.length - 2) / 2;
  let offset = 0;
  const fixed = (bytes: number): bigint => {
    const end = offset + bytes;
    if (end > size) throw new Error(`position answer ends at byte ${size}, expected ${end} or more`);
    // The leading zero lets BigInt read zero bytes as 0.
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
