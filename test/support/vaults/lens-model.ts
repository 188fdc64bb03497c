/** Simple model of the lens' wire format, written independently of the real one, for comparison with it. */
import fc from "fast-check";
import { type Address, type Hex, hexToBytes, toHex } from "viem";
import type { LensVault, PositionAnswer, PositionRead } from "../../../src/vaults/lens/position-lens.ts";
import { positionLensCreationCode } from "../../../src/vaults/lens/position-lens-artifact.ts";

/** Size of the lens' creation code in bytes. */
export const codeBytes = positionLensCreationCode.length / 2 - 1;

/** Maximum size of deployed code, in bytes. Source: EIP-170. */
const MAX_ANSWER_BYTES = 24_576;

/**
 * Arbitrary word. Every length in bytes is equally likely, and so are the smallest and largest number of each length.
 */
export const aWord: fc.Arbitrary<bigint> = fc.integer({ min: 0, max: 32 }).chain((length) => {
  const [least, most] = length === 0 ? [0n, 0n] : [256n ** BigInt(length - 1), 256n ** BigInt(length) - 1n];
  return fc.oneof(fc.bigInt(least, most), fc.constantFrom(least, most));
});
const bytes = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((array) => toHex(array));
/** Arbitrary address. */
export const anAddress: fc.Arbitrary<Address> = bytes(20);

const aPricedVault = fc.tuple(anAddress, anAddress, fc.boolean()).map(([shareToken, other, own]) => ({
  shareToken,
  pricer: own ? shareToken : other,
}));
/** Arbitrary vault of any kind. */
export const aVault: fc.Arbitrary<LensVault> = fc.oneof(
  anAddress.map((shareToken) => ({ kind: "balance" as const, shareToken })),
  fc
    .tuple(aPricedVault, fc.constantFrom("convert" as const, "convert_or_ratio" as const))
    .map(([vault, kind]) => ({ kind, ...vault })),
  fc
    .tuple(
      aPricedVault,
      bytes(4),
      anAddress,
      fc.constantFrom("rate" as const, "report" as const, "pair" as const),
    )
    .map(([vault, selector, argument, kind]) => ({ kind, ...vault, selector, argument })),
);

/** Returns the size of a vault in the payload, in bytes. */
export function sizeOf(vault: LensVault): number {
  if (vault.kind === "balance") return 1 + 20;
  const pricer = vault.pricer === vault.shareToken ? 0 : 20;
  return 1 + 20 + pricer + ("selector" in vault ? 4 + 20 : 0);
}

/** Decodes the data of a call from its end, as the contract does. */
export function readPayload(data: Hex): { user: Address; readGas: number; vaults: LensVault[] } {
  const all = hexToBytes(data);
  const tail = all.subarray(-29);
  const view = new DataView(tail.buffer, tail.byteOffset);
  const length = view.getUint16(27) + 65_536 * view.getUint8(26);
  const entries = all.subarray(-29 - length, -29);
  if (all.length !== codeBytes + length + 29) throw new Error("bytes between code and payload");
  const vaults: LensVault[] = [];
  let at = 0;
  const next = (count: number): Hex => {
    const part = toHex(entries.subarray(at, at + count));
    at += count;
    return part;
  };
  while (at < entries.length) {
    const flags = Number(next(1));
    const shareToken = next(20);
    const pricer = flags % 2 === 1 ? next(20) : shareToken;
    switch (flags >> 1) {
      case 0:
        vaults.push({ kind: "convert_or_ratio", shareToken, pricer });
        break;
      case 1:
        vaults.push({ kind: "convert", shareToken, pricer });
        break;
      case 2:
        vaults.push({ kind: "balance", shareToken });
        break;
      case 3:
        vaults.push({ kind: "rate", shareToken, pricer, selector: next(4), argument: next(20) });
        break;
      case 4:
        vaults.push({ kind: "report", shareToken, pricer, selector: next(4), argument: next(20) });
        break;
      case 5:
        vaults.push({ kind: "pair", shareToken, pricer, selector: next(4), argument: next(20) });
        break;
      default:
        throw new Error(`kind ${flags >> 1}`);
    }
  }
  if (vaults.length !== view.getUint16(24)) throw new Error("another number of vaults than entries");
  return { user: toHex(tail.subarray(0, 20)), readGas: view.getUint32(20), vaults };
}

/** Arbitrary result of the lens. */
export const arbitraryLensAnswer: fc.Arbitrary<PositionAnswer> = fc.record({
  chainId: fc.integer({ min: 1, max: 2 ** 40 }),
  blockNumber: fc.option(fc.bigInt(0n, 2n ** 64n - 2n)),
  blockTimestamp: fc.bigInt(0n, 2n ** 64n - 1n),
  positions: fc.array(
    fc.oneof(
      fc.record({
        status: fc.constantFrom("none" as const, "balance_unknown" as const, "not_reached" as const),
      }),
      fc.record({ status: fc.constant("assets_unknown" as const), balance: aWord }),
      fc.record({
        status: fc.constantFrom("converted" as const, "ratio" as const),
        balance: aWord,
        assets: aWord,
      }),
      fc.record({ status: fc.constant("rate" as const), balance: aWord, rate: aWord }),
    ),
    { maxLength: 40 },
  ),
});

const STATUS_BYTES = {
  none: 0,
  balance_unknown: 1,
  not_reached: 2,
  assets_unknown: 3,
  converted: 4,
  ratio: 5,
  rate: 6,
} as const;

const hexOf = (value: bigint | number, size: number) =>
  size === 0 ? "" : value.toString(16).padStart(size * 2, "0");

/** Encodes a number with its length, in hex without prefix. */
function wordHex(value: bigint): string {
  let size = 0;
  while (value >= 256n ** BigInt(size)) size += 1;
  return hexOf(size, 1) + hexOf(value, size);
}

function positionHex(position: PositionRead): string {
  const parts = [hexOf(STATUS_BYTES[position.status], 1)];
  if ("balance" in position) parts.push(wordHex(position.balance));
  if ("assets" in position) parts.push(wordHex(position.assets));
  if ("rate" in position) parts.push(wordHex(position.rate));
  return parts.join("");
}

/** Encodes a result as the contract does. */
export function writeAnswer(answer: PositionAnswer): Hex {
  const head = [
    hexOf(answer.chainId, 8),
    answer.blockNumber === null ? "f".repeat(16) : hexOf(answer.blockNumber, 8),
    hexOf(answer.blockTimestamp, 8),
  ];
  return `0x${[...head, ...answer.positions.map(positionHex)].join("")}`;
}

/**
 * Returns the positions that fit into a result: those before the first at which there might not be room for two full
 * words.
 */
export function cutToRoom(positions: readonly PositionRead[]): PositionRead[] {
  let used = 24;
  let full = false;
  return positions.map((position, index) => {
    const later = positions.length - index - 1;
    full ||= used + (1 + 33 + 33) + later > MAX_ANSWER_BYTES;
    if (full) return { status: "not_reached" };
    used += positionHex(position).length / 2;
    return position;
  });
}
