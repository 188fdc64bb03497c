import type { Address, Hex } from "viem";
import { sameAddress } from "../../lib/address.ts";
import { positionLensCreationCode } from "./artifact.ts";
import type { LensVault, PositionCall } from "./types.ts";

/** The most that creation code and payload may weigh together, in bytes. Source: EIP-3860. */
export const MAX_INITCODE_BYTES = 49_152;
/** Gas for one read of one vault. Vaults over many markets use several 100,000 for a conversion. */
export const DEFAULT_READ_GAS = 3_000_000;

const KINDS = { convert_or_ratio: 0, convert: 1, balance: 2, rate: 3, report: 4, pair: 5 } as const;
const HAS_PRICER = 1;
const TAIL_BYTES = 28;
const CODE_BYTES = (positionLensCreationCode.length - 2) / 2;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const SELECTOR = /^0x[0-9a-fA-F]{8}$/;

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
  const caller = digits(user, ADDRESS);
  const room = Math.min(maxBytes, MAX_INITCODE_BYTES) - CODE_BYTES - TAIL_BYTES;
  return chunk(vaults, room).map(({ entries, members }) => {
    const tail = caller + number(readGas, 4) + number(members.length, 2) + number(entries.length / 2, 2);
    return { data: `${positionLensCreationCode as Hex}${entries}${tail}`, vaults: members };
  });
}

/** Cuts the vaults, in order, into runs whose entries take at most `room` bytes. */
function chunk<V extends LensVault>(vaults: readonly V[], room: number) {
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
  const token = digits(vault.shareToken, ADDRESS);
  const kind = KINDS[vault.kind] * 2;
  if (vault.kind === "balance") return number(kind, 1) + token;
  const pricer = digits(vault.pricer, ADDRESS);
  const head = sameAddress(vault.pricer, vault.shareToken)
    ? number(kind, 1) + token
    : number(kind + HAS_PRICER, 1) + token + pricer;
  if (!("selector" in vault)) return head;
  return head + digits(vault.selector, SELECTOR) + digits(vault.argument, ADDRESS);
}

function digits(hex: Hex, shape: RegExp): string {
  if (!shape.test(hex))
    throw new TypeError(`${hex} is not ${shape === ADDRESS ? "an address" : "a selector"}`);
  return hex.slice(2).toLowerCase();
}

const number = (value: number, bytes: number): string => value.toString(16).padStart(bytes * 2, "0");
