import { type Address, concatHex, encodePacked, type Hex, size, slice } from "viem";
import { aggregatorCreationCode } from "./artifact.ts";

/** A view call in the aggregator's format. */
export interface AggregatedCall {
  to: Address;
  data: Hex;
}

/** Marks an entry whose data is creation code of ours instead of a call. Source: Aggregator.sol. */
export const PROGRAM: Address = "0xffffffffffffffffffffffffffffffffffffffff";
/** Maximum size of creation code and payload together, bytes. Source: EIP-3860. */
const MAX_INITCODE_BYTES = 49_152;
/** Bytes of a payload after its calls, and of a call besides its data. Source: Aggregator.sol. */
const TAIL_BYTES = 8;
const CALL_BYTES = 22;
/**
 * Calls per request: 24,576 bytes of answer at up to 78 bytes each (EIP-170). Results that do not fit are read again.
 */
export const MAX_CALLS = 300;
/** Gas for one call: vaults over many markets use several hundred thousand. */
export const CALL_GAS = 3_000_000;

/** Bytes left for calls beside the creation code. */
const ROOM = MAX_INITCODE_BYTES - size(aggregatorCreationCode) - TAIL_BYTES;
const weightOf = ({ data }: AggregatedCall): number => CALL_BYTES + size(data);

/** Returns true when calls fit one request. */
export function fitsOneRequest(calls: readonly AggregatedCall[]): boolean {
  return calls.reduce((sum, call) => sum + weightOf(call), 0) <= ROOM;
}

/**
 * Splits calls, in order, into slices that each fit one request; without calls one empty slice, which returns the
 * block.
 */
export function sliceCalls<C extends AggregatedCall>(calls: readonly C[]): C[][] {
  let last: C[] = [];
  const slices = [last];
  let room = ROOM;
  for (const call of calls) {
    if (last.length === MAX_CALLS || weightOf(call) > room) {
      last = [];
      slices.push(last);
      room = ROOM;
    }
    last.push(call);
    room -= weightOf(call);
  }
  return slices;
}

/** Encodes the data of an `eth_call` without `to` that makes the calls, each with at most `callGas`. */
export function encodeCalls(calls: readonly AggregatedCall[], callGas = CALL_GAS): Hex {
  const entries = concatHex(
    calls.map(({ to, data }) => encodePacked(["address", "uint16", "bytes"], [to, size(data), data])),
  );
  const tail = encodePacked(["uint32", "uint16", "uint16"], [callGas, calls.length, size(entries)]);
  return concatHex([aggregatorCreationCode, entries, tail]);
}

/**
 * The result of one call. `unknown`: the answer is larger than any value that is read; `not_reached`: gas or space
 * ran out before it; `spent`: it failed after using most of its gas.
 */
export type CallResult =
  | { status: "failed" | "answered"; data: Hex }
  | { status: "unknown" | "not_reached" | "spent" };

/** The results of one request, with the chain id and block; `blockNumber` is null where the chain hides it. */
export interface AggregatedAnswer {
  chainId: number;
  blockNumber: number | null;
  /** Seconds since the epoch. */
  timestamp: number;
  results: CallResult[];
}

/** Statuses by their byte. Source: Aggregator.sol. */
const STATUSES = ["failed", "answered", "not_reached", "unknown", "spent"] as const;
const HEAD_BYTES = 24;
const UNKNOWN_BLOCK = 2n ** 64n - 1n;

/**
 * Decodes the aggregator's answer to `count` calls. Throws an Error when it is too short or too long, has an unknown
 * status, or a block field is no safe integer.
 */
export function decodeResults(answer: Hex, count: number): AggregatedAnswer {
  const total = (answer.length - 2) / 2;
  let offset = HEAD_BYTES;
  const take = (bytes: number): Hex => {
    offset += bytes;
    if (offset > total) throw new RangeError(`the answer ends at byte ${total}, not ${offset} or later`);
    return bytes === 0 ? "0x" : slice(answer, offset - bytes, offset);
  };
  const field = (index: number): bigint => BigInt(slice(answer, index * 8, index * 8 + 8));
  const height = field(1);
  const head = {
    chainId: safe(field(0)),
    blockNumber: height === UNKNOWN_BLOCK ? null : safe(height),
    timestamp: safe(field(2)),
  };
  const results = Array.from({ length: count }, (): CallResult => {
    const status = STATUSES[Number(take(1))];
    if (status === undefined) throw new RangeError("the answer has an unknown status");
    return status === "failed" || status === "answered"
      ? { status, data: take(Number(take(2))) }
      : { status };
  });
  if (offset !== total) throw new RangeError(`the answer has ${total} bytes, not ${offset}`);
  return { ...head, results };
}

function safe(value: bigint): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new RangeError("not a block field");
  return number;
}
